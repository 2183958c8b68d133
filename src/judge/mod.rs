//! Judges what a journey shows: clauses are parsed ([`grammar`]), their names found among the project's functions
//! ([`names`]), and decided by rules ([`evaluate`]). Pure functions: nothing is read, stored or asked here.

pub mod answer;
pub mod approved;
pub mod audit;
mod call_tree;
pub mod compact;
pub mod covering;
pub mod data;
mod disguise;
pub mod evaluate;
mod fitted;
pub mod forms;
pub mod grammar;
mod heads;
pub mod lock;
pub mod names;
mod near;
mod phrases;
pub mod prompt;
pub mod prompt_journey;
pub mod proposed;
pub mod suggest;
pub mod telling;
pub mod validate;
mod values;
mod words;

#[cfg(test)]
mod asking_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod sentences;
#[cfg(test)]
mod tests;
