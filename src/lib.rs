//! pytead-tui as a library; the binary in `main.rs` is a thin shell around it.
//!
//! | layer | modules | what |
//! |---|---|---|
//! | L4 | `cli` `tui` `mcp` | front ends: words to commands, events to pixels, lines, JSON, answers to agents |
//! | L3 | `engine` | the one place that knows the order of things |
//! | L2 | `source` `python` `contain` `record` `pytest` `generate` `judge` `spec` `llm` `write` `watch` `store` `config` `compat` | functions of their inputs |
//! | L1 | `domain` | plain data |
//! | L0 | `base` | text, paths, hashes, time, YAML, redaction |
//!
//! Imports go downward only; `tests/architecture.rs` proves it.

pub mod base;
pub mod cli;
pub mod compat;
pub mod config;
pub mod contain;
pub mod domain;
pub mod engine;
pub mod generate;
pub mod judge;
pub mod llm;
pub mod mcp;
pub mod pytest;
pub mod python;
pub mod record;
pub mod source;
pub mod spec;
pub mod store;
pub mod tui;
pub mod watch;
pub mod write;
