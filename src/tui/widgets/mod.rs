//! Parts that more than one pane is made of: lists, the tree, code with marks, text that grows.

pub mod code;
pub mod line_edit;
pub mod picker;
pub mod stream;
pub mod tree;
pub mod virtual_list;
