//! The one reader and writer of YAML, with budgets against files made to exhaust memory.
//!
//! `serde_yaml` is archived, and its fork expanded a 15 kB file into nine million nodes; `serde-saphyr` counts while it
//! reads and knows line and column of every mistake.

use serde::{Serialize, de::DeserializeOwned};

/// Files larger than this many bytes are refused before parsing.
pub const SIZE_MAX: usize = 1 << 20;

/// Why a YAML text was refused: a sentence with line and column where they are known.
#[derive(Debug, thiserror::Error)]
pub enum YamlError {
    /// The text is larger than [`SIZE_MAX`].
    #[error("the file has {0} bytes; at most {SIZE_MAX} are read")]
    TooLarge(usize),
    /// The text is no YAML, or not of the expected form.
    #[error("{0}")]
    Invalid(String),
}

/// Reads a value from YAML text.
///
/// # Errors
/// Fails when the text is too large, over a budget, no YAML, or not of the type's form.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    if text.len() > SIZE_MAX {
        return Err(YamlError::TooLarge(text.len()));
    }
    serde_saphyr::from_str(text).map_err(|error| YamlError::Invalid(error.to_string()))
}

/// Writes a value as YAML text.
///
/// # Errors
/// Fails when the value has a form YAML cannot hold.
pub fn write<T: Serialize>(value: &T) -> Result<String, YamlError> {
    serde_saphyr::to_string(value).map_err(|error| YamlError::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_survives_writing_and_reading() {
        let value = BTreeMap::from([("a".to_owned(), vec![1, 2]), ("b: c".to_owned(), vec![])]);
        let text = write(&value).unwrap_or_default();
        assert_eq!(read::<BTreeMap<String, Vec<i32>>>(&text).ok(), Some(value));
    }

    #[test]
    fn a_yaml_bomb_is_refused() {
        let mut text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let row = vec![format!("*a{}", level - 1); 9].join(",");
            text.push_str(&format!("a{level}: &a{level} [{row}]\n"));
        }
        assert!(read::<BTreeMap<String, serde_json::Value>>(&text).is_err());
        assert!(matches!(read::<String>(&"x".repeat(SIZE_MAX + 1)), Err(YamlError::TooLarge(_))));
    }

    #[test]
    fn a_mistake_names_its_line() {
        let error = read::<BTreeMap<String, i32>>("a: 1\nb: two\n").map_err(|e| e.to_string());
        assert!(error.as_ref().is_err_and(|text| text.contains("line 2")), "{error:?}");
    }
}
