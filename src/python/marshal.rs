//! Python's marshal format, version 2: bytes to trees of plain data and back.
//!
//! Knows the format alone; what tagged tuples stand for is `value.rs`. Every byte is taken for hostile: depth, lengths and
//! the number of nodes are bounded, and nothing in a stream makes code, classes or references.

use thiserror::Error;

/// Containers may be nested this deep.
pub const DEPTH_MAX: usize = 200;
/// One stream may hold this many nodes.
pub const NODES_MAX: usize = 1_000_000;
/// An integer may have this many digits of 15 bits: 20 kB, more than the recorder keeps of a call.
const DIGITS_MAX: usize = 10_000;

/// Why bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("The data ends at byte {0}, inside a value.")]
    Truncated(usize),
    /// A type code that marshal version 2 does not write for plain data.
    #[error("Byte {at} is {code:#04x}, which is no plain value.")]
    Code { code: u8, at: usize },
    /// Nested too deeply.
    #[error("The value is nested more than {DEPTH_MAX} levels deep.")]
    TooDeep,
    /// Too many nodes.
    #[error("The value has more than {NODES_MAX} parts.")]
    TooLarge,
    /// Bytes after the value.
    #[error("The value ends at byte {0}, and more follows.")]
    Trailing(usize),
    /// A value that reads well and does not have the form it should have.
    #[error("The data does not have the expected form: {0}.")]
    Form(String),
}

impl DecodeError {
    /// Makes an error about the form of well-formed data.
    pub fn form(what: impl Into<String>) -> Self {
        Self::Form(what.into())
    }
}

/// Data as marshal knows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// `None`
    None,
    /// `StopIteration`, the mark at the start of a tagged tuple.
    Mark,
    /// `...`
    Ellipsis,
    /// `True` or `False`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other integer, in decimal.
    BigInt(String),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
    /// A string.
    Str(String),
    /// A string with lone surrogates, as `surrogatepass` UTF-8.
    RawStr(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Tree>),
    /// A list.
    List(Vec<Tree>),
    /// A set.
    Set(Vec<Tree>),
    /// A frozen set.
    FrozenSet(Vec<Tree>),
    /// A dict in its order.
    Dict(Vec<(Tree, Tree)>),
}

/// Reads one value that fills the bytes.
///
/// # Errors
/// When the bytes are not one whole value of plain data within the limits.
pub fn decode(bytes: &[u8]) -> Result<Tree, DecodeError> {
    let mut reader = Reader { bytes, at: 0, nodes: 0 };
    let tree = reader.tree(0)?;
    if reader.at < bytes.len() { Err(DecodeError::Trailing(reader.at)) } else { Ok(tree) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..length)).ok_or(DecodeError::Truncated(self.at))?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let at = self.at;
        self.take(N)?.try_into().map_err(|_| DecodeError::Truncated(at))
    }

    fn spend(&mut self, nodes: usize) -> Result<(), DecodeError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > NODES_MAX { Err(DecodeError::TooLarge) } else { Ok(()) }
    }

    /// Reads a length; a part of it takes at least one byte, so it can never exceed what is left.
    fn length(&mut self) -> Result<usize, DecodeError> {
        let length = usize::try_from(i32::from_le_bytes(self.array()?)).map_err(|_| DecodeError::Truncated(self.at))?;
        if length > self.bytes.len() - self.at { Err(DecodeError::Truncated(self.at)) } else { Ok(length) }
    }

    fn float(&mut self) -> Result<f64, DecodeError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Tree>, DecodeError> {
        let length = self.length()?;
        self.spend(length)?;
        (0..length).map(|_| self.tree(depth + 1)).collect()
    }

    fn tree(&mut self, depth: usize) -> Result<Tree, DecodeError> {
        if depth > DEPTH_MAX {
            return Err(DecodeError::TooDeep);
        }
        let at = self.at;
        let [code] = self.array()?;
        Ok(match code {
            b'N' => Tree::None,
            b'S' => Tree::Mark,
            b'.' => Tree::Ellipsis,
            b'T' => Tree::Bool(true),
            b'F' => Tree::Bool(false),
            b'i' => Tree::Int(i64::from(i32::from_le_bytes(self.array()?))),
            b'l' => self.long()?,
            b'g' => Tree::Float(self.float()?),
            b'y' => Tree::Complex(self.float()?, self.float()?),
            b'u' => {
                let length = self.length()?;
                let bytes = self.take(length)?.to_vec();
                String::from_utf8(bytes).map_or_else(|error| Tree::RawStr(error.into_bytes()), Tree::Str)
            }
            b's' => {
                let length = self.length()?;
                Tree::Bytes(self.take(length)?.to_vec())
            }
            b'(' => Tree::Tuple(self.items(depth)?),
            b'[' => Tree::List(self.items(depth)?),
            b'<' => Tree::Set(self.items(depth)?),
            b'>' => Tree::FrozenSet(self.items(depth)?),
            b'{' => Tree::Dict(self.pairs(depth)?),
            code => return Err(DecodeError::Code { code, at }),
        })
    }

    fn pairs(&mut self, depth: usize) -> Result<Vec<(Tree, Tree)>, DecodeError> {
        let mut pairs = Vec::new();
        while self.bytes.get(self.at) != Some(&b'0') {
            self.spend(2)?;
            let key = self.tree(depth + 1)?;
            pairs.push((key, self.tree(depth + 1)?));
        }
        self.at += 1;
        Ok(pairs)
    }

    /// Reads an integer of any size: a signed count of 15-bit digits, the lowest first.
    fn long(&mut self) -> Result<Tree, DecodeError> {
        let count = i32::from_le_bytes(self.array()?);
        let length = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        if length > DIGITS_MAX {
            return Err(DecodeError::TooLarge);
        }
        // Turning binary into decimal takes time by the square of the length; the budget of nodes pays for it.
        self.spend(length * length / 1024)?;
        let bytes = self.take(length * 2)?;
        let digits: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]) & 0x7fff).collect();
        let small = digits.iter().rev().try_fold(0_i128, |sum, digit| {
            let sum = sum.checked_mul(0x8000)? + i128::from(*digit);
            (sum <= 1 << 64).then_some(sum)
        });
        let small = small.and_then(|size| i64::try_from(if count < 0 { -size } else { size }).ok());
        Ok(small.map_or_else(|| Tree::BigInt(decimal(&digits, count < 0)), Tree::Int))
    }
}

