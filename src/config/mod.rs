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
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
