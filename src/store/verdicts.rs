//! Verdicts: the last one of each test with an intent, with the journey it was decided on. A newer run takes the place of
//! an older one, whichever comes first.

use rusqlite::{OptionalExtension, Row, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{from_json, from_word, json, to_json, word};
use crate::base::clock::{self, Moment};
use crate::domain::function::FunctionId;
use crate::domain::journey::JourneyLine;
use crate::domain::verdict::{JudgedTest, Proposed, Ruling, Since};

/// No journey that was ever stored is larger, decompressed.
const SIZE_MAX: usize = 64 << 20;

const COLUMNS: &str = "function, begun, passed, entered, judged";

/// A verdict without what the test did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVerdict {
    /// What came of the test; its journey is empty here.
    pub judged: JudgedTest,
    /// The test as a function of the project.
    pub function: FunctionId,
    /// Since when it comes to this, and when it passed last.
    pub since: Since,
    /// The functions that the test ran through.
    pub entered: Vec<FunctionId>,
}

impl Store {
    /// Keeps the verdict of a test, unless a newer one is there; tells whether it was news.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_verdict(&self, judged: &JudgedTest, function: &FunctionId) -> Result<bool> {
        let entered: Vec<&FunctionId> = {
            let mut all: Vec<&FunctionId> = judged.journey.iter().filter_map(|line| line.function.as_ref()).collect();
            all.sort();
            all.dedup();
            all
        };
        let (entered, journey) = (to_json(&entered)?, to_json(&judged.journey)?);
        let head = JudgedTest { journey: Vec::new(), ..judged.clone() };
        let (text, function) = (to_json(&head)?, function.0.clone());
        self.write(move |transaction| {
            let ruling = head.verdict.verdict;
            let before = transaction
                .query_row("SELECT at, begun, passed, ruling, overridden FROM verdicts WHERE test = ?1", [&head.test], |row| {
                    let passed: Option<i64> = row.get(2)?;
                    let same = from_word::<Ruling>(row, 3)? == ruling && row.get::<_, bool>(4)? == head.verdict.overridden;
                    Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, passed, same))
                })
                .optional()?;
            if before.is_some_and(|(at, ..)| !clock::is_newer(head.at, Moment(at), clock::now())) {
                return Ok(false);
            }
            let begun = before.filter(|(.., same)| *same).map_or(head.at.0, |(_, begun, ..)| begun);
            let passed = if ruling == Ruling::Pass { Some(head.at.0) } else { before.and_then(|(_, _, passed, _)| passed) };
            transaction.execute(
                "INSERT OR REPLACE INTO verdicts \
                 (test, function, at, begun, passed, ruling, overridden, entered, judged, size, journey) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    head.test,
                    function,
                    head.at.0,
                    begun,
                    passed,
                    word(&ruling)?,
                    head.verdict.overridden,
                    entered,
                    text,
                    i64::try_from(journey.len()).unwrap_or(i64::MAX),
                    lz4_flex::block::compress(journey.as_bytes()),
                ],
            )?;
            Ok(true)
        })
    }

    /// Keeps what a model proposed for a test beside its last verdict, where one is there.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_proposed(&self, test: &str, proposed: &Proposed) -> Result<()> {
        let (test, proposed) = (test.to_owned(), proposed.clone());
        self.write(move |transaction| {
            let found: Option<JudgedTest> =
                transaction.query_row("SELECT judged FROM verdicts WHERE test = ?1", [&test], |row| json(row, 0)).optional()?;
            if let Some(mut head) = found {
                head.verdict.proposed = Some(Box::new(proposed));
                transaction.execute("UPDATE verdicts SET judged = ?2 WHERE test = ?1", params![test, to_json(&head)?])?;
            }
            Ok(())
        })
    }

    /// Gives the last verdict of each test; none of a database that somebody else made.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn verdicts(&self) -> Result<Vec<StoredVerdict>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM verdicts ORDER BY test"))?;
            let rows = statement.query_map([], load)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the last verdict of a test, with what the test did.
    ///
    /// # Errors
    /// Fails when the database cannot be read or the journey is damaged.
    pub fn verdict(&self, test: &str) -> Result<Option<StoredVerdict>> {
        self.believed(None, |connection| {
            let found = connection
                .query_row(&format!("SELECT {COLUMNS}, size, journey FROM verdicts WHERE test = ?1"), [test], |row| {
                    Ok((load(row)?, row.get::<_, i64>(5)?, row.get::<_, Vec<u8>>(6)?))
                })
                .optional()?;
            let Some((mut stored, size, packed)) = found else { return Ok(None) };
            let size = usize::try_from(size).ok().filter(|size| *size <= SIZE_MAX).ok_or(StoreError::Damaged)?;
            let bytes = lz4_flex::block::decompress(&packed, size).map_err(|_| StoreError::Damaged)?;
            let text = String::from_utf8(bytes).map_err(|_| StoreError::Damaged)?;
            stored.judged.journey = from_json::<Vec<JourneyLine>>(&text)?;
            Ok(Some(stored))
        })
    }
}

