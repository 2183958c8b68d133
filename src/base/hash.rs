//! Content hashes: fast and stable across runs and machines; no claim to resist an attacker.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// A 64-bit content hash, written as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub u64);

/// Hashes bytes.
#[must_use]
pub fn of(bytes: &[u8]) -> Digest {
    Digest(xxhash_rust::xxh3::xxh3_64(bytes))
}

/// Hashes a sequence of parts, so that `["ab", "c"]` and `["a", "bc"]` differ.
#[derive(Default)]
pub struct Hasher(Xxh3);

impl Hasher {
    /// Adds one part.
    pub fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Gives the hash of the parts so far.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest(self.0.digest())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::str::FromStr for Digest {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let hash = |parts: &[&str]| {
            let mut hasher = Hasher::default();
            for part in parts {
                hasher.part(part.as_bytes());
            }
            hasher.digest()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_eq!(hash(&["ab", "c"]), hash(&["ab", "c"]));
    }

    #[test]
    fn a_digest_survives_its_text_form() {
        let digest = of(b"total");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(digest.to_string().len(), 16);
    }
}
