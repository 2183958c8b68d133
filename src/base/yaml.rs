//! The one reader and writer of YAML, with budgets against files made to exhaust memory.
//!
//! `serde_yaml` is archived, and its fork expanded a 15 kB file into nine million nodes; `serde-saphyr` counts while it
//! reads and knows line and column of every mistake.

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::ErrorKind;
use serde_saphyr::{Error, ExternalMessageSource};

use crate::base::text;

mod written;

/// Files larger than this many bytes are refused before parsing.
pub const SIZE_MAX: usize = 1 << 20;
/// As [`SIZE_MAX`], for a file of our own that grows with the project.
const LARGE_SIZE_MAX: usize = 8 << 20;
const LARGE_NODES_MAX: usize = 2_000_000;

/// Values within values: far above what people write, and little enough for the stack of every thread.
const DEPTH_MAX: usize = 32;
/// Nodes and aliases of a tree: far above what people write, far below what hurts.
const TREE_NODES_MAX: usize = 50_000;
const TREE_ALIASES_MAX: usize = 100;

/// Why a YAML text was refused: a sentence with line and column where they are known.
#[derive(Debug, thiserror::Error)]
pub enum YamlError {
    /// The text is larger than what is read: its bytes, and the most.
    #[error("the file has {0} bytes; at most {1} are read")]
    TooLarge(usize, usize),
    /// The text is no YAML, or not of the expected form.
    #[error("{0}")]
    Invalid(String),
}

/// Reads a value from YAML text.
///
/// # Errors
/// Fails when the text is too large, over a budget, no YAML, or not of the type's form.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: DEPTH_MAX, flow_nesting_limit: DEPTH_MAX },
    };
    read_within(text, SIZE_MAX, options)
}

/// As [`read`], for a file of our own that grows with the project: 8 MiB.
///
/// # Errors
/// As [`read`].
pub fn read_large<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            flow_nesting_limit: DEPTH_MAX,
            max_nodes: LARGE_NODES_MAX,
            max_events: 2 * LARGE_NODES_MAX,
        },
    };
    read_within(text, LARGE_SIZE_MAX, options)
}

fn read_within<T: DeserializeOwned>(text: &str, most: usize, options: serde_saphyr::Options) -> Result<T, YamlError> {
    if text.len() > most {
        return Err(YamlError::TooLarge(text.len(), most));
    }
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        YamlError::Invalid(over_budget(&error).map_or_else(
            || error.to_string(),
            |why| match error.location() {
                Some(at) => format!("line {} column {}: {why}", at.line(), at.column()),
                None => why,
            },
        ))
    })
}

/// Says which budget a text is over and what to do, without the last full stop; `None` where it is wrong in another way.
fn over_budget(error: &Error) -> Option<String> {
    let safe = "more could fill the memory";
    Some(match error {
        // What is wrong within an alias is told with the place of the alias.
        Error::WithSnippet { error, .. } | Error::AliasError { error, .. } => return over_budget(error),
        Error::ExternalMessage { source, .. } => match &**source {
            ExternalMessageSource::Parser(error) if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) => too_deep(),
            _ => return None,
        },
        Error::Budget { breach, .. } => match breach {
            BudgetBreach::Depth { .. } => too_deep(),
            BudgetBreach::Nodes { nodes } => {
                let most = text::thousands(nodes.saturating_sub(1));
                format!("at most {most} values are read, each alias counted with all it stands for; {safe}. Split the file")
            }
            BudgetBreach::Aliases { aliases } => {
                let most = aliases.saturating_sub(1);
                format!("at most {most} aliases (`*name`) are read; {safe}. Write out what some of them stand for")
            }
            BudgetBreach::AliasAnchorRatio { aliases, anchors } => format!(
                "it has {aliases} aliases (`*name`) of {} (`&name`), as files have that are made to fill the memory. Write out what some of them stand for",
                text::count(*anchors, "anchor")
            ),
            BudgetBreach::Documents { .. } => one_document(),
            _ => format!("it is larger than what is read; {safe}. Split the file"),
        },
        Error::MultipleDocuments { .. } => one_document(),
        Error::AliasReplayLimitExceeded { .. } | Error::AliasReplayStackDepthExceeded { .. } => {
            format!("its aliases (`*name`) stand for more than is read; {safe}. Write out what some of them stand for")
        }
        _ => return None,
    })
}

fn one_document() -> String {
    "a file holds one document. Take out what begins at `---`, or put it into a file of its own".to_owned()
}

fn too_deep() -> String {
    format!("values may stand in values {DEPTH_MAX} deep; more could fill the memory. Write it flatter")
}

/// What is no YAML, and where, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// Where reading stopped.
    pub at: Option<Place>,
    /// Why, without the place.
    pub why: String,
    /// It is about what stands in brackets or braces.
    pub in_flow: bool,
}