/// Writes 15-bit digits, the lowest first, in decimal.
fn decimal(digits: &[u16], negative: bool) -> String {
    const CHUNK: u64 = 1_000_000_000;
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.iter().rev() {
        let mut carry = u64::from(*digit);
        for limb in &mut limbs {
            carry += *limb << 15;
            *limb = carry % CHUNK;
            carry /= CHUNK;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut text = String::from(if negative { "-" } else { "" });
    for (index, limb) in limbs.iter().rev().enumerate() {
        text.push_str(&if index == 0 { limb.to_string() } else { format!("{limb:09}") });
    }
    text
}

/// Reads decimal into 15-bit digits, the lowest first.
fn binary(text: &str) -> Vec<u16> {
    let decimals: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let mut digits: Vec<u16> = Vec::new();
    for chunk in decimals.chunks(9) {
        let (factor, mut carry) =
            chunk.iter().fold((1_u64, 0_u64), |(factor, sum), byte| (factor * 10, sum * 10 + u64::from(byte - b'0')));
        for digit in &mut digits {
            carry += u64::from(*digit) * factor;
            *digit = (carry & 0x7fff) as u16;
            carry >>= 15;
        }
        while carry > 0 {
            digits.push((carry & 0x7fff) as u16);
            carry >>= 15;
        }
    }
    digits
}

/// Writes marshal version 2, byte for byte as Python does.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Gives the bytes.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    /// Writes `None`.
    pub fn none(&mut self) {
        self.0.push(b'N');
    }

    /// Writes the mark at the start of a tagged tuple.
    pub fn mark(&mut self) {
        self.0.push(b'S');
    }

    /// Writes `...`.
    pub fn ellipsis(&mut self) {
        self.0.push(b'.');
    }

    /// Writes a truth value.
    pub fn bool(&mut self, value: bool) {
        self.0.push(if value { b'T' } else { b'F' });
    }

    /// Writes an integer.
    pub fn int(&mut self, value: i64) {
        match i32::try_from(value) {
            Ok(small) => {
                self.0.push(b'i');
                self.0.extend(small.to_le_bytes());
            }
            Err(_) => {
                let mut rest = value.unsigned_abs();
                let mut digits = Vec::with_capacity(5);
                while rest > 0 {
                    digits.push((rest & 0x7fff) as u16);
                    rest >>= 15;
                }
                self.digits(&digits, value < 0);
            }
        }
    }

    /// Writes a number that is never negative, such as an ordinal or a position.
    pub fn natural(&mut self, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.int(value),
            Err(_) => self.big_int(&value.to_string()),
        }
    }

    /// Writes an integer given in decimal.
    pub fn big_int(&mut self, text: &str) {
        match text.parse() {
            Ok(value) => self.int(value),
            Err(_) => self.digits(&binary(text), text.starts_with('-')),
        }
    }

    fn digits(&mut self, digits: &[u16], negative: bool) {
        let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        self.0.push(b'l');
        self.0.extend((if negative { -count } else { count }).to_le_bytes());
        for digit in digits {
            self.0.extend(digit.to_le_bytes());
        }
    }

    /// Writes a float.
    pub fn float(&mut self, value: f64) {
        self.0.push(b'g');
        self.0.extend(value.to_le_bytes());
    }

    /// Writes a complex number.
    pub fn complex(&mut self, real: f64, imaginary: f64) {
        self.0.push(b'y');
        self.0.extend(real.to_le_bytes());
        self.0.extend(imaginary.to_le_bytes());
    }

    /// Writes a string.
    pub fn str(&mut self, text: &str) {
        self.raw_str(text.as_bytes());
    }

    /// Writes a string given as `surrogatepass` UTF-8.
    pub fn raw_str(&mut self, bytes: &[u8]) {
        self.head(b'u', bytes.len());
        self.0.extend(bytes);
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.head(b's', bytes.len());
        self.0.extend(bytes);
    }

    /// Begins a tuple; its items follow.
    pub fn tuple(&mut self, length: usize) {
        self.head(b'(', length);
    }

    /// Begins a list; its items follow.
    pub fn list(&mut self, length: usize) {
        self.head(b'[', length);
    }

    /// Begins a set; its items follow.
    pub fn set(&mut self, length: usize) {
        self.head(b'<', length);
    }

    /// Begins a frozen set; its items follow.
    pub fn frozen_set(&mut self, length: usize) {
        self.head(b'>', length);
    }

    /// Begins a dict; keys and values follow in turn, then [`Self::end_dict`].
    pub fn begin_dict(&mut self) {
        self.0.push(b'{');
    }

    /// Ends a dict.
    pub fn end_dict(&mut self) {
        self.0.push(b'0');
    }

    fn head(&mut self, code: u8, length: usize) {
        self.0.push(code);
        self.0.extend(i32::try_from(length).unwrap_or(i32::MAX).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_of_any_size_keep_their_digits() {
        for text in
            ["9223372036854775808", "-9223372036854775809", "1180591620717411303424", "-100000000000000000000000000000000000"]
        {
            let mut writer = Writer::default();
            writer.big_int(text);
            assert_eq!(decode(&writer.finish()), Ok(Tree::BigInt(text.into())));
        }
        for number in [i64::MIN, i64::MAX, 0, -1, 1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 15, 1 << 30] {
            let mut writer = Writer::default();
            writer.int(number);
            assert_eq!(decode(&writer.finish()), Ok(Tree::Int(number)));
        }
    }

    #[test]
    fn a_lying_length_costs_nothing() {
        assert_eq!(decode(b"(\xff\xff\xff\x7fN"), Err(DecodeError::Truncated(5)));
        assert_eq!(decode(b"[\xff\xff\xff\xff"), Err(DecodeError::Truncated(5)));
        assert_eq!(decode(b"l\xff\xff\xff\x7f"), Err(DecodeError::TooLarge));
        assert_eq!(decode(b"l\x00\x00\x00\x80"), Err(DecodeError::TooLarge));
        assert_eq!(decode(b""), Err(DecodeError::Truncated(0)));
        assert_eq!(decode(b"{N"), Err(DecodeError::Truncated(2)));
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |levels: usize| [b"[\x01\x00\x00\x00".repeat(levels), b"N".to_vec()].concat();
        assert!(decode(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(decode(&nested(DEPTH_MAX + 1)), Err(DecodeError::TooDeep));
        assert_eq!(decode(&nested(1_000_000)), Err(DecodeError::TooDeep));
        let count = NODES_MAX + 1;
        let mut wide = b"[".to_vec();
        wide.extend(u32::try_from(count).unwrap().to_le_bytes());
        wide.resize(5 + count, b'N');
        assert_eq!(decode(&wide), Err(DecodeError::TooLarge));
        let mut dict = b"{".to_vec();
        dict.resize(1 + count, b'N');
        assert_eq!(decode(&dict), Err(DecodeError::TooLarge));
    }

    #[test]
    fn code_references_and_what_follows_the_value_are_refused() {
        for code in *b"crRItaAzZ):?\xe9" {
            assert_eq!(decode(&[code, 0, 0, 0, 0, 0]), Err(DecodeError::Code { code, at: 0 }));
        }
        assert_eq!(decode(b"NN"), Err(DecodeError::Trailing(1)));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn random_codes_never_panic(bytes in proptest::collection::vec(
            proptest::sample::select(b"NFTS.ilgyus([{<>0\x00\x01\x02\xff\x80".to_vec()), 0..200)) {
            let _ = decode(&bytes);
        }
    }
}
