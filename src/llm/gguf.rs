//! Reads the head of a GGUF file and refuses what is malformed, before llama.cpp gets to see it.
//!
//! Everything a loader takes on trust is checked against the file's own size: lengths, counts, types, products of
//! dimensions, places of tensors. Weights are not read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::base::text::{cut, display_line};

const KEYS_MAX: u64 = 1 << 16;
const TENSORS_MAX: u64 = 1 << 16;
const STRING_MAX: u64 = 1 << 20;
const ITEMS_MAX: u64 = 1 << 24;
const NAME_MAX: u64 = 64;
const DIMENSIONS_MAX: u32 = 4;
const ALIGNMENT: u64 = 32;
/// Bytes in front of the weights: vocabularies of a quarter of a million tokens take a tenth of it.
const HEAD_MAX: u64 = 256 << 20;
/// The texts that anything here looks at; others are read over.
const TEXTS: [&str; 2] = ["general.architecture", "general.name"];
/// Columns shown of a name that stands in the file.
const SHOWN: usize = 60;

/// Types of tensors: number, values of a block, bytes of a block.
const TYPES: &[(u32, u64, u64)] = &[
    (0, 1, 4),
    (1, 1, 2),
    (2, 32, 18),
    (3, 32, 20),
    (6, 32, 22),
    (7, 32, 24),
    (8, 32, 34),
    (9, 32, 36),
    (10, 256, 84),
    (11, 256, 110),
    (12, 256, 144),
    (13, 256, 176),
    (14, 256, 210),
    (15, 256, 292),
    (16, 256, 66),
    (17, 256, 74),
    (18, 256, 98),
    (19, 256, 50),
    (20, 32, 18),
    (21, 256, 110),
    (22, 256, 82),
    (23, 256, 136),
    (24, 1, 1),
    (25, 1, 2),
    (26, 1, 4),
    (27, 1, 8),
    (28, 1, 8),
    (29, 256, 56),
    (30, 1, 2),
    (34, 256, 54),
    (35, 256, 66),
    (39, 32, 17),
];

/// Arrays that loaders read as one type whatever the file says, and that type.
const ARRAYS: &[(&str, u32)] = &[
    ("tokenizer.ggml.tokens", kind::STRING),
    ("tokenizer.ggml.merges", kind::STRING),
    ("tokenizer.ggml.scores", kind::F32),
    ("tokenizer.ggml.token_type", kind::I32),
];

/// Types of values.
mod kind {
    pub(super) const U32: u32 = 4;
    pub(super) const I32: u32 = 5;
    pub(super) const F32: u32 = 6;
    pub(super) const BOOL: u32 = 7;
    pub(super) const STRING: u32 = 8;
    pub(super) const ARRAY: u32 = 9;
    pub(super) const U64: u32 = 10;
}

/// What the head of a model says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gguf {
    /// The family of models: `qwen3`, `llama`.
    pub architecture: String,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Tokens of context it was trained with.
    pub context: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of working memory that a token of context takes.
    pub per_token: u64,
}

/// What is wrong with a file.
#[derive(Debug)]
enum Wrong {
    Io(std::io::Error),
    Form(String),
}

impl From<std::io::Error> for Wrong {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Self::Form("it ends in the middle of its head".into()),
            _ => Self::Io(error),
        }
    }
}

impl Gguf {
    /// Reads and checks the head of a file.
    ///
    /// # Errors
    /// Fails with a sentence when the file cannot be read, is no GGUF, is malformed or not whole.
    pub fn read(path: &Path) -> Result<Self, Trouble> {
        let shown = display_line(&tilde(path)).into_owned();
        let unreadable = |error: std::io::Error| {
            Trouble::environment(format!("The model {shown} cannot be read.")).because(format!("{error}."))
        };
        let file = File::open(path).map_err(unreadable)?;
        let meta = file.metadata().map_err(unreadable)?;
        if !meta.is_file() {
            return Err(Trouble::usage(format!("{shown} is no file.")).so("Name a .gguf file."));
        }
        Head::read(BufReader::new(file), meta.len()).map_err(|wrong| match wrong {
            Wrong::Io(error) => unreadable(error),
            Wrong::Form(why) => Trouble::environment(format!("{shown} is no model that can be loaded: {why}."))
                .so("Get it again: pytead-tui model get."),
        })
    }
}

/// A value of the head, as far as anything here looks at it.
enum Value {
    Number(u64),
    Text(String),
    Items(u32, u64),
    Other,
}

/// The head while it is read.
struct Head<R> {
    input: R,
    /// Bytes read so far.
    at: u64,
    size: u64,
}

