//! Settings from their layers with the origin of each value, trust in folders, and where things lie on this machine.
//!
//! What a setting means is `domain::settings`; what is done with it is its module's business.

pub mod layers;
pub mod places;
pub mod project;
pub mod schema;
pub mod trust;

mod source;

#[cfg(test)]
mod tests;
