//! Mocks of `unittest.mock` are constructed from their configuration; `expect/mocks.rs` asserts their calls.

use crate::domain::value::{TypeName, Value};
use crate::generate::scope::is_identifier;

/// Tells whether a class is one of the mocks.
pub(in crate::generate) fn is_mock(ty: &TypeName) -> bool {
    ty.module == "unittest.mock" && ty.qualname.ends_with("Mock")
}

/// Separates the configuration of a mock's children from its own: `get.return_value` is no name of an argument.
pub(super) fn split_paths(configured: &mut Vec<(String, Value)>) -> Vec<(Value, Value)> {
    let (own, paths) = std::mem::take(configured).into_iter().partition(|(name, _)| is_identifier(name));
    *configured = own;
    paths.into_iter().map(|(path, value)| (Value::Str(path), value)).collect()
}
