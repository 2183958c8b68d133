//! YAML tests: read and checked ([`load`], [`validate`], [`schema`]), their references filled in ([`interpolate`]), run
//! step by step by us ([`run`]) with the tools of their plugins ([`tools`]), and folded into one verdict ([`fold`]).
//!
//! What a model is asked for a new test is [`prompt`], what is taken of its answer [`written`].
//!
//! A model drives nothing here and decides only what rules cannot. Which files are run, how many at once, and where
//! reports go is the engine's affair.

pub mod agent;
mod argument_types;
pub mod fold;
pub mod interpolate;
pub mod journey;
pub mod load;
pub mod prompt;
pub mod recognize;
mod rules;
pub mod run;
pub mod schema;
pub mod sentences;
pub mod tools;
pub mod validate;
pub mod written;
