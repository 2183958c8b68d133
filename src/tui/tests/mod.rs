//! The screen as a whole, driven by messages over a fixture of a small shop.

mod asked;
mod compared;
mod first;
mod fixture;
mod journeys;
pub mod judged;
mod line_values;
mod near;
mod promises;
mod red;
mod runs;
mod safety;
mod screens;
mod sight;
mod specs;
pub mod work;
