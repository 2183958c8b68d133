//! The tests of the whole program, in one executable: most of them drive the real binary, some the library.
//!
//! Each module is a file or a folder beside this one; `tests/architecture.rs` fails where one has no line here. A test of its
//! own executable is for what changes its own process (working folder, variables, signals) or needs another build.
// What helps tests is no test itself, and ends them where they end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod activation;
mod agent;
mod application_callers;
mod application_clients;
mod application_files;
mod applications;
mod arrays;
mod asking;
mod awaited;
mod bad_input;
mod calls;
mod check;
mod clean;
mod cluster;
mod compared;
mod contain;
mod contain_recorded_test;
mod corpus;
mod data_files;
mod details;
mod diff;
mod doc;
mod docs;
mod draft;
mod drafts;
mod edited;
mod faults;
mod former;
mod gate;
mod graphs;
mod harness;
mod imported;
mod intents;
mod interpreter;
mod journeys;
mod json;
mod local_model;
mod mcp;
mod mcp_tests;
mod merging;
mod migrating;
mod model;
mod peers;
mod pictures;
mod prompts;
mod proposing;
mod prover;
mod questions;
mod recorded_tests;
mod recorded_unittests;
mod reference;
mod regeneration;
mod rules;
mod secret_drafts;
mod secrets;
mod side_effects;
mod soak;
mod source_against_cpython;
mod spec;
mod spec_new;
mod surroundings;
mod terminal;
mod thieves;
mod tutorials;
mod types;
mod varying;
mod verbs;
mod workbench;
mod worker;
mod writers;
