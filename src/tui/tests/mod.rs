//! The screen as a whole, driven by messages over a fixture of a small shop.

mod asked;
mod compared;
mod fixture;
mod journeys;
pub mod judged;
mod promises;
mod red;
mod runs;
mod safety;
mod screens;
mod sight;
mod specs;
pub mod work;
