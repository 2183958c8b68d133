# Each target installs what it lacks and says so. Needed beforehand: cargo from rustup.rs, a C compiler, a Python from 3.10 on, and
# a C++ compiler for the targets that build llama.cpp: test, lint, demo-model and LOCAL=1 dist.

.PHONY: demo demo-model test lint bench fuzz dist
.DEFAULT_GOAL := demo

demo: ## open the workbench on a copy of examples/shop; without a terminal, print what it would show
	@scripts/demo.sh

demo-model: ## the way of a question to the demo model and of its answer to a reviewed test; builds llama.cpp once
	@scripts/demo-model.sh

test: ## all tests: Rust, and Python under every interpreter that is here
	@scripts/test.sh

lint: ## rustfmt, clippy, ruff
	@scripts/lint.sh

bench: ## what recording and the rest cost; NAME=recording measures one part, ROUNDS=3 is quicker
	@scripts/bench.sh "$(NAME)" "$(ROUNDS)"

fuzz: ## break what readers are given, at random; SECONDS=60 for each of them, another seed each time
	@scripts/fuzz.sh "$(SECONDS)"

dist: ## wheel and source archive into dist/, installed and tried in an empty environment; LOCAL=1 adds the wheel with llama.cpp
	@scripts/dist.sh
