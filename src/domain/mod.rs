//! L1: the product's nouns as plain data. No IO, no clock, no randomness.

pub mod agent;
pub mod answers;
pub mod batch;
pub mod call;
pub mod callee;
pub mod clause;
pub mod command;
pub mod decision;
pub mod diff;
pub mod difference;
pub mod edited;
pub mod evaluator;
pub mod event;
pub mod evidence;
pub mod external_access;
pub mod function;
pub mod gap;
pub mod job_subject;
pub mod journal_entry;
pub mod journey;
pub mod killer;
pub mod likeness;
pub mod observation;
pub mod outcome;
pub mod parts;
pub mod proposal;
pub mod proposal_subject;
pub mod question;
pub mod reason;
pub mod recorded_test;
#[cfg(test)]
mod round_trips;
#[cfg(test)]
pub mod samples;
pub mod scene;
pub mod secret;
pub mod settings;
pub mod snapshot;
pub mod spec;
pub mod spec_board;
pub mod subject;
pub mod test_id;
mod text_form;
pub mod touch;
pub mod value;
pub mod verdict;
pub mod way;