/// Reads a text as a tree in which a key that stands twice is there twice: for readers that report every mistake.
///
/// # Errors
/// Fails when the text is too large, over a budget, or no YAML.
pub fn tree(text: &str) -> Result<Located, Misread> {
    if text.len() > SIZE_MAX {
        return Err(Misread { at: None, why: YamlError::TooLarge(text.len(), SIZE_MAX).to_string(), in_flow: false });
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: TREE_NODES_MAX,
            max_aliases: TREE_ALIASES_MAX,
            max_depth: DEPTH_MAX,
            flow_nesting_limit: DEPTH_MAX,
            max_documents: 1,
        },
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
    };
    let mut tree = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let why = over_budget(&error).unwrap_or_else(|| {
            let said = error.without_snippet().to_string();
            let first = said.lines().next().unwrap_or_default();
            first.split(" at line ").next().unwrap_or(first).trim().to_owned()
        });
        // The reader has one error for all that is wrong with the form.
        let in_flow = why.contains("flow");
        Misread { at: error.location().map(place), why, in_flow }
    })?;
    written::keep(&mut tree, text);
    Ok(tree)
}

/// Writes a value as YAML text.
///
/// # Errors
/// Fails when the value has a form YAML cannot hold.
pub fn write<T: Serialize>(value: &T) -> Result<String, YamlError> {
    serde_saphyr::to_string(value).map_err(|error| YamlError::Invalid(error.to_string()))
}

/// Where something stands in a text: line and column, from 1; 0 where it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl Place {
    /// The start of a line.
    #[must_use]
    pub fn line(line: u32) -> Self {
        Self { line, column: 1 }
    }
}

/// A value with the place of its first character.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// Where it stands.
    pub at: Place,
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
    /// A whole number past 64 bits: its digits.
    Whole(String),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Located>),
    /// A mapping in the order of the file: key, the key's place, value.
    Map(Vec<(String, Place, Located)>),
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<Plain>::deserialize(deserializer)?;
        Ok(Self { at: place(spanned.referenced), value: spanned.value })
    }
}

