//! Language models: what is asked, who is asked, and the stream that comes back.
//!
//! Owns every outgoing connection. Knows nothing of proposals: a prompt goes in, pieces of text come out, and whether
//! the text is worth anything is found out elsewhere.

pub mod answer;
pub mod cassette;
pub mod choose;
pub mod claude_agent;
pub mod claude_code;
pub mod command;
pub mod demo;
mod direct;
pub mod gguf;
pub mod hub;
mod key;
pub mod local;
pub mod network;
pub mod openai;
pub mod pool;
mod program;
pub mod prompt;
pub mod provider;
mod refusals;
mod retry;
mod sse;
pub mod trained;
mod wire;
mod wishes;
