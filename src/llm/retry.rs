//! When a request that brought nothing is worth another try, and how long to wait before it.
//!
//! Only for what happens before an answer begins: a provider that has begun to write also bills.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::base::clock::{self, Moment};
use crate::llm::provider::ModelError;

/// Tries of a request.
pub(crate) const TRIES: u32 = 3;
/// The wait before the second try; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(400);
/// A provider that asks for a longer wait is reported, so that a person decides.
const LONGEST_WAIT: u64 = 20;
/// The longest wait, in seconds, that is believed and told: a day.
const MOST_TOLD: u64 = 86_400;

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

/// Reads a `Retry-After`: seconds, parts of one taken for a whole, or the date until which to wait. That one is compared with
/// the `date` of the same answer, since a server's clock need not be ours; without one, with our own.
pub(crate) fn asked(after: &str, date: Option<&str>) -> Option<u64> {
    let after = after.trim();
    let seconds = match after.split_once('.') {
        Some((whole, _)) => whole.parse::<u64>().ok().map(|whole| whole.saturating_add(1)),
        None => after.parse().ok(),
    };
    let wait = seconds.or_else(|| {
        let now = date.and_then(moment).unwrap_or_else(clock::now);
        let left = moment(after)?.0.saturating_sub(now.0).max(0);
        Some(left.cast_unsigned().div_ceil(1_000))
    });
    wait.map(|seconds| seconds.min(MOST_TOLD))
}

/// Reads a date of HTTP, in the form of today or one of the two older ones.
fn moment(text: &str) -> Option<Moment> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let (day, month, year, time) = match words.as_slice() {
        [_, day, month, year, time, "GMT" | "UTC"] | [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let number = |text: &str, most: i64| text.parse::<i64>().ok().filter(|number| (0..=most).contains(number));
    let day = number(day, 31).filter(|day| *day > 0)?;
    let month = i64::try_from(MONTHS.iter().position(|name| name == month)?).ok()? + 1;
    let year = number(year, 9_999)? + if year.len() == 2 { 2_000 } else { 0 };
    let parts: Vec<i64> = time.split(':').map(|part| number(part, 60)).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    // Counted from the first of March, so that the day a leap year has more is the last one of a year.
    let (since, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = since * 365 + since / 4 - since / 100 + since / 400 + (months * 153 + 2) / 5 + day - 1 - 719_468;
    Some(Moment((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000))
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
    fn the_three_dates_of_http_are_read_and_nothing_else() {
        for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(moment(date), Some(Moment(784_111_777_000)), "{date}");
        }
        assert_eq!(moment("Sunday, 06-Nov-26 08:49:37 GMT"), moment("Fri, 06 Nov 2026 08:49:37 GMT"));
        assert_eq!(moment("Thu, 29 Feb 2024 23:59:60 GMT"), moment("Fri, 01 Mar 2024 00:00:00 GMT"));
        assert_eq!(moment("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Moment(0)));
        for text in ["", "soon", "Sun, 06 Nov 1994 08:49:37 +0200", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8 GMT"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_is_compared_with_the_servers_clock_and_no_wait_is_believed_without_end() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:52 GMT", date), Some(15), "whatever our clock says");
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:07 GMT", date), Some(0), "it is over");
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:52 GMT", None), Some(0), "by our clock");
        assert_eq!(asked("Fri, 31 Dec 9999 23:59:59 GMT", None), Some(MOST_TOLD));
        assert_eq!(asked("Fri, 31 Dec 9999 23:59:59 GMT", Some("nonsense")), Some(MOST_TOLD));
        assert_eq!((asked(" 3 ", date), asked("2.5", None)), (Some(3), Some(3)));
        assert_eq!((asked("18446744073709551615", None), asked("-3", None), asked("x", None)), (Some(MOST_TOLD), None, None));
    }

    #[test]
    fn what_would_fail_again_is_not_tried_again() {
        let refused = ModelError::Key { host: "h".into(), variable: None, said: String::new() };
        assert_eq!(wait_after(&refused, 1, TRIES), None);
        assert_eq!(wait_after(&ModelError::Status { host: "h".into(), status: 400, said: String::new() }, 1, TRIES), None);
        assert_eq!(wait_after(&ModelError::NoAnswer { host: "h".into(), seconds: 60 }, 1, TRIES), None);
    }
}
