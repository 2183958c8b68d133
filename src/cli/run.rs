//! `pytead-tui run`: a program under the recorder. The program keeps its input, output and exit code.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Run};
use crate::cli::events::with_events;
use crate::cli::output::Output;
use crate::cli::start::{beside_a_program, trusted_engine};
use crate::domain::call::{ProgramEnd, Recording, told};
use crate::engine::Program;

/// Records a program and passes its exit code on.
pub async fn run(global: &Global, args: Run) -> Result<u8, Trouble> {
    let mut out = beside_a_program(global, args.events.as_deref())?;
    let handle = trusted_engine(global, &mut out).await?;
    args.former.explain();
    let program = Program {
        argv: args.command,
        limit: args.limit,
        targets: args.targets,
        python_path: args.former.additional_sys_path.clone(),
        journey: args.journey,
        drafts: false,
        check: args.check,
    };
    let recorded = with_events(&handle, &mut out, handle.record_attached(program)).await;
    let journey = recorded.as_ref().ok().filter(|_| args.journey).map(|recording| handle.journey(recording.id));
    let handed_out = recorded.as_ref().map_or(Ok(()), |recording| args.former.hand_out(&handle, &mut out, recording));
    handle.close().await;
    let recording = recorded?;
    report(&mut out, &recording, journey.transpose()?.map(|events| events.len()));
    handed_out?;
    Ok(exit_code(&recording.end))
}

/// Says what was recorded: calls, or a journey of so many events.
pub fn report(out: &mut Output, recording: &Recording, journey: Option<usize>) {
    out.result("recording", recording);
    let kept = to_usize(recording.kept);
    if !recording.recorder_seen {
        out.say(
            "pytead-tui: no recorder reported in, so nothing was recorded. The program may have started Python with -I, -S or -E, \
             or no Python at all.",
        );
        return;
    }
    let kept = match journey {
        None => format!("{} kept with values", text::thousands(kept)),
        Some(events) => format!("a journey of {}: pytead-tui export {}", text::count(events, "event"), recording.id.0),
    };
    out.say(format!(
        "pytead-tui: recording {}: {} of {} ({kept}), Python {}.",
        recording.id.0,
        told(recording.seen, recording.at_least),
        text::count(to_usize(recording.functions), "function"),
        recording.python.as_deref().unwrap_or("?"),
    ));
    if let ProgramEnd::Killed(signal) = &recording.end {
        out.say(format!("pytead-tui: the program was ended by {signal}; what was recorded until then is kept."));
    }
    for (gap, count) in crate::engine::gap_lines(&recording.gaps) {
        out.say(format!("pytead-tui: left out: {gap} ({count})."));
    }
}

/// Gives the code the program ended with, as a shell would.
pub fn exit_code(end: &ProgramEnd) -> u8 {
    u8::try_from(end.exit_code() & 0xff).unwrap_or(3)
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
        assert_eq!(exit_code(&ProgramEnd::by_signal(15)), 143);
        assert_eq!(exit_code(&ProgramEnd::by_signal(34)), 162);
    }
}
