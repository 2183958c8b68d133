//! Journeys: blocks of records as they came, compressed.

use rusqlite::{Transaction, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::numbers::signed;
use crate::domain::batch::JourneyBlock;
use crate::domain::call::RecordingId;

/// No block that was ever written is larger, decompressed.
const SIZE_MAX: usize = 64 << 20;

impl Store {
    /// Gives the blocks of a recording's journey, file by file in the order they were written; none in a recording of calls.
    ///
    /// # Errors
    /// Fails when the database cannot be read or a block is damaged.
    pub fn journey(&self, recording: RecordingId) -> Result<Vec<JourneyBlock>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT process, thread, number, events, size, records FROM journeys WHERE recording = ?1 \
                 ORDER BY process, thread, number",
            )?;
            let rows = statement.query_map([recording.0], |row| {
                let (size, packed): (u32, Vec<u8>) = (row.get(4)?, row.get(5)?);
                Ok((
                    JourneyBlock {
                        process: row.get(0)?,
                        thread: row.get(1)?,
                        number: row.get(2)?,
                        events: row.get(3)?,
                        records: Vec::new(),
                    },
                    size as usize,
                    packed,
                ))
            })?;
            rows.map(|row| {
                let (block, size, packed) = row?;
                let records = (size <= SIZE_MAX).then(|| lz4_flex::block::decompress(&packed, size).ok()).flatten();
                Ok(JourneyBlock { records: records.ok_or(StoreError::Damaged)?, ..block })
            })
            .collect()
        })
    }

    /// Counts the events of each recording that is a journey, the newest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn journeys(&self) -> Result<Vec<(RecordingId, u64)>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT recording, sum(events) FROM journeys GROUP BY recording ORDER BY recording DESC")?;
            let rows = statement.query_map([], |row| Ok((RecordingId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs())))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Forgets the blocks of a recording, so that its spools can be read again from their beginning.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn forget_journey(&self, recording: RecordingId) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("DELETE FROM journeys WHERE recording = ?1", [recording.0])?;
            Ok(())
        })
    }
}

pub(super) fn insert(transaction: &Transaction<'_>, recording: RecordingId, blocks: &[JourneyBlock]) -> Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO journeys (recording, process, thread, number, events, size, records) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for block in blocks {
        insert.execute(params![
            recording.0,
            block.process,
            block.thread,
            block.number,
            block.events,
            signed(block.records.len() as u64),
            lz4_flex::block::compress(&block.records),
        ])?;
    }
    Ok(())
}
