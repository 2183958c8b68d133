"""Trains a model to write tests: the small demo model from nothing, or a LoRA adapter on a model that is there.

    python train.py demo OUT                       from scratch, on what facts.py makes; a CPU does
    python train.py lora BASE DATA.jsonl OUT       BASE is a folder or a name on the hub; a GPU, unless BASE is tiny

DATA.jsonl is what `pytead-tui export finetuning` writes: a chat a line. OUT is a folder that to_gguf.py reads: the weights,
with a LoRA adapter merged in, the configuration and the tokenizer. The same command gives the same weights on one machine.
"""

import argparse
import itertools
import json
import math
import random
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import facts
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SEED = 7
END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
#: The same split of text into words as the models of the Qwen family have, for llama.cpp knows it by name.
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHAT = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
VOCABULARY, WIDTH, LAYERS, HEADS, INNER, CONTEXT = 1024, 128, 3, 4, 256, 1024
#: Tokens of one step, about.
STEP = 4096
#: How much the question's own tokens count: they teach to copy, and are not what is wanted.
QUESTION = 0.2

Batch = list[tuple[list[int], int]]


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    demo = kinds.add_parser("demo")
    demo.add_argument("out", type=Path)
    demo.add_argument("--tokens", type=int, default=6_000_000, help="how many it learns from")
    demo.add_argument("--threads", type=int, default=0)
    lora = kinds.add_parser("lora")
    lora.add_argument("base")
    lora.add_argument("data", type=Path)
    lora.add_argument("out", type=Path)
    lora.add_argument("--epochs", type=int, default=4)
    lora.add_argument("--rank", type=int, default=64)
    lora.add_argument("--rate", type=float, default=2e-5)
    given = parser.parse_args()
    torch.manual_seed(SEED)
    if given.kind == "demo":
        torch.set_num_threads(given.threads or torch.get_num_threads())
        train_demo(given.out, given.tokens)
    else:
        train_lora(given.base, given.data, given.out, given.epochs, given.rank, given.rate)


