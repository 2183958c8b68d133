//! Faults in the middle of a decision: the process is killed, the disk is full, the database is kept busy, the clock goes back.
//! After each, a decision is there as a whole or not at all, and what was recorded is there once: counted, step by step, on the
//! real binary.
//!
//! strace puts the faults into system calls; where there is none, or it may not trace, those tests say so and end.
#![allow(clippy::print_stderr)]

mod around;
mod changes;
mod drafts;
mod specs;
mod steps;
mod taking_in;
mod verdicts;