fn load(row: &Row<'_>) -> rusqlite::Result<StoredVerdict> {
    let passed: Option<i64> = row.get(2)?;
    Ok(StoredVerdict {
        function: FunctionId(row.get(0)?),
        since: Since { begun: Moment(row.get(1)?), passed: passed.map(Moment) },
        entered: json(row, 3)?,
        judged: json(row, 4)?,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::evaluator::Evaluator;
    use crate::domain::journey::{LineId, LineKind};
    use crate::domain::verdict::Verdict;

    fn judged(ruling: Ruling, at: i64) -> JudgedTest {
        let line = JourneyLine {
            kind: LineKind::Called(1),
            line: Some(LineId(1)),
            call: Some(LineId(1)),
            depth: 0,
            name: "Cart.total".into(),
            detail: "({})".into(),
            function: Some(FunctionId::new("shop.cart", "Cart.total")),
            at: Some(4),
            reached: vec![7, 8],
        };
        JudgedTest {
            test: "tests/test_cart.py::test_total".into(),
            file: RelPath::new("tests/test_cart.py").unwrap(),
            intent: "Cart.total is called".into(),
            verdict: Verdict {
                verdict: ruling,
                overridden: false,
                evaluator: Evaluator::Rules,
                reason: "Because.".into(),
                clauses: Vec::new(),
                uncovered: Vec::new(),
                asked: None,
                bound: None,
                proposed: None,
                tried: Vec::new(),
                shown: BTreeMap::new(),
            },
            journey: vec![line.clone(), line],
            cut: 0,
            gaps: Vec::new(),
            accepts: false,
            suggestions: Vec::new(),
            began: Moment(at),
            at: Moment(at),
        }
    }

    #[test]
    fn the_newest_run_wins_and_knows_since_when() {
        let store = crate::store::open_in_memory().unwrap();
        let function = FunctionId::new("tests.test_cart", "test_total");
        assert!(store.put_verdict(&judged(Ruling::Pass, 10), &function).unwrap());
        assert!(store.put_verdict(&judged(Ruling::Fail, 20), &function).unwrap());
        assert!(store.put_verdict(&judged(Ruling::Fail, 30), &function).unwrap());
        assert!(!store.put_verdict(&judged(Ruling::Pass, 25), &function).unwrap(), "an older run came later");
        let tomorrow = clock::now().0 + 86_400_000;
        let other = |at| JudgedTest { test: "tests/test_cart.py::test_other".into(), ..judged(Ruling::Pass, at) };
        assert!(store.put_verdict(&other(tomorrow), &function).unwrap());
        assert!(!store.put_verdict(&other(tomorrow), &function).unwrap(), "it is known");
        assert!(store.put_verdict(&other(clock::now().0), &function).unwrap(), "the clock was set back by a day");
        let stored = store.verdict("tests/test_cart.py::test_total").unwrap().unwrap();
        assert_eq!(stored.judged, judged(Ruling::Fail, 30));
        assert_eq!(stored.since, Since { begun: Moment(20), passed: Some(Moment(10)) });
        let proposed = Proposed { by: "llm:local/tiny".into(), ..Proposed::default() };
        store.put_proposed("tests/test_cart.py::test_total", &proposed).unwrap();
        store.put_proposed("another", &proposed).unwrap();
        let stored = store.verdict("tests/test_cart.py::test_total").unwrap().unwrap();
        assert_eq!((stored.judged.verdict.proposed, stored.judged.journey.len()), (Some(Box::new(proposed)), 2));
        let listed = store.verdicts().unwrap();
        assert_eq!(listed.len(), 2);
        let listed: Vec<_> = listed.into_iter().filter(|one| one.judged.test.ends_with("test_total")).collect();
        assert_eq!(listed[0].entered, [FunctionId::new("shop.cart", "Cart.total")]);
        assert!(listed[0].judged.journey.is_empty());
        assert_eq!(store.verdict("another").unwrap(), None);
    }
}
