//! The one source of the time of day, so that pure code can be given a fixed one.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment in UTC, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

/// Tells the time.
#[must_use]
pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Gives the date of a day that is counted from 1970-01-01: year, month from 1, and day of the month.
#[must_use]
pub const fn date(days: i64) -> (i64, i64, i64) {
    // Counted in years from the first of March, so that a leap day is the last of its year.
    let shifted = days + 719_468;
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + shifted.div_euclid(146_097) * 400 + (month <= 2) as i64, month, day)
}

/// Tells a time that never goes back in this process, for what waits or fades: as the time of day, until somebody sets that back.
#[must_use]
pub fn steady() -> Moment {
    static LAST: Mutex<Option<(Moment, Instant)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let passed = last.map(|(at, when)| Moment(at.0.saturating_add(i64::try_from(when.elapsed().as_millis()).unwrap_or(0))));
    let at = passed.map_or_else(now, |passed| steadier(passed, now()));
    *last = Some((at, Instant::now()));
    at
}

/// Chooses between the time that has passed and the time of day: the later one.
fn steadier(passed: Moment, today: Moment) -> Moment {
    passed.max(today)
}

/// Tells whether what happened at one moment is newer than what happened at another. Where the clock was set back since, the other
/// one lies in the future, and whatever happens now is newer.
#[must_use]
pub fn is_newer(one: Moment, other: Moment, now: Moment) -> bool {
    one > other || (one != other && other > now)
}

/// Writes a duration the way the screen says it: `9 µs`, `31 ms`, `3.1 s`, `2 min`.
#[must_use]
pub fn short(duration: Duration) -> String {
    let micros = duration.as_micros();
    let seconds = duration.as_secs_f64();
    match micros {
        0..=999 => format!("{micros} µs"),
        1_000..=99_999 if micros < 10_000 => format!("{:.1} ms", seconds * 1e3),
        1_000..=999_999 => format!("{} ms", micros / 1_000),
        1_000_000..=59_999_999 => format!("{seconds:.1} s"),
        _ => format!("{} min", duration.as_secs() / 60),
    }
}

/// Writes how long ago a moment was, for a person: `just now`, `4 min ago`, `3 h ago`, `12 d ago`.
#[must_use]
pub fn ago(moment: Moment, now: Moment) -> String {
    match now.0.saturating_sub(moment.0) / 60_000 {
        ..1 => "just now".to_owned(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes @ 60..2_880 => format!("{} h ago", minutes / 60),
        minutes => format!("{} d ago", minutes / 1_440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_holds_nothing_up_and_makes_nothing_older() {
        let (first, back) = (Moment(1_000_000), Moment(400_000));
        assert!(is_newer(Moment(1_000_001), first, Moment(1_000_002)) && !is_newer(back, first, Moment(1_000_002)));
        assert!(!is_newer(first, first, Moment(1_000_000)), "the same one is known");
        assert!(is_newer(back, first, Moment(400_005)), "the clock went back in between");
        assert!(!is_newer(first, first, back), "also then");
        assert_eq!(steadier(Moment(5), Moment(3)), Moment(5));
        assert_eq!(steadier(Moment(5), Moment(9)), Moment(9));
        let mut last = steady();
        for _ in 0..1_000 {
            let next = steady();
            assert!(next >= last && next >= Moment(now().0 - 1_000));
            last = next;
        }
    }

    #[test]
    fn what_was_is_so_long_ago() {
        for (minutes, expected) in [(-3, "just now"), (0, "just now"), (4, "4 min ago"), (100, "1 h ago"), (4_320, "3 d ago")] {
            assert_eq!(ago(Moment(0), Moment(minutes * 60_000)), expected);
        }
    }

    #[test]
    fn days_have_their_dates() {
        for (days, expected) in
            [(0, (1970, 1, 1)), (-1, (1969, 12, 31)), (11_016, (2000, 2, 29)), (19_782, (2024, 2, 29)), (20_779, (2026, 11, 22))]
        {
            assert_eq!(date(days), expected, "{days}");
        }
    }

    #[test]
    fn durations_are_short_and_readable() {
        for (micros, expected) in
            [(9, "9 µs"), (3_100, "3.1 ms"), (31_000, "31 ms"), (400_000, "400 ms"), (3_140_000, "3.1 s"), (125_000_000, "2 min")]
        {
            assert_eq!(short(Duration::from_micros(micros)), expected);
        }
    }
}