fn place(location: serde_saphyr::Location) -> Place {
    let short = |number| u32::try_from(number).unwrap_or(0);
    Place { line: short(location.line()), column: short(location.column()) }
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

            fn visit_u64<E>(self, value: u64) -> Result<Plain, E> {
                Ok(i64::try_from(value).map_or_else(|_| Plain::Whole(value.to_string()), Plain::Int))
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
                    map.push((key.value, place(key.referenced), pairs.next_value()?));
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
        assert!(matches!(read::<String>(&"x".repeat(SIZE_MAX + 1)), Err(YamlError::TooLarge(..))));
        assert_eq!(read_large::<String>(&"x".repeat(SIZE_MAX + 1)).unwrap().len(), SIZE_MAX + 1);
    }

    #[test]
    fn what_is_made_to_grow_or_to_nest_without_end_is_refused() {
        // 15 kB that stand for nine million values: aliases side by side, no one of them deep.
        let flat = format!("a: &a [{}]\nb: [{}]\n", vec!["x"; 3000].join(","), vec!["*a"; 3000].join(","));
        let nested = "[".repeat(5_000) + &"]".repeat(5_000);
        let maps = "{a: ".repeat(5_000) + "1" + &"}".repeat(5_000);
        // Half a megabyte that is said two thousand times, among as many anchors as hide that.
        let anchors: String = (0..2_000).map(|number| format!("k{number}: &k{number} x\n")).collect();
        let said = format!("{anchors}a: &a {}\nb: [{}]\n", "x".repeat(500_000), "*a,".repeat(2_000));
        let merged = format!("a: &a {{{}}}\nb:\n{}", "x: 1, ".repeat(1_000), "  - {<<: *a}\n".repeat(300));
        let lines = format!("{anchors}a: &a |\n{}b: [{}]\n", "  text\n".repeat(60_000), "*a,".repeat(1_900));
        for text in [flat, nested, maps, said, merged, lines] {
            assert!(read::<Located>(&text).is_err(), "{}", &text[..40]);
            assert!(read_large::<serde_json::Value>(&text).is_err(), "{}", &text[..40]);
            assert!(tree(&text).is_err(), "{}", &text[..40]);
        }
    }

    #[test]
    fn values_know_their_lines() {
        let text = "# settings\nrecord:\n  limit: 5\n\n  targets:\n    - shop.*\n    - 3\nnetwork: off\n";
        let Ok(Located { value: Plain::Map(map), .. }) = read::<Located>(text) else { unreachable!("it is a mapping") };
        let at = |line, column| Place { line, column };
        let record = Plain::Map(vec![
            ("limit".into(), at(3, 3), Located { at: at(3, 10), value: Plain::Int(5) }),
            (
                "targets".into(),
                at(5, 3),
                Located {
                    at: at(6, 5),
                    value: Plain::List(vec![
                        Located { at: at(6, 7), value: Plain::Text("shop.*".into()) },
                        Located { at: at(7, 7), value: Plain::Int(3) },
                    ]),
                },
            ),
        ]);
        assert_eq!(map[0], ("record".into(), at(2, 1), Located { at: at(3, 3), value: record }));
        assert_eq!(map[1].2, Located { at: at(8, 10), value: Plain::Bool(false) }, "YAML 1.1 words are what they were");
        assert!(read::<Located>("a: 1\na: 2\n").is_err(), "a key twice is a mistake");
    }

    #[test]
    fn a_tree_keeps_a_key_that_stands_twice_and_says_where_reading_stopped() {
        let Ok(Located { value: Plain::Map(map), .. }) = tree("a: 1\nb: 2\na: 3\n") else { unreachable!("it is a mapping") };
        assert_eq!(map.iter().map(|(key, at, _)| (key.as_str(), at.line)).collect::<Vec<_>>(), [("a", 1), ("b", 2), ("a", 3)]);
        let Ok(Located { value: Plain::Map(map), .. }) = tree("a: {b: n, c: yes}\nd: [y, 'n', off]\n") else { unreachable!() };
        let text = |text: &str| Plain::Text(text.into());
        let Plain::Map(inner) = &map[0].2.value else { unreachable!("it is a mapping") };
        assert_eq!((&inner[0].2.value, &inner[1].2.value), (&text("n"), &Plain::Bool(true)), "as Python reads them");
        let Plain::List(items) = &map[1].2.value else { unreachable!("it is a list") };
        assert_eq!(items.iter().map(|item| &item.value).collect::<Vec<_>>(), [&text("y"), &text("n"), &Plain::Bool(false)]);
        let misread = tree("a: [1, 2\nb: 3\n").err();
        assert!(misread.as_ref().is_some_and(|misread| misread.at.is_some() && !misread.why.contains("line")), "{misread:?}");
        let bombs = [
            "[".repeat(5_000),
            format!("a: &a [{}]\nb: [{}]\n", "x,".repeat(60), "*a,".repeat(2_000)),
            format!("{}x", "- ".repeat(5_000)),
            "x: 1\n---\ny: 2\n".to_owned(),
            format!("a: \"{}\"", "x".repeat(SIZE_MAX)),
        ];
        for bomb in bombs {
            assert!(tree(&bomb).is_err(), "{}", &bomb[..40.min(bomb.len())]);
        }
    }

    #[test]
    fn what_is_over_a_budget_is_told_in_words_with_what_to_do() {
        let aliases = |count| format!("a: &a x\nb: [{}]\n", "*a,".repeat(count));
        let cases = [
            (format!("a: [{}]\n", "x,".repeat(60_000)), "values are read, each alias counted"),
            (format!("a: &a [{}]\nb: [{}]\n", "x,".repeat(3_000), "*a,".repeat(90)), "each alias counted with all it stands for"),
            (aliases(101), "at most 100 aliases (`*name`) are read"),
            ("[".repeat(40) + &"]".repeat(40), "values may stand in values 32 deep"),
            ("- ".repeat(40), "values may stand in values 32 deep"),
            ("<<: {a: 1}\n".repeat(11_000), "it is larger than what is read"),
            ("x: 1\n---\ny: 2\n".to_owned(), "a file holds one document"),
            (format!("a: \"{}\"", "x".repeat(SIZE_MAX)), "at most 1048576 are read"),
        ];
        let told = |why: &str, part: &str| {
            assert!(why.contains(part), "{part}: {why}");
            assert!(!why.contains(['{', '}']) && !why.ends_with('.') && !why.contains('\n'), "{why}");
        };
        for (text, part) in &cases {
            told(&tree(text).map_err(|misread| misread.why).unwrap_err(), part);
        }
        let read = |text: &str| read::<Located>(text).map_err(|error| error.to_string()).unwrap_err();
        told(&read(&aliases(200)), "line 3 column 1: it has 200 aliases (`*name`) of 1 anchor (`&name`)");
        for (text, part) in
            cases.iter().filter(|(_, part)| !part.starts_with("values are read") && !part.contains("at most 100 "))
        {
            told(&read(text), part);
        }
    }

    #[test]
    fn a_mistake_names_its_line() {
        let error = read::<BTreeMap<String, i32>>("a: 1\nb: two\n").map_err(|e| e.to_string());
        assert!(error.as_ref().is_err_and(|text| text.contains("line 2")), "{error:?}");
    }
}