def train_demo(out: Path, tokens: int) -> None:
    """Trains the demo model from scratch."""
    tokenizer = vocabulary()
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        head_dim=WIDTH // HEADS,
        intermediate_size=INNER,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        eos_token_id=tokenizer.convert_tokens_to_ids(STOP),
    )
    model = Qwen3ForCausalLM(config)
    say(f"{sum(weight.numel() for weight in model.parameters()):,} parameters, {len(tokenizer)} tokens")
    chats = (
        encode(tokenizer, [{"role": "user", "content": one.question}], one.answer) for one in facts.examples(seed=SEED)
    )
    steps = tokens // STEP
    inner = [weight for name, weight in model.named_parameters() if weight.ndim == 2 and "embed" not in name]
    outer = [weight for name, weight in model.named_parameters() if weight.ndim != 2 or "embed" in name]
    # Matrices inside learn fastest by Muon (https://kellerjordan.github.io/posts/muon/), the others by Adam.
    optimisers = [
        torch.optim.Muon(inner, lr=0.02, momentum=0.95, weight_decay=0.01),
        torch.optim.AdamW(outer, lr=0.004, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    fit(model, itertools.islice(batches(chats), steps), steps, optimisers)
    save(model, tokenizer, out)


def train_lora(base: str, data: Path, out: Path, epochs: int, rank: int, rate: float) -> None:
    """Trains an adapter on a base model, and merges it."""
    from peft import LoraConfig, get_peft_model

    tokenizer = AutoTokenizer.from_pretrained(base)
    on = "cuda" if torch.cuda.is_available() else "cpu"
    half = torch.bfloat16 if on == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(base, dtype=half).to(on)
    adapter = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
    model = get_peft_model(model, adapter)
    chats = [chat(tokenizer, line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not chats:
        sys.exit(f"{data} holds no chats. Accept some drafts first, then: pytead-tui export finetuning")
    dice = random.Random(SEED)
    rounds = [list(batches(iter(dice.sample(chats, len(chats))))) for _ in range(epochs)]
    steps = sum(len(one) for one in rounds)
    learned = [weight for weight in model.parameters() if weight.requires_grad]
    say(f"{len(chats)} chats, {steps} steps on {on}")
    fit(model, itertools.chain(*rounds), steps, [torch.optim.AdamW(learned, lr=rate, weight_decay=0.01)])
    save(model.merge_and_unload(), tokenizer, out)


def vocabulary() -> PreTrainedTokenizerFast:
    """Makes a byte-level vocabulary from a part of what is learned from."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, START, STOP],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    some = itertools.islice(facts.examples(seed=SEED + 1), 4000)
    tokenizer.train_from_iterator((one.question + one.answer + "user\nassistant\n" for one in some), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=STOP, pad_token=END, chat_template=CHAT)


def chat(tokenizer: PreTrainedTokenizerFast, line: str) -> tuple[list[int], int]:
    """Reads a chat: its tokens, and how many of them are the question's."""
    messages = json.loads(line)["messages"]
    return encode(tokenizer, messages[:-1], messages[-1]["content"])


def encode(tokenizer: PreTrainedTokenizerFast, messages: list[dict], answer: str) -> tuple[list[int], int]:
    """Gives the tokens of a chat, and how many of them are the question's."""
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    question = tokenizer(text, add_special_tokens=False)["input_ids"]
    return question + tokenizer(answer, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id], len(question)


def batches(chats: Iterable[tuple[list[int], int]]) -> Iterator[Batch]:
    """Puts chats of similar length together, so that little is padding."""
    while True:
        some = sorted(itertools.islice(chats, 256), key=lambda one: len(one[0]))
        if not some:
            return
        made, batch = [], []
        for one in some:
            if batch and (len(batch) + 1) * len(one[0]) > STEP:
                made.append(batch)
                batch = []
            batch.append(one)
        random.Random(len(some[0][0])).shuffle(made)
        yield from [*made, batch]


def fit(model: torch.nn.Module, given: Iterable[Batch], steps: int, optimisers: list) -> None:
    """Learns from the batches; the rate rises for a twentieth of the steps and then falls to nothing."""
    model.train()
    full = [[group["lr"] for group in optimiser.param_groups] for optimiser in optimisers]
    warm, began, shown = max(1, steps // 20), time.perf_counter(), []
    on = next(model.parameters()).device
    for step, batch in enumerate(given):
        share = (
            (step + 1) / warm if step < warm else 0.5 + 0.5 * math.cos(math.pi * (step - warm) / max(1, steps - warm))
        )
        for optimiser, rates in zip(optimisers, full, strict=True):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * share
        longest = max(len(tokens) for tokens, _ in batch)
        tokens = torch.zeros(len(batch), longest, dtype=torch.long)
        weights = torch.zeros(len(batch), longest)
        for row, (text, question) in enumerate(batch):
            tokens[row, : len(text)] = torch.tensor(text)
            weights[row, :question] = QUESTION
            weights[row, question : len(text)] = 1.0
        tokens, weights = tokens.to(on), weights.to(on)
        logits = model(input_ids=tokens[:, :-1]).logits.float()
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
        answers = (weights[:, 1:].flatten() == 1.0).float()
        shown.append((loss.detach() * answers).sum().item() / max(1.0, answers.sum().item()))
        weighted = (loss * weights[:, 1:].flatten()).sum() / weights[:, 1:].sum()
        weighted.backward()
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad()
        if (step + 1) % 50 == 0 or step + 1 == steps:
            took = time.perf_counter() - began
            say(
                f"step {step + 1} of {steps}, loss of the answers {sum(shown[-50:]) / len(shown[-50:]):.3f}, {took:.0f} s"
            )


def save(model: torch.nn.Module, tokenizer: PreTrainedTokenizerFast, out: Path) -> None:
    """Writes weights, configuration and tokenizer."""
    out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    say(f"written: {out}")


def say(text: str) -> None:
    """Tells how far it is."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
