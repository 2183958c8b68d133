//! L1: the product's nouns as plain data. No IO, no clock, no randomness.

pub mod batch;
pub mod call;
pub mod command;
pub mod decision;
pub mod event;
pub mod function;
pub mod proposal;
pub mod settings;
pub mod snapshot;
pub mod value;
