//! The screen as a whole, driven by messages over a fixture of a small shop.

mod asked;
mod compared;
mod fixture;
mod journeys;
pub mod judged;
mod promises;
mod runs;
mod safety;
mod screens;
mod specs;
mod sight;
pub mod work;
