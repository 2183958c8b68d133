//! Hashes that resist an attacker, and signatures with a secret of this user: the only home of `ring`.
//!
//! For what only has to be told apart, `hash.rs` is faster.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};

/// Bytes of a user's secret.
const SECRET: usize = 32;

/// SHA-256 of bytes that come one after the other.
#[derive(Clone)]
pub struct Sha256(digest::Context);

impl Default for Sha256 {
    fn default() -> Self {
        Self(digest::Context::new(&digest::SHA256))
    }
}

impl Sha256 {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Gives the hash of all bytes so far as 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(self.0.clone().finish().as_ref())
    }
}

/// Hashes parts, so that `["ab", "c"]` and `["a", "bc"]` differ; 64 hexadecimal digits.
#[must_use]
pub fn sha256(parts: &[&[u8]]) -> String {
    let mut sum = Sha256::default();
    for part in parts {
        sum.update(&(part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    sum.hex()
}

/// A secret of this user: what is signed with it was written by this user on this machine.
pub struct Secret(hmac::Key);

impl Secret {
    /// Reads the secret in a file, or makes one that only its owner can read.
    ///
    /// # Errors
    /// When it cannot be read or made, or is not one.
    pub fn in_file(path: &Path) -> io::Result<Self> {
        match File::open(path) {
            Ok(file) => return Self::read(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut bytes = [0; SECRET];
        SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("the system gives no random bytes"))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&bytes)?;
        match new.persist_noclobber(path) {
            Ok(_) => Ok(Self::of(&bytes)),
            // Another process was first.
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Self::read(File::open(path)?),
            Err(error) => Err(error.error),
        }
    }

    fn read(file: File) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.take(SECRET as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() == SECRET { Ok(Self::of(&bytes)) } else { Err(io::Error::other("its key is not one of ours")) }
    }

    fn of(bytes: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// Signs bytes; 64 hexadecimal digits.
    #[must_use]
    pub fn sign(&self, bytes: &[u8]) -> String {
        hex(hmac::sign(&self.0, bytes).as_ref())
    }

    /// Tells whether bytes were signed with this secret.
    #[must_use]
    pub fn signed(&self, bytes: &[u8], signature: &str) -> bool {
        unhex(signature).is_some_and(|tag| hmac::verify(&self.0, bytes, &tag).is_ok())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn hashes_are_sha256_and_parts_do_not_run_together() {
        let mut sum = Sha256::default();
        sum.update(b"a");
        sum.update(b"bc");
        assert_eq!(sum.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_ne!(sha256(&[b"ab", b"c"]), sha256(&[b"a", b"bc"]));
    }

    #[test]
    fn only_what_this_user_signed_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let secret = Secret::in_file(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let signature = secret.sign(b"PASS");
        let again = Secret::in_file(&path).unwrap();
        assert!(again.signed(b"PASS", &signature) && !again.signed(b"FAIL", &signature));
        for odd in ["", "0", "zz", &signature[2..], "é"] {
            assert!(!again.signed(b"PASS", odd), "{odd}");
        }
        let other = Secret::in_file(&folder.path().join("other")).unwrap();
        assert!(!other.signed(b"PASS", &signature));
        std::fs::write(folder.path().join("short"), "x").unwrap();
        assert!(Secret::in_file(&folder.path().join("short")).is_err());
    }
}
