//! Moments as a person's wall clock shows them.
//!
//! The offset from UTC is asked for once at the start (`effects.rs`); nothing here reads the clock.

use crate::base::clock::{self, Moment};

/// A person's distance from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    /// Minutes east of UTC.
    pub minutes: i32,
}

const DAY_MS: i64 = 86_400_000;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Zone {
    /// Reads what `date +%z` prints: `+0130`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, digits) = match text.split_at_checked(1)? {
            ("+", digits) => (1, digits),
            ("-", digits) => (-1, digits),
            _ => return None,
        };
        if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: i32 = digits.parse().ok()?;
        Some(Self { minutes: sign * (number / 100 * 60 + number % 100) })
    }

    fn local(self, moment: Moment) -> i64 {
        moment.0.saturating_add(i64::from(self.minutes) * 60_000)
    }

    /// Writes `10:38`.
    #[must_use]
    pub fn minute(self, moment: Moment) -> String {
        let ms = self.local(moment).rem_euclid(DAY_MS);
        format!("{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60)
    }

    /// Writes `10:38:12`.
    #[must_use]
    pub fn second(self, moment: Moment) -> String {
        let ms = self.local(moment).rem_euclid(DAY_MS);
        format!("{}:{:02}", self.minute(moment), ms / 1000 % 60)
    }

    /// Writes `today 10:38`, `yesterday 17:20`, `3 Nov 09:00`.
    #[must_use]
    pub fn day(self, moment: Moment, now: Moment) -> String {
        let day = self.local(moment).div_euclid(DAY_MS);
        let today = self.local(now).div_euclid(DAY_MS);
        let word = match today - day {
            0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            _ => {
                let (_, month, date) = clock::date(day);
                let name = usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month));
                format!("{date} {}", name.copied().unwrap_or_default())
            }
        };
        format!("{word} {}", self.minute(moment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_read_as_the_wall_clock_does() {
        let utc = Zone::default();
        let moment = Moment(1_700_000_000_000); // 2023-11-14 22:13:20 UTC
        assert_eq!(utc.second(moment), "22:13:20");
        let india = Zone::parse("+0530\n").unwrap();
        assert_eq!(india.minute(moment), "03:43");
        assert_eq!(utc.day(moment, Moment(moment.0 + 1000)), "today 22:13");
        assert_eq!(utc.day(moment, Moment(moment.0 + 2 * 3_600_000)), "yesterday 22:13");
        assert_eq!(utc.day(moment, Moment(moment.0 + 10 * DAY_MS)), "14 Nov 22:13");
        assert_eq!(utc.day(Moment(1_709_164_800_000), moment), "29 Feb 00:00");
        assert_eq!(Zone::parse("CET"), None);
        assert_eq!(Zone::parse("-0800").map(|z| z.minutes), Some(-480));
    }
}
