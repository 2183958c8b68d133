//! `pytead-tui run`: a program under the recorder. The program keeps its input, output and exit code.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Run};
use crate::cli::output::Output;
use crate::cli::{trusted_engine, with_events};
use crate::domain::call::{ProgramEnd, Recording};

/// Records a program and passes its exit code on.
pub async fn run(global: &Global, args: Run) -> Result<u8, Trouble> {
    let mut out = Output::beside_a_program(global.format, args.events.as_deref())?;
    let handle = trusted_engine(global).await?;
    let recorded = handle.record_attached(args.command, args.limit, args.targets);
    let recorded = with_events(&handle, &mut out, recorded).await;
    handle.close().await;
    let recording = recorded?;
    report(&mut out, &recording);
    Ok(exit_code(&recording.end))
}

/// Says what was recorded.
pub fn report(out: &mut Output, recording: &Recording) {
    out.result("recording", recording);
    let (seen, kept) = (to_usize(recording.seen), to_usize(recording.kept));
    if !recording.recorder_seen {
        out.say(
            "pytead-tui: no recorder reported in, so nothing was recorded. The program may have started Python with -I, -S or -E, \
             or no Python at all.",
        );
        return;
    }
    out.say(format!(
        "pytead-tui: recording {}: {} of {} ({} kept with values), Python {}.",
        recording.id.0,
        text::count(seen, "call"),
        text::count(to_usize(recording.functions), "function"),
        text::thousands(kept),
        recording.python.as_deref().unwrap_or("?"),
    ));
    for (reason, count) in crate::engine::gap_lines(&recording.gaps) {
        out.say(format!("pytead-tui: left out: {reason} ({count})."));
    }
}

/// Gives the code the program ended with, as a shell would.
pub fn exit_code(end: &ProgramEnd) -> u8 {
    match end {
        ProgramEnd::Exited(code) => u8::try_from(code & 0xff).unwrap_or(3),
        ProgramEnd::Killed(signal) => 128 + signal.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap_or(9),
        ProgramEnd::Running | ProgramEnd::NotStarted(_) => 3,
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_the_programs_own() {
        assert_eq!(exit_code(&ProgramEnd::Exited(3)), 3);
        assert_eq!(exit_code(&ProgramEnd::Killed("signal 15".into())), 143);
    }
}
