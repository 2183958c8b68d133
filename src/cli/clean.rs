//! `pytead-tui clean`: what is kept of recordings and drafts goes, after a look at what and how much that is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::{paths, text};
use crate::cli::args::{self, Global};
use crate::cli::ask::ask;
use crate::cli::exit::OK;
use crate::cli::model;
use crate::cli::output::Output;
use crate::cli::start::{somebody_is_there, trusted_engine};
use crate::domain::settings::Settings;
use crate::engine::checks::llm;
use crate::engine::{Clean, Cleaned};
use crate::llm::hub::{Cache, Wanted};

/// Says what would go; removes it, after a question where somebody is there.
pub async fn clean(global: &Global, args: args::Clean) -> Result<u8, Trouble> {
    let none = !(args.recordings || args.drafts || args.verdicts || args.all_projects || args.models || args.all);
    let every = none || args.all;
    let wanted = Clean {
        recordings: every || args.recordings,
        drafts: every || args.drafts,
        older_than: args.older_than.as_deref().map(age).transpose()?,
        dry_run: true,
    };
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let would = handle.clean(wanted).await?;
    let models = if args.models || none { Models::find(&handle.project().1, wanted.older_than)? } else { Models::default() };
    let root = handle.snapshot().root.clone();
    let of = (!args.all_projects).then_some(root.as_path());
    let wants_verdicts = args.verdicts || args.all_projects || every;
    let clean =
        |look: bool| llm::opinions::clean(of, wanted.older_than, look).map(|found| Verdicts { found, of_all: of.is_none() });
    let verdicts = if wants_verdicts { Some(clean(true)?) } else { None };
    let no_verdicts = verdicts.as_ref().is_none_or(|verdicts| verdicts.found.count == 0);
    let nothing = would.recordings + would.drafts + would.answers == 0 && models.is_empty() && no_verdicts;
    let look = args.dry_run || none;
    if look || nothing || somebody_is_there(global) {
        let how = if look { "would go" } else { "go" };
        lines(&would, wanted, how).into_iter().for_each(|line| out.say(line));
        if args.models || none {
            models.lines(how).into_iter().for_each(|line| out.say(line));
        }
        verdicts.iter().for_each(|verdicts| out.say(verdicts.line(how)));
    }
    let goes_on =
        !look && !nothing && (!somebody_is_there(global) || ask("y removes it for good > ").await?.as_deref() == Some("y"));
    let done = if goes_on { handle.clean(Clean { dry_run: false, ..wanted }).await? } else { would };
    handle.close().await;
    out.result("clean", &done);
    if goes_on {
        lines(&done, wanted, "removed").into_iter().for_each(|line| out.say(line));
        if verdicts.is_some() {
            out.say(clean(false)?.line("removed"));
        }
        models.remove()?;
        if args.models {
            models.lines("removed").into_iter().for_each(|line| out.say(line));
        }
    } else if none && !nothing {
        out.say("Nothing was removed: name it, as in clean --recordings, or clean --all.");
    } else if !look && !nothing {
        out.say("Nothing was removed.");
    }
    Ok(OK)
}

