//! What was read of a project's files, kept between starts: a file of the same bytes is not parsed again.
//!
//! The form is a line that names who made it, then a line for each file: a hash of path and bytes, and what was read as JSON.
//! Nothing of it is believed but under that hash; what cannot be read is parsed anew.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::Module;

use super::decode::decode;
use super::index::Index;
use super::parse::Parsed;
use super::regular;

/// Bytes that are kept at most: a hundred thousand functions take less.
const MOST: u64 = 256 << 20;

/// Files of an earlier start, each decoded when it is asked for.
#[derive(Debug, Default)]
pub struct Kept {
    bytes: Vec<u8>,
    files: HashMap<Digest, Range<usize>>,
}

impl Kept {
    /// Reads what was kept in a file; nothing where there is none, or where another maker kept it.
    #[must_use]
    pub fn read(file: &Path, maker: &str) -> Self {
        let mut bytes = Vec::new();
        let whole = regular::open(file, MOST).is_some_and(|(file, _)| file.take(MOST).read_to_end(&mut bytes).is_ok());
        if whole { Self::new(bytes, maker) } else { Self::default() }
    }

    /// Takes what was kept; nothing where another maker kept it.
    fn new(bytes: Vec<u8>, maker: &str) -> Self {
        let mut files = HashMap::new();
        let mut at = 0;
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let from = at;
            at += line.len() + 1;
            if number == 0 {
                if line != maker.as_bytes() {
                    return Self::default();
                }
                continue;
            }
            let key = line.get(..16).and_then(|key| std::str::from_utf8(key).ok()?.parse().ok());
            if let Some(key) = key {
                files.insert(key, from + 16..from + line.len());
            }
        }
        Self { bytes, files }
    }

    /// Finds what was read of a file that had this path and these bytes.
    #[must_use]
    pub fn find(&self, path: &RelPath, source: &[u8], hash: Digest) -> Option<Parsed> {
        let place = self.files.get(&key(path, hash))?.clone();
        let (module, init_uses, class_uses) = serde_json::from_slice(self.bytes.get(place)?).ok()?;
        let parsed = Parsed { module, text: decode(source).text, init_uses, class_uses };
        (parsed.module.path == *path && parsed.module.hash == hash).then_some(parsed)
    }
}

/// Writes the files of an index that was just built, but for those that may not be kept: asked is for a module, and for what
/// would be written of it.
///
/// # Errors
/// Fails when it cannot be written.
pub fn write(
    index: &Index,
    maker: &str,
    may_keep: &mut dyn FnMut(&Module, &str) -> bool,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{maker}")?;
    for (path, entry) in &index.entries {
        let read = serde_json::to_string(&(&entry.module, &entry.init_uses, &entry.class_uses))?;
        if may_keep(&entry.module, &read) {
            writeln!(out, "{}{read}", key(path, entry.module.hash))?;
        }
    }
    out.flush()
}

fn key(path: &RelPath, hash: Digest) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(path.as_str().as_bytes()).part(&hash.0.to_le_bytes());
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn of(root: &std::path::Path, kept: &Kept) -> (Index, usize) {
        Index::build_from(root, &[], kept, &|_, _| {})
    }

    #[test]
    fn a_project_that_did_not_change_is_not_parsed_again() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
        put("a.py", "import b\n\n\n@b.mark\ndef f(x: int = 1) -> int:\n    \"\"\"Doc.\"\"\"\n    return b.g(x)\r\n");
        put("b.py", "class B(A):\n    size = 3\n\n    def g(self):\n        yield 1\n\n\nMOST = max(1, 2)\n");
        put("broken.py", "def h(:\n");
        let (first, parsed) = of(place.path(), &Kept::default());
        assert_eq!(parsed, 3);
        let mut out = Vec::new();
        write(&first, "me", &mut |_, _| true, &mut out).unwrap();
        let (again, parsed) = of(place.path(), &Kept::new(out.clone(), "me"));
        assert_eq!(parsed, 0);
        assert_eq!(format!("{:?}", first.entries), format!("{:?}", again.entries));
        // Other bytes, another maker, what is torn or forged: parsed.
        put("b.py", "MOST = 4\n");
        let (edited, parsed) = of(place.path(), &Kept::new(out.clone(), "me"));
        assert_eq!((parsed, edited.functions().count()), (1, 2));
        assert_eq!(of(place.path(), &Kept::new(out.clone(), "somebody")).1, 3);
        let forged = String::from_utf8(out.clone()).unwrap().replace("\"path\":\"a.py\"", "\"path\":\"../a.py\"");
        assert_eq!(of(place.path(), &Kept::new(forged.into_bytes(), "me")).1, 2);
        fs::write(place.path().join("kept"), &out).unwrap();
        std::os::unix::fs::symlink("kept", place.path().join("link")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, place.path().join("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        for (name, parsed) in [("kept", 1), ("link", 3), ("pipe", 3), ("none", 3)] {
            assert_eq!(of(place.path(), &Kept::read(&place.path().join(name), "me")).1, parsed, "{name}");
        }
        for cut in 0..out.len() {
            let _ = of(place.path(), &Kept::new(out[..cut].to_vec(), "me"));
        }
    }
}
