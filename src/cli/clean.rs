//! `pytead-tui clean`: what is kept of recordings and drafts goes, after a look at what and how much that is.

use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{self, Global};
use crate::cli::ask::ask;
use crate::cli::output::Output;
use crate::cli::{OK, somebody_is_there, trusted_engine};
use crate::engine::{Clean, Cleaned, asking};

/// Says what would go; removes it, after a question where somebody is there.
pub async fn clean(global: &Global, args: args::Clean) -> Result<u8, Trouble> {
    let none = !(args.recordings || args.drafts || args.verdicts || args.models || args.all);
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
    let nothing = would.recordings + would.drafts == 0;
    let look = args.dry_run || none;
    if look || nothing || somebody_is_there(global) {
        for line in lines(&would, wanted, if look || nothing { "would go" } else { "go" }) {
            out.say(line);
        }
    }
    if args.verdicts || every {
        // They can be made again, at their price: gone only where that was said.
        let (count, bytes) = asking::clean(wanted.older_than, look)?;
        let how = if look { "would go" } else { "removed" };
        out.say(match usize::try_from(count).unwrap_or(usize::MAX) {
            0 => "No verdicts are kept.".to_owned(),
            count => format!("{} of models, {}: {how}.", text::count(count, "verdict"), text::bytes(bytes)),
        });
    }
    if args.models || every {
        out.say("No models are kept.");
    }
    let goes_on =
        !look && !nothing && (!somebody_is_there(global) || ask("y removes it for good > ").await?.as_deref() == Some("y"));
    let done = if goes_on { handle.clean(Clean { dry_run: false, ..wanted }).await? } else { would };
    handle.close().await;
    out.result("clean", &done);
    if goes_on {
        lines(&done, wanted, "removed").into_iter().for_each(|line| out.say(line));
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
    if wanted.drafts {
        lines.push(format!("{} that nobody decided on: {how}.", count(cleaned.drafts, "draft")));
    }
    if wanted.recordings {
        let calls = count(cleaned.calls, "call");
        lines.push(format!("{} with {calls}: {how}.", count(cleaned.recordings, "recording")));
        if cleaned.kept_recordings > 0 {
            let kept = count(cleaned.kept_recordings, "recording");
            lines.push(format!("{kept} stay, for drafts, changes or decisions rest on them."));
        }
    }
    lines.push(format!("The database holds {} less. Decisions and accepted tests stay.", text::bytes(cleaned.bytes)));
    lines
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
        Trouble::usage(format!("--older-than {} is no age.", text::display_line(text)))
            .so("Write hours, days or weeks: 12h, 30d, 2w.")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