fn lines(cleaned: &Cleaned, wanted: Clean, how: &str) -> Vec<String> {
    let count = |number: u64, noun: &str| text::count(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let mut lines = Vec::new();
    if wanted.drafts && cleaned.answers > 0 {
        let answers = count(cleaned.answers, "answer");
        lines.push(format!("{answers} of models, {}: {how}.", text::bytes(cleaned.answer_bytes)));
    }
    if wanted.drafts {
        lines.push(match cleaned.drafts {
            0 => "No draft that nobody decided on.".to_owned(),
            drafts => format!("{} that nobody decided on: {how}.", count(drafts, "draft")),
        });
        if cleaned.kept_drafts > 0 {
            let kept = count(cleaned.kept_drafts, "draft");
            lines.push(format!("{kept} stay: decisions on them were taken back, and review --redo makes these again."));
        }
    }
    if wanted.recordings {
        let calls = count(cleaned.calls, "call");
        lines.push(match cleaned.recordings {
            0 => "No recording that nothing rests on.".to_owned(),
            recordings => format!("{} with {calls}: {how}.", count(recordings, "recording")),
        });
        if cleaned.kept_recordings > 0 {
            let kept = count(cleaned.kept_recordings, "recording");
            lines.push(format!("{kept} stay, for drafts, changes or decisions rest on them."));
        }
    }
    if !wanted.recordings && !wanted.drafts {
        return lines;
    }
    // What few calls took may leave no page of the database free.
    let less = match (cleaned.bytes, cleaned.dry_run) {
        (0, _) => String::new(),
        (bytes, true) => format!("The database would hold {} less. ", text::bytes(bytes)),
        (bytes, false) => format!("The database holds {} less. ", text::bytes(bytes)),
    };
    lines.push(format!("{less}Decisions and accepted tests stay."));
    lines
}

/// Kept verdicts of models: how many, and their bytes. They can be made again, at their price.
struct Verdicts {
    found: llm::opinions::Found,
    /// Those of every project, not of this one.
    of_all: bool,
}

impl Verdicts {
    fn line(&self, how: &str) -> String {
        let (verdicts, bytes) = (usize::try_from(self.found.count).unwrap_or(usize::MAX), text::bytes(self.found.bytes));
        match (verdicts, self.of_all) {
            (0, true) => "No verdicts are kept.".to_owned(),
            (0, false) => "No verdicts of this project are kept.".to_owned(),
            (count, true) => {
                let projects = text::count(self.found.projects, "project");
                format!("{} of models in {projects}, {bytes}: {how}.", text::count(count, "verdict"))
            }
            (count, false) => format!("{} of models for this project, {bytes}: {how}.", text::count(count, "verdict")),
        }
    }
}

/// Models that nobody chose, and parts of some. They lie in a cache that is not the project's, so nothing but `--models`
/// removes them.
#[derive(Default)]
struct Models {
    whole: Vec<(Wanted, u64)>,
    parts: Vec<(PathBuf, u64)>,
}

impl Models {
    fn find(settings: &Settings, older_than: Option<Duration>) -> Result<Self, Trouble> {
        let (cache, chosen) = (Cache::find(model::variable)?, model::chosen(settings));
        let is_old = |path: &Path| {
            let past = path.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
            older_than.is_none_or(|age| past.is_some_and(|past| past >= age))
        };
        let mut models = cache.list();
        models.retain(|(wanted, path)| chosen.as_ref() != Some(&wanted.to_string()) && is_old(path));
        let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
        let whole = models.into_iter().map(|(wanted, path)| (wanted, size(&path))).collect();
        let parts = cache.leftovers().into_iter().filter(|(path, _)| is_old(path)).collect();
        Ok(Self { whole, parts })
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.parts.is_empty()
    }

    fn lines(&self, how: &str) -> Vec<String> {
        let line = |(wanted, bytes): &(Wanted, u64)| format!("The model {wanted}, {}: {how}.", text::bytes(*bytes));
        let mut lines: Vec<String> = self.whole.iter().map(line).collect();
        if !self.parts.is_empty() {
            let bytes = self.parts.iter().map(|(_, bytes)| bytes).sum();
            lines.push(format!("{}, {}: {how}.", text::count(self.parts.len(), "broken download"), text::bytes(bytes)));
        }
        if lines.is_empty() {
            lines.push("No models are kept that nobody chose.".into());
        }
        lines
    }

    fn remove(&self) -> Result<(), Trouble> {
        let cache = Cache::find(model::variable)?;
        for (wanted, _) in &self.whole {
            cache.remove(wanted)?;
        }
        for (path, _) in &self.parts {
            std::fs::remove_file(path).map_err(|error| {
                Trouble::environment(format!("{} cannot be removed.", paths::tilde(path))).because(format!("{error}."))
            })?;
        }
        Ok(())
    }
}

/// Reads an age: `30d`, `12h`, `2w`.
pub(super) fn age(text: &str) -> Result<Duration, Trouble> {
    let unit = text.chars().last().unwrap_or_default();
    let seconds = match unit {
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => 0,
    };
    let number = text.strip_suffix(unit).and_then(|number| number.parse::<u64>().ok()).filter(|_| seconds > 0);
    number.and_then(|number| number.checked_mul(seconds)).map(Duration::from_secs).ok_or_else(|| {
        Trouble::usage(format!("{} is no age.", text::display_line(text))).so("Write hours, days or weeks: 12h, 30d, 2w.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_hours_days_and_weeks() {
        assert_eq!(age("12h").unwrap().as_secs(), 12 * 3_600);
        assert_eq!(age("30d").unwrap().as_secs(), 30 * 86_400);
        assert_eq!(age("2w").unwrap().as_secs(), 14 * 86_400);
        for wrong in ["", "d", "30", "-1d", "3m", "1.5d", "99999999999999999999d", "18446744073709551615w", "3é"] {
            assert_eq!(age(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }
}
