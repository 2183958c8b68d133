//! Recorded calls → pytest text, what proof runs say about it, and what replays changed. Runs nothing itself.
//!
//! The way of a function's calls: [`plan::Plan::new`] turns calls into cases or reasons why not; the engine evaluates
//! [`plan::Plan::check_items`] and hands the values to [`plan::Plan::settle`]; [`plan::Plan::draft`] chooses and renders;
//! [`prove::judge`] reads the proof runs. Every step is a function of its inputs: the same calls give the same bytes.

pub mod act;
pub mod agree;
pub mod align;
pub mod alike;
pub mod argument_features;
pub mod around;
pub mod arrays;
pub mod build;
pub mod case;
pub mod cases;
pub mod check;
pub mod choose;
pub mod closer;
pub mod constructors;
pub mod contradict;
pub mod demo;
pub mod describing;
pub mod examples;
pub mod expect;
pub mod found;
pub mod from_model;
pub mod graph;
pub mod layout;
pub mod learned;
pub mod masked;
pub mod mend;
pub mod names;
pub mod near;
pub mod news;
pub mod noise;
pub mod path_help;
pub mod plan;
pub mod private;
pub mod project;
pub mod prove;
pub mod raises;
pub mod render;
pub mod replay;
pub mod repr;
pub mod rules;
pub mod scenes;
pub mod scope;
pub mod serial;
pub mod stand_ins;
pub mod statement;
pub mod steady;
pub mod surroundings;
pub mod tables;
pub mod timing;
pub mod told;
pub mod trim;
pub mod types;
pub mod varying;

#[cfg(test)]
mod tests;
