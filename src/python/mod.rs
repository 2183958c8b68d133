//! The project's interpreter, our Python package, the worker, the plugins of YAML tests, values on the wire.

pub mod interpreter;
pub mod line_values;
pub mod lines_run;
pub mod marshal;
pub mod near;
pub mod package;
pub mod plugins;
mod process;
pub mod protocol;
pub mod skim;
#[cfg(test)]
pub(crate) mod testing;
pub mod value;
pub mod zygote;
