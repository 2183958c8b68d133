//! The workbench on the screen.
//!
//! `update` is a pure function from state and message to state and effects, `draw` a pure function from state to
//! pixels; reading keys, files and the clock is `terminal.rs`, `event.rs`, `effects.rs`, `editor.rs` and
//! `clipboard.rs`. One table (`action.rs`) feeds dispatch, help, key line and palette.

pub mod action;
pub mod app;
pub mod backend;
mod behaviour;
pub mod clipboard;
pub mod content;
pub mod diff;
pub mod doc;
pub mod doc_row;
pub mod editor;
pub mod effects;
mod engine;
pub mod event;
pub mod filter;
pub mod frame;
pub mod glyphs;
pub mod highlight;
pub mod jobs;
pub mod journey_lines;
pub mod journeys;
pub mod jumps;
pub mod keymap;
pub mod layer;
pub mod layout;
pub mod live;
pub mod local_time;
pub mod messages;
pub mod news;
pub mod panes;
pub mod pass;
pub mod row;
pub mod run;
pub mod session;
pub mod spec_steps;
pub mod specs;
pub mod terminal;
pub mod theme;
mod unjudged;
pub mod update;
pub mod view;
pub mod widgets;
pub mod words;
pub mod wrap;

pub use run::{require_terminal, run};

#[cfg(test)]
mod tests;
