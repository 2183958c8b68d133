//! What the predecessor `pytead` left behind: its traces, read without running any of them, its command line and settings.
//!
//! [`trace`] reads one trace, [`graph`] and [`pickle`] are its two formats; which function a trace is of is not decided here.
//! [`graph_out`] writes a call as such a trace.
//! [`semantic`] and [`semantic_log`] are about `pytest-semantic`: its settings, and what its cache is keyed by.
//! [`beside`] tells what of the predecessors is still there, who wins, and how it goes.
//! [`spelling`] and [`settings`] put its command line and its files of settings into today's words.

pub mod beside;
pub mod generator;
pub mod graph;
pub mod graph_out;
pub mod pickle;
pub mod semantic;
pub mod semantic_log;
pub mod settings;
pub mod spelling;
pub mod trace;
