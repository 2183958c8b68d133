//! The message line: one row, news behind one another, errors until a key.

use std::collections::VecDeque;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::tui::theme::Role;

const TOAST_MS: i64 = 4_000;
const GAP_MS: i64 = 1_000;
const WAITING: usize = 5;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its sign.
    pub sign: &'static str,
    /// The sign's role.
    pub role: Role,
    /// One line.
    pub text: String,
    /// All of it, for `w`.
    pub more: Vec<String>,
    /// It stays until a key.
    pub stays: bool,
    /// It says what is wrong with the settings, and goes with that.
    pub of_settings: bool,
    /// Since when it is shown.
    pub since: Moment,
}

/// The message that is shown and those behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages {
    /// What is shown.
    pub shown: Option<Message>,
    behind: VecDeque<Message>,
}

impl Messages {
    /// Says what a key did, at once: the answer to a key never waits.
    pub fn answer(&mut self, now: Moment, text: impl Into<String>) {
        self.shown = Some(message("◦", Role::Accent, text.into(), false, now));
    }

    /// Says what happened without anybody's doing.
    pub fn say(&mut self, now: Moment, text: impl Into<String>) {
        self.push(message("◦", Role::Accent, text.into(), false, now));
    }

    /// Says that something was done.
    pub fn done(&mut self, now: Moment, text: impl Into<String>) {
        self.push(message("✓", Role::Tested, text.into(), false, now));
    }

    /// Says what came of an own decision, at once, in place of all older news. An error comes back after it.
    pub fn result(&mut self, now: Moment, text: impl Into<String>) {
        self.behind.retain(|message| message.stays);
        if let Some(error) = self.shown.take().filter(|shown| shown.stays) {
            self.behind.push_front(error);
        }
        self.shown = Some(message("✓", Role::Tested, text.into(), false, now));
    }

    /// Says that more was done of what the newest message tells, in its place: both begin alike, up to a colon.
    pub fn done_more(&mut self, now: Moment, text: String) {
        let about = |text: &str| text.split(':').next().map(str::to_owned);
        match self.behind.back_mut().or(self.shown.as_mut()).filter(|newest| about(&newest.text) == about(&text)) {
            Some(newest) => newest.text = text,
            None => self.done(now, text),
        }
    }

    /// Says that something is less than it could be.
    pub fn warn(&mut self, now: Moment, text: impl Into<String>) {
        self.push(message("~", Role::Warning, text.into(), false, now));
    }

    /// Says that something failed; it stays until a key.
    pub fn fail(&mut self, now: Moment, trouble: &Trouble) {
        self.push(failure(now, trouble));
    }

    /// Says what is wrong with the settings by now, the news at once: what is right again is not said any more.
    pub fn of_settings(&mut self, now: Moment, wrong: &[Trouble], news: &[&Trouble]) {
        let still: Vec<String> = wrong.iter().map(Trouble::to_string).collect();
        let stays = |message: &Message| !message.of_settings || still.contains(&message.text);
        self.behind.retain(|message| stays(message));
        if self.shown.as_ref().is_some_and(|shown| !stays(shown)) {
            self.shown = None;
            self.next(now);
        }
        for trouble in news.iter().rev() {
            if let Some(older) = self.shown.take_if(|shown| shown.of_settings) {
                self.behind.push_front(older);
            }
            let message = Message { of_settings: true, ..failure(now, trouble) };
            if self.shown.is_none() {
                self.shown = Some(message);
            } else {
                self.push(message);
            }
        }
        self.behind.truncate(WAITING);
    }

    fn push(&mut self, message: Message) {
        let wait = self.shown.as_ref().is_some_and(|shown| message.since.0 - shown.since.0 < GAP_MS || shown.stays);
        if wait {
            if self.behind.len() == WAITING {
                self.behind.pop_front();
            }
            self.behind.push_back(message);
        } else {
            self.shown = Some(message);
        }
    }

    /// Lets time pass: tells whether the line changed.
    pub fn tick(&mut self, now: Moment, by_themselves: bool) -> bool {
        let Some(shown) = &self.shown else { return self.next(now) };
        let age = now.0 - shown.since.0;
        if shown.stays {
            return false;
        }
        if !self.behind.is_empty() && age >= GAP_MS {
            return self.next(now);
        }
        if by_themselves && age >= TOAST_MS {
            self.shown = None;
            return true;
        }
        false
    }