impl<R: Read> Head<R> {
    fn read(input: R, size: u64) -> Result<Gguf, Wrong> {
        let mut head = Self { input, at: 0, size };
        if &head.bytes::<4>()? != b"GGUF" {
            return Err(wrong("it is no GGUF file"));
        }
        let version = head.u32()?;
        if !(2..=3).contains(&version) {
            return Err(wrong(format!("it is of version {version}, and 2 and 3 are known")));
        }
        let (tensors, keys) = (head.count(TENSORS_MAX, "tensors")?, head.count(KEYS_MAX, "keys")?);
        if tensors == 0 {
            return Err(wrong("it has no tensors"));
        }
        let mut values = BTreeMap::new();
        for _ in 0..keys {
            let key = head.string(NAME_MAX * 4)?;
            let value = head.value(&key)?;
            if values.insert(key.clone(), value).is_some() {
                return Err(wrong(format!("{} stands in it twice", shown(&key))));
            }
        }
        let values = Values(values);
        values.check_tokens()?;
        let alignment = values.number("general.alignment").unwrap_or(ALIGNMENT);
        if !alignment.is_power_of_two() || !(8..=1 << 16).contains(&alignment) {
            return Err(wrong(format!("its tensors are aligned to {alignment}")));
        }
        let mut places = Vec::new();
        for _ in 0..tensors {
            places.push(head.tensor(alignment)?);
        }
        head.check_places(places, alignment)?;
        values.describe(size)
    }

    /// Reads where a tensor lies: its first byte behind the head, and its length.
    fn tensor(&mut self, alignment: u64) -> Result<(u64, u64), Wrong> {
        let name = self.string(NAME_MAX)?;
        let dimensions = self.u32()?;
        if dimensions == 0 || dimensions > DIMENSIONS_MAX {
            return Err(wrong(format!("the tensor {} has {dimensions} dimensions", shown(&name))));
        }
        let sizes = (0..dimensions).map(|_| self.u64()).collect::<Result<Vec<_>, _>>()?;
        let (number, offset) = (self.u32()?, self.u64()?);
        let Some((_, block, bytes)) = TYPES.iter().find(|(known, ..)| *known == number) else {
            return Err(wrong(format!("the tensor {} is of the unknown type {number}", shown(&name))));
        };
        let length = sizes
            .iter()
            .try_fold(1_u64, |product, size| product.checked_mul(*size).filter(|product| *product <= i64::MAX as u64))
            .filter(|values| *values > 0 && sizes.first().is_some_and(|row| row % block == 0))
            .and_then(|values| (values / block).checked_mul(*bytes))
            .ok_or_else(|| wrong(format!("the tensor {} has impossible sizes", shown(&name))))?;
        if offset % alignment != 0 {
            return Err(wrong(format!("the tensor {} is not aligned", shown(&name))));
        }
        Ok((offset, length))
    }

    /// Checks that the tensors lie in the file, one behind the other.
    fn check_places(&self, mut places: Vec<(u64, u64)>, alignment: u64) -> Result<(), Wrong> {
        let start = self.at.next_multiple_of(alignment);
        places.sort_unstable();
        let mut free = 0;
        for (offset, length) in places {
            if offset < free {
                return Err(wrong("its tensors overlap"));
            }
            free = offset.checked_add(length).ok_or_else(|| wrong("a tensor ends beyond all files"))?;
        }
        match start.checked_add(free) {
            Some(end) if end <= self.size => Ok(()),
            Some(end) => Err(wrong(format!("it is not whole: {} of {end} bytes are here", self.size))),
            None => Err(wrong("a tensor ends beyond all files")),
        }
    }

    fn value(&mut self, key: &str) -> Result<Value, Wrong> {
        let kind = self.u32()?;
        Ok(match kind {
            kind::U32 => Value::Number(self.u32()?.into()),
            kind::U64 => Value::Number(self.u64()?),
            kind::STRING => {
                let text = self.string(STRING_MAX)?;
                if TEXTS.contains(&key) { Value::Text(text) } else { Value::Other }
            }
            kind::ARRAY => {
                let (items, count) = (self.u32()?, self.count(ITEMS_MAX, "items of an array")?);
                if let Some((_, wanted)) = ARRAYS.iter().find(|(name, _)| *name == key)
                    && items != *wanted
                {
                    return Err(wrong(format!("{} holds items of another type", shown(key))));
                }
                for _ in 0..count {
                    if items == kind::STRING {
                        self.string(STRING_MAX)?;
                    } else {
                        self.skip_number(items, key)?;
                    }
                }
                Value::Items(items, count)
            }
            other => {
                self.skip_number(other, key)?;
                Value::Other
            }
        })
    }

