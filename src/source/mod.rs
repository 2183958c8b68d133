//! Python source: index, fingerprints, what uses what. The one home of tree-sitter, and of walking the project's folders.

pub mod bare;
mod between;
pub mod change;
pub mod claims;
mod decode;
pub mod dependencies;
pub mod docstring;
mod find;
pub mod git;
pub mod given;
pub mod hunks;
pub mod index;
pub mod installed;
mod literal;
pub mod names;
pub mod needs;
pub mod outline;
pub mod outreach;
pub mod parse;
mod parts;
mod reached;
pub mod rename;
pub mod stub;
mod tokens;
mod tree;
pub mod unions;
pub mod walk;