    fn next(&mut self, now: Moment) -> bool {
        let Some(next) = self.behind.pop_front() else { return false };
        self.shown = Some(Message { since: now, ..next });
        true
    }

    /// A key was pressed: an error was seen.
    pub fn seen(&mut self, now: Moment) {
        if self.shown.as_ref().is_some_and(|shown| shown.stays) {
            self.shown = None;
            self.next(now);
        }
    }

    /// Tells whether time alone will change the line.
    #[must_use]
    pub fn waits(&self, by_themselves: bool) -> bool {
        self.shown.as_ref().is_some_and(|shown| !shown.stays) && (by_themselves || !self.behind.is_empty())
    }
}

fn failure(now: Moment, trouble: &Trouble) -> Message {
    let mut message = message("!", Role::Failing, trouble.to_string(), true, now);
    let said = std::iter::once(&trouble.what).chain(&trouble.why).chain(&trouble.todo);
    message.more = said.map(ToString::to_string).collect();
    message
}

fn message(sign: &'static str, role: Role, text: String, stays: bool, since: Moment) -> Message {
    Message { sign, role, text, more: Vec::new(), stays, of_settings: false, since }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(messages: &Messages) -> &str {
        messages.shown.as_ref().map_or("", |m| m.text.as_str())
    }

    #[test]
    fn news_waits_a_second_and_goes_after_four() {
        let mut m = Messages::default();
        m.done(Moment(0), "one");
        m.done(Moment(500), "two");
        assert_eq!(shown(&m), "one");
        assert!(!m.tick(Moment(900), true));
        assert!(m.tick(Moment(1_000), true));
        assert_eq!(shown(&m), "two");
        assert!(m.tick(Moment(5_000), true));
        assert!(!m.waits(true));
    }

    #[test]
    fn the_newest_mistake_of_the_settings_is_shown_and_goes_when_it_is_mended() {
        let mut m = Messages::default();
        let [theme, limit] = ["There is no theme.", "record.limit: expected a number."].map(Trouble::usage);
        m.of_settings(Moment(0), std::slice::from_ref(&theme), &[&theme]);
        assert_eq!(shown(&m), "There is no theme.");
        let both = [limit.clone(), theme.clone()];
        m.of_settings(Moment(1), &both, &[&limit]);
        assert_eq!(shown(&m), "record.limit: expected a number.");
        m.of_settings(Moment(2), &[theme], &[]);
        assert_eq!(shown(&m), "There is no theme.", "what is still wrong stays");
        m.of_settings(Moment(3), &[], &[]);
        assert_eq!(m, Messages::default());
        m.fail(Moment(4), &Trouble::environment("The disk is full."));
        m.of_settings(Moment(5), &[], &[]);
        assert_eq!(shown(&m), "The disk is full.", "of others nothing is known");
    }

    #[test]
    fn the_newest_own_decision_is_said_at_once() {
        let mut m = Messages::default();
        m.done(Moment(0), "Replayed 31 calls.");
        m.say(Moment(10), "shop/cart.py changed.");
        m.result(Moment(20), "Accepted Cart.total. u takes it back.");
        assert_eq!(shown(&m), "Accepted Cart.total. u takes it back.");
        assert!(!m.tick(Moment(1_500), true), "older news does not come back");
        m.fail(Moment(5_000), &Trouble::environment("The disk is full."));
        m.result(Moment(6_000), "Rejected Cart.total.");
        assert!(m.tick(Moment(7_100), true));
        assert_eq!(shown(&m), "The disk is full.", "an error comes back");
    }

    #[test]
    fn an_error_stays_until_a_key() {
        let mut m = Messages::default();
        m.fail(Moment(0), &Trouble::environment("The disk is full."));
        m.done(Moment(2_000), "later");
        assert!(!m.tick(Moment(90_000), true));
        assert_eq!(shown(&m), "The disk is full.");
        m.seen(Moment(90_001));
        assert_eq!(shown(&m), "later");
    }
}
