//! The one reader and writer of YAML, with budgets against files made to exhaust memory.
//!
//! `serde_yaml` is archived, and its fork expanded a 15 kB file into nine million nodes; `serde-saphyr` counts while it
//! reads and knows line and column of every mistake.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

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

/// A value with the line it stands on, 1-based; 0 where it is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The line of the value's first character.
    pub line: u32,
    /// The value.
    pub value: Plain,
}

/// A value as a file of settings holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Plain {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Located>),
    /// A mapping in the order of the file: key, the key's line, value.
    Map(Vec<(String, u32, Located)>),
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<Plain>::deserialize(deserializer)?;
        Ok(Self { line: line(spanned.referenced), value: spanned.value })
    }
}

fn line(location: serde_saphyr::Location) -> u32 {
    u32::try_from(location.line()).unwrap_or(0)
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlainVisitor;

        impl<'de> Visitor<'de> for PlainVisitor {
            type Value = Plain;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Plain, E> {
                Ok(Plain::Null)
            }

            fn visit_none<E>(self) -> Result<Plain, E> {
                Ok(Plain::Null)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Plain, D::Error> {
                Plain::deserialize(deserializer)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Plain, E> {
                Ok(Plain::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Plain, E> {
                Ok(Plain::Int(value))
            }

            #[allow(clippy::cast_precision_loss)]
            fn visit_u64<E>(self, value: u64) -> Result<Plain, E> {
                Ok(i64::try_from(value).map_or(Plain::Float(value as f64), Plain::Int))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Plain, E> {
                Ok(Plain::Float(value))
            }

            fn visit_str<E>(self, value: &str) -> Result<Plain, E> {
                Ok(Plain::Text(value.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Plain, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Plain::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Plain, A::Error> {
                let mut map = Vec::new();
                while let Some(key) = pairs.next_key::<serde_saphyr::Spanned<String>>()? {
                    map.push((key.value, line(key.referenced), pairs.next_value()?));
                }
                Ok(Plain::Map(map))
            }
        }

        deserializer.deserialize_any(PlainVisitor)
    }
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
    fn values_know_their_lines() {
        let text = "# settings\nrecord:\n  limit: 5\n\n  targets:\n    - shop.*\n    - 3\nnetwork: off\n";
        let Ok(Located { value: Plain::Map(map), .. }) = read::<Located>(text) else { unreachable!("it is a mapping") };
        let record = Plain::Map(vec![
            ("limit".into(), 3, Located { line: 3, value: Plain::Int(5) }),
            (
                "targets".into(),
                5,
                Located {
                    line: 6,
                    value: Plain::List(vec![
                        Located { line: 6, value: Plain::Text("shop.*".into()) },
                        Located { line: 7, value: Plain::Int(3) },
                    ]),
                },
            ),
        ]);
        assert_eq!(map[0], ("record".into(), 2, Located { line: 3, value: record }));
        assert_eq!(map[1].2, Located { line: 8, value: Plain::Bool(false) }, "YAML 1.1 words are what they were");
        assert!(read::<Located>("a: 1\na: 2\n").is_err(), "a key twice is a mistake");
    }

    #[test]
    fn a_mistake_names_its_line() {
        let error = read::<BTreeMap<String, i32>>("a: 1\nb: two\n").map_err(|e| e.to_string());
        assert!(error.as_ref().is_err_and(|text| text.contains("line 2")), "{error:?}");
    }
}
