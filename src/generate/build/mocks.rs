//! Mocks of `unittest.mock` are made by what they were told; `expect/mocks.rs` asserts what they were called with.

use crate::domain::value::{TypeName, Value};
use crate::generate::scope::is_identifier;

/// Tells whether a class is one of the mocks.
pub(in crate::generate) fn is_mock(ty: &TypeName) -> bool {
    ty.module == "unittest.mock" && ty.qualname.ends_with("Mock")
}

/// Takes what is told of children out of what is told of a mock: `get.return_value` is no name of an argument.
pub(super) fn split_paths(told: &mut Vec<(String, Value)>) -> Vec<(Value, Value)> {
    let (own, paths) = std::mem::take(told).into_iter().partition(|(name, _)| is_identifier(name));
    *told = own;
    paths.into_iter().map(|(path, value)| (Value::Str(path), value)).collect()
}
