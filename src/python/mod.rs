//! The project's interpreter, our Python package, the worker, values on the wire.

pub mod marshal;
pub mod value;