    fn skip_number(&mut self, kind: u32, key: &str) -> Result<(), Wrong> {
        match kind {
            0 | 1 => drop(self.bytes::<1>()?),
            kind::BOOL => {
                if self.bytes::<1>()?[0] > 1 {
                    return Err(wrong(format!("{} is neither true nor false", shown(key))));
                }
            }
            2 | 3 => drop(self.bytes::<2>()?),
            kind::U32 | kind::I32 | kind::F32 => drop(self.bytes::<4>()?),
            kind::U64..=12 => drop(self.bytes::<8>()?),
            other => return Err(wrong(format!("{} is of the unknown type {other}", shown(key)))),
        }
        Ok(())
    }

    fn count(&mut self, most: u64, what: &str) -> Result<u64, Wrong> {
        let count = self.u64()?;
        // The least that one of them takes is a byte.
        if count > most || count > self.size {
            return Err(wrong(format!("it claims to have {count} {what}")));
        }
        Ok(count)
    }

    fn string(&mut self, most: u64) -> Result<String, Wrong> {
        let length = self.u64()?;
        if length > most {
            return Err(wrong(format!("a text in it claims to have {length} bytes")));
        }
        self.passed(length)?;
        let mut bytes = Vec::new();
        self.input.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        // Vocabularies hold bytes that are no UTF-8; what is shown of them is not compared.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        self.passed(N as u64)?;
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Counts what is read next: a head without an end is not read to its end.
    fn passed(&mut self, bytes: u64) -> Result<(), Wrong> {
        self.at += bytes;
        if self.at > HEAD_MAX {
            return Err(wrong(format!("what stands before its weights is larger than {} MiB", HEAD_MAX >> 20)));
        }
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, Wrong> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, Wrong> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }
}

/// The values of a head by their keys.
struct Values(BTreeMap<String, Value>);

impl Values {
    fn number(&self, key: &str) -> Option<u64> {
        match self.0.get(key)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self, key: &str) -> Option<(u32, u64)> {
        match self.0.get(key)? {
            Value::Items(kind, count) => Some((*kind, *count)),
            _ => None,
        }
    }

    /// Checks that the tables of the vocabulary go together.
    fn check_tokens(&self) -> Result<(), Wrong> {
        let tokens = match self.items("tokenizer.ggml.tokens") {
            Some((kind::STRING, tokens)) if tokens > 0 => tokens,
            _ => return Err(wrong("it has no vocabulary")),
        };
        for (table, _) in &ARRAYS[2..] {
            if self.0.contains_key(*table) && self.items(table).map(|(_, count)| count) != Some(tokens) {
                return Err(wrong(format!("{table} does not fit the vocabulary")));
            }
        }
        for (key, value) in self.0.iter().filter(|(key, _)| key.starts_with("tokenizer.") && key.ends_with("_token_id")) {
            if !matches!(value, Value::Number(id) if *id < tokens) {
                return Err(wrong(format!("{} is no token of it", shown(key))));
            }
        }
        Ok(())
    }

    fn describe(&self, bytes: u64) -> Result<Gguf, Wrong> {
        let architecture = self.text("general.architecture").ok_or_else(|| wrong("it does not say what it is"))?;
        let own = |key: &str| self.number(&format!("{architecture}.{key}"));
        let needed = |key: &str| {
            own(key)
                .filter(|number| (1..=1 << 24).contains(number))
                .ok_or_else(|| wrong(format!("{} is missing or impossible", shown(&format!("{architecture}.{key}")))))
        };
        let (context, layers, width) = (needed("context_length")?, needed("block_count")?, needed("embedding_length")?);
        // Some families give the heads of each layer, others none: then the whole width counts, which is the most.
        let heads = own("attention.head_count").filter(|heads| *heads > 0).unwrap_or(1);
        let kept = own("attention.head_count_kv").filter(|kept| (1..=heads).contains(kept)).unwrap_or(heads);
        let length = own("attention.key_length").filter(|length| *length <= width).unwrap_or(width / heads);
        let per_token = layers.saturating_mul(kept).saturating_mul(length).saturating_mul(4);
        let shown = |text: &str| cut(&display_line(text), SHOWN).into_owned();
        Ok(Gguf { architecture: shown(architecture), name: self.text("general.name").map(shown), context, bytes, per_token })
    }
}

fn wrong(why: impl Into<String>) -> Wrong {
    Wrong::Form(why.into())
}

fn shown(name: &str) -> String {
    cut(&display_line(name), SHOWN).into_owned()
}

#[cfg(test)]
mod tests;
