//! The values that an agent keeps for its tests: in memory, bounded, each test's apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::base::error::Trouble;
use crate::base::text;

/// Bytes of a value, with its name, as JSON.
const VALUE_MAX: usize = 64 << 10;

/// Values of a test, and bytes of all values of a session.
const VALUES_MAX: usize = 200;

const ALL_MAX: usize = 4 << 20;

/// The values of each test.
#[derive(Default)]
pub struct Values(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    of_tests: BTreeMap<PathBuf, Map<String, Value>>,
    /// Bytes of all of them.
    bytes: usize,
}

impl Values {
    /// Gives those of a test.
    pub fn of(&self, test: &Path) -> Map<String, Value> {
        self.0.lock().of_tests.get(test).cloned().unwrap_or_default()
    }

    /// Keeps a value for a test.
    ///
    /// # Errors
    /// When it is too large, or there are too many.
    pub fn keep(&self, test: &Path, name: &str, value: Value) -> Result<(), Trouble> {
        let too_much =
            |what: String| Trouble::usage("Not stored.").because(what).so("Store less, or under a name that is there.");
        let size = bytes(name, &value);
        if size > VALUE_MAX {
            return Err(too_much(format!("The value has {}.", text::bytes(size as u64))));
        }
        let mut all = self.0.lock();
        let Kept { of_tests, bytes: used } = &mut *all;
        let old = of_tests.get(test).and_then(|own| own.get(name)).map_or(0, |old| bytes(name, old));
        if *used + size - old > ALL_MAX {
            return Err(too_much(format!("The values of this session have {}.", text::bytes(*used as u64))));
        }
        let own = of_tests.entry(test.to_owned()).or_default();
        if own.len() >= VALUES_MAX && !own.contains_key(name) {
            return Err(too_much(format!("This test has {VALUES_MAX} values.")));
        }
        own.insert(name.to_owned(), value);
        *used = *used + size - old;
        Ok(())
    }

    /// Takes what a run of a test left; what is too much is not kept, and the names of it are given.
    pub fn left(&self, test: &Path, after: Map<String, Value>) -> Vec<String> {
        let mut all = self.0.lock();
        let before = all.of_tests.remove(test).unwrap_or_default();
        all.bytes -= before.iter().map(|(name, value)| bytes(name, value)).sum::<usize>();
        drop(all);
        let kept = |(name, value): (String, Value)| self.keep(test, &name, value).err().map(|_| name);
        after.into_iter().filter_map(kept).collect()
    }
}

fn bytes(name: &str, value: &Value) -> usize {
    name.len() + value.to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_test_has_its_own_and_all_together_have_bounds() {
        let values = Values::default();
        let (one, other) = (Path::new("/a.yaml"), Path::new("/b.yaml"));
        values.keep(one, "x", json!(1)).unwrap();
        assert_eq!((values.of(one).get("x"), values.of(other).len()), (Some(&json!(1)), 0));
        assert!(values.keep(one, "big", json!("y".repeat(VALUE_MAX))).is_err());
        for number in 0..VALUES_MAX - 1 {
            values.keep(one, &number.to_string(), json!(number)).unwrap();
        }
        assert!(values.keep(one, "more", json!(1)).is_err() && values.keep(one, "x", json!(2)).is_ok());
        let large = json!("y".repeat(VALUE_MAX - 10));
        let kept = (0..80).filter(|number| values.keep(Path::new(&number.to_string()), "x", large.clone()).is_ok()).count();
        assert!(kept > 50 && kept < 70, "{kept} of 64 KiB each");
    }

    #[test]
    fn a_run_leaves_what_it_stored_and_nothing_else() {
        let values = Values::default();
        let test = Path::new("/a.yaml");
        values.keep(test, "before", json!(1)).unwrap();
        let after = Map::from_iter([("token".to_owned(), json!("t")), ("huge".to_owned(), json!("y".repeat(VALUE_MAX)))]);
        assert_eq!(values.left(test, after), ["huge"]);
        assert_eq!(values.of(test).keys().collect::<Vec<_>>(), ["token"]);
    }
}
