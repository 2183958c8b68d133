//! Changes of files: planned, shown, applied, taken back.

pub mod apart;
pub mod apply;
pub mod entries;
mod imports;
pub mod join;
pub mod manifest;
mod page;
pub mod plan;
