//! When a request that brought nothing is worth another try, and how long to wait before it.
//!
//! Only for what happens before an answer begins: a provider that has begun to write also bills.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::llm::provider::ModelError;

/// Tries of a request.
pub(crate) const TRIES: u32 = 3;
/// The wait before the second try; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(400);
/// A provider that asks for a longer wait is reported, so that a person decides.
const LONGEST_WAIT: u64 = 20;

/// Gives the wait before the next of so many `tries`, or `None` when there is to be none. `done` counts those so far, from 1.
pub(crate) fn wait_after(error: &ModelError, done: u32, tries: u32) -> Option<Duration> {
    let asked = match error {
        ModelError::Busy { wait, .. } => *wait,
        ModelError::Unreachable { .. } => None,
        ModelError::Status { status: 408 | 409 | 425 | 500..=599, .. } => None,
        _ => return None,
    };
    if done >= tries || asked.is_some_and(|seconds| seconds > LONGEST_WAIT) {
        return None;
    }
    let wait = asked.map_or(FIRST_WAIT * 2_u32.pow(done - 1), Duration::from_secs);
    Some(wait.mul_f64(1.0 + jitter() / 2.0))
}

/// Gives a number from 0 to 1, another one each time: clients that failed together must not come back together.
fn jitter() -> f64 {
    let bits = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or(0);
    f64::from(bits) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(wait: Option<u64>) -> ModelError {
        ModelError::Busy { host: "h".into(), wait, said: String::new() }
    }

    #[test]
    fn waits_grow_and_end_after_three_tries() {
        let waits: Vec<_> = (1..=3).map(|done| wait_after(&busy(None), done, TRIES)).collect();
        assert!(waits[0].is_some_and(|wait| wait >= FIRST_WAIT && wait <= FIRST_WAIT.mul_f64(1.5)));
        assert!(waits[1].is_some_and(|wait| wait >= FIRST_WAIT * 2));
        assert_eq!(waits[2], None);
    }

    #[test]
    fn the_providers_own_wait_holds_unless_it_is_long() {
        assert!(wait_after(&busy(Some(3)), 1, TRIES).is_some_and(|wait| wait >= Duration::from_secs(3)));
        assert_eq!(wait_after(&busy(Some(3600)), 1, TRIES), None);
    }

    #[test]
    fn what_would_fail_again_is_not_tried_again() {
        let refused = ModelError::Key { host: "h".into(), variable: None, said: String::new() };
        assert_eq!(wait_after(&refused, 1, TRIES), None);
        assert_eq!(wait_after(&ModelError::Status { host: "h".into(), status: 400, said: String::new() }, 1, TRIES), None);
        assert_eq!(wait_after(&ModelError::NoAnswer { host: "h".into(), seconds: 60 }, 1, TRIES), None);
    }
}
