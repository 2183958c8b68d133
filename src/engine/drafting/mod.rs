//! Drafts from recorded calls.

pub(crate) mod cache;
mod defaults;
mod details;
pub(crate) mod docstring_examples;
pub(crate) mod evidence;
pub(crate) mod export;
pub mod finetuning;
pub(crate) mod near_cases;
pub(crate) mod near_tests;
pub(crate) mod nondeterminism;
pub(crate) mod pipeline;
pub(crate) mod plans;
pub(crate) mod priority;
pub(crate) mod private_functions;
pub(crate) mod through_callers;
pub mod type_stubs;
pub(crate) mod why;
pub(crate) mod written;
