//! The source that a recorded program ran, kept until its calls were run once more on it: it may be edited before. That of recorded tests
//! stays, for control runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{OptionalExtension, params};

use super::error::Result;
use super::handle::Store;
use super::json::to_json;
use crate::base::paths::RelPath;
use crate::domain::call::RecordingId;

/// More source is not kept, in bytes: calls of such projects are run once more on what is there by then.
const SIZE_MAX: usize = 64 << 20;

impl Store {
    /// Keeps the source that a recording ran, by file.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_ran(&self, recording: RecordingId, texts: &BTreeMap<RelPath, Arc<str>>) -> Result<()> {
        let plain: BTreeMap<&str, &str> = texts.iter().map(|(path, text)| (path.as_str(), &**text)).collect();
        let json = to_json(&plain)?;
        if json.len() > SIZE_MAX {
            return Ok(());
        }
        let size = i64::try_from(json.len()).unwrap_or(i64::MAX);
        let packed = lz4_flex::block::compress(json.as_bytes());
        self.write(move |transaction| {
            transaction.execute("INSERT OR REPLACE INTO ran VALUES (?1, ?2, ?3)", params![recording.0, size, packed])?;
            Ok(())
        })
    }

    /// Gives the source that a recording ran; `None` where it is not kept.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn ran(&self, recording: RecordingId) -> Result<Option<BTreeMap<RelPath, String>>> {
        let found: Option<(i64, Vec<u8>)> = self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT size, texts FROM ran WHERE recording = ?1")?;
            Ok(statement.query_row([recording.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })?;
        // The database may be another's: what cannot be read is not there.
        let texts = found.and_then(|(size, packed)| {
            let size = usize::try_from(size).ok().filter(|size| *size <= SIZE_MAX)?;
            let json = lz4_flex::block::decompress(&packed, size).ok()?;
            let texts: BTreeMap<String, String> = serde_json::from_slice(&json).ok()?;
            texts.into_iter().map(|(path, text)| Some((RelPath::new(path)?, text))).collect()
        });
        Ok(texts)
    }

    /// Forgets the source that a recording ran.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn forget_ran(&self, recording: RecordingId) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("DELETE FROM ran WHERE recording = ?1", [recording.0])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Recording;

    #[test]
    fn the_source_of_a_recording_is_kept_until_it_is_forgotten() {
        let store = crate::store::open_in_memory().unwrap();
        let begun = Recording::begun(vec!["main.py".into()], crate::base::clock::Moment(0));
        let id = store.begin_recording(&begun).unwrap();
        let path = RelPath::new("a/b.py").unwrap();
        store.put_ran(id, &BTreeMap::from([(path.clone(), Arc::from("x = 'ä'\n"))])).unwrap();
        assert_eq!(store.ran(id).unwrap(), Some(BTreeMap::from([(path, "x = 'ä'\n".to_owned())])));
        store.forget_ran(id).unwrap();
        assert_eq!(store.ran(id).unwrap(), None);
    }
}
