//! The screen as a whole, driven by messages over a fixture of a small shop.

mod asked;
mod compared;
mod fixture;
mod promises;
mod safety;
mod screens;
pub mod work;
