//! Every sentence the screen says, in one place: plain, short, and what to do with its key.

mod start;

pub use start::*;

use crate::base::text::{self, count, thousands};
use crate::domain::call::ProgramEnd;
use crate::domain::function::FunctionId;
use crate::domain::reason::Reason;
use crate::domain::snapshot::{Decided, Snapshot};
use crate::domain::verdict::Ruling;

/// Said where the workbench is started without a terminal.
pub const NO_TERMINAL: &str = "The workbench needs a terminal on stdin and stdout.";
/// What to do then.
pub const NO_TERMINAL_TODO: &str =
    "Without one, use: pytead-tui run, gen, replay, draft, review, watch; --format json gives lines for programs.";
/// Said where the terminal cannot place text.
pub const DUMB_TERMINAL: &str = "The workbench cannot draw on this terminal.";
/// Why.
pub const DUMB_TERMINAL_WHY: &str = "TERM is dumb: it has no way to place text.";
/// What to do then.
pub const DUMB_TERMINAL_TODO: &str =
    "Use another terminal, or set TERM to what this one is; review asks line by line and needs no screen.";
/// The question's second sentence.
pub const TRUST_WHY: &str = "Recording and proving run this project's code as you. Reading it runs nothing.";
/// Before it is trusted.
pub const TRUST_SURE: &str = "Trust the code in this folder?";
/// Where the answer is kept.
pub const TRUST_KEPT: &str = "The answer is kept outside the project. Later: pytead-tui trust";
/// Nothing to work on.
pub const NO_FUNCTIONS: &str = "No Python functions in this folder. Open another one: pytead-tui PATH";
/// A key was pressed that needs trust.
pub const ONLY_READING: &str =
    "This folder has to be trusted first. Until then nothing runs. t trusts it, and so does pytead-tui trust.";
/// Nobody chose a model.
pub const NO_MODEL: &str = "No model is set up. Name one in your own config (model.provider and providers.<name>).";
/// A model was asked for and no function is shown.
pub const NO_FUNCTION_HERE: &str = "No function is selected. Choose one on Functions.";
/// What was typed names no model.
pub const NO_MODEL_NAME: &str = "That names no model: owner/repository/file.gguf.";
/// What a large download leads to.
pub const DOWNLOAD_GOES_ON: &str = "It can be stopped, and goes on later where it was.";
/// A second `g`.
pub const ALREADY_ASKED: &str = "A model is writing this one. x cancels.";
/// Esc with nothing to close.
pub const ESC_NOTHING: &str = "Nothing to close. q quits.";
/// A near difference cannot be rejected.
pub const NEAR_HAS_NO_REJECT: &str = "Its input was not recorded. a: it is meant. o: it is a bug. O keeps a test.";
/// Nothing here can be kept as a test.
pub const NO_NEAR_HERE: &str = "No difference beside the recorded inputs is selected.";
/// What is near waits for the recorded differences.
pub const NEAR_RUNS: &str = "Searching beside the recorded inputs";
/// A draft whose input nobody recorded.
pub const NOT_RECORDED: &str = "not recorded: its input is made from a recorded call";
/// A decision was asked for and nothing is there.
pub const NOTHING_WAITS: &str = "Nothing waits for a decision here.";
/// The text is not here yet.
pub const STILL_READING: &str = "It is still being read. The key acts once it is here.";
/// Undo, and nothing is there.
pub const NOTHING_TO_UNDO: &str = "No decision to take back.";
/// Redo, and nothing is there.
pub const NOTHING_TO_REDO: &str = "No decision to make again.";
/// Jumps.
pub const NO_JUMP_BACK: &str = "No earlier place.";
/// Jumps.
pub const NO_JUMP_FORWARD: &str = "No later place.";
/// A reason is too short.
pub const REASON_TOO_SHORT: &str = "Say why in 10 characters or more.";
/// The editor came back with the same text.
pub const EDITOR_UNCHANGED: &str = "Back from the editor: nothing changed.";
/// The editor came back with other text.
pub const EDITOR_CHANGED: &str = "Your version is being proved. Nothing is accepted yet.";
/// The editor was in a source file.
pub const EDITOR_SOURCE: &str = "Back from the editor.";
/// Edit in place was closed.
pub const EDIT_KEPT: &str = "Your edit is kept. i goes on, Ctrl-s proves it.";
/// Watch was stopped.
pub const WATCH_PAUSED: &str = "Watch is paused. p goes on.";
/// Watch goes on.
pub const WATCH_ON: &str = "Watch goes on.";
/// The stream's foot.
pub const NOT_PROVED_YET: &str = "Not proved yet. That starts when the last line is here.";
/// Nothing selected to cancel.
pub const NOTHING_RUNS: &str = "No job runs for what is selected.";
/// The last job answers within a moment.
pub const CANCELLING: &str = "Cancelling.";
/// Not to be decided: the proof runs.
pub const WAITS_FOR_PROOF: &str = "a waits for the proof. s skips, x cancels.";
/// Not to be decided: the gate said no.
pub const CANNOT_BE_ACCEPTED: &str = "It cannot be accepted. e edits it, m asks again, r puts it away.";
/// Not to be decided: old code.
pub const STALE_ON_ACCEPT: &str = "Not accepted: the code under this changed. t shows the new one.";
/// No newer draft yet.
pub const NO_NEWER: &str = "A new draft is being made. Until then this text stays.";
/// Only drafts are edited.
pub const NO_TEXT_TO_EDIT: &str = "There is no draft text here to edit.";
/// An empty command.
pub const EMPTY_COMMAND: &str = "Type a command to record, such as: pytest -q";
/// Unbalanced quotes.
pub const UNBALANCED: &str = "The quotes in this command do not close.";
/// A pipe, a redirection, or several commands.
pub const FOR_A_SHELL: &str = "A pipe or redirection needs a shell. Type: sh -c '…'";
/// A recording is live and `q` was pressed.
pub const QUIT_RECORDING: &str = "A recording is live. Stop it and quit? Its calls are kept.";
/// The clipboard took nothing.
pub const NO_CLIPBOARD: &str = "Not copied: no clipboard command, no tmux, and the terminal's way did not answer.";

/// An edit in place waits.
pub const EDIT_NOT_PROVED: &str = "Your edit in place is not proved yet. i goes on, Ctrl-s proves it.";
/// Stands behind what was decided.
pub const UNDO_HINT: &str = "u takes it back.";
/// It was decided, here or elsewhere.
pub const ALREADY_DECIDED: &str = "Already decided. u takes it back.";
/// Not to be rejected: work goes on.
pub const NOT_READY: &str = "It is not ready yet. x cancels it, s skips it.";
/// Skipped, and nothing else waits.
pub const ONLY_ONE_LEFT: &str = "Skipped. It is the only one left.";
/// A bulk verb, and nothing is ready.
pub const NOTHING_READY: &str = "Nothing in the filter is ready to be decided.";
/// A bulk question before its files are known.
pub const READING_PLAN: &str = "Finding out what would be written.";
/// A decision that leaves every file as it is.
pub const NO_FILE_WRITTEN: &str = "No file is written: the new outcomes are what is expected from now on.";
/// The weak sandbox is taken.
pub const WEAK_YES: &str = "run them in it, here";
/// The weak sandbox is not taken.
pub const WEAK_NO: &str = "never in this folder";
/// What a no to the weak sandbox means.
pub const WEAK_NEVER: &str = "Asked once for this folder. pytead-tui trust changes the answer.";
/// A question stays open.
pub const LATER: &str = "later";
/// A question was left open.
pub const LEFT_OPEN: &str = "A question waits: w asks it again.";
/// After a write that was refused.
pub const NOTHING_LOST: &str = "Nothing was written. Your decision can be made again at any time.";
/// The end of the queue.
pub const NO_OTHER: &str = "No other proposal waits.";
/// The start of the queue.
pub const FIRST_PROPOSAL: &str = "This is the first proposal.";
/// Nothing to clear.
pub const NO_FILTER: &str = "There is no filter. f sets one.";
/// No match to go to.
pub const NO_SEARCH: &str = "No search. / starts one.";
/// Only one edit in place at a time.
pub const OTHER_EDIT_OPEN: &str = "Another draft's edit in place is kept and not proved yet. K goes back to it.";
/// Nothing to repeat.
pub const NOTHING_AGAIN: &str = "There is nothing to do again here.";
/// Nothing to pause.
pub const WATCH_OFF: &str = "Watch is off in the settings (watch.enabled).";
/// The file of the person's keys was written.
pub const KEYS_READ: &str = "Keys read again. ? shows them.";
/// It was written, and is wrong.
pub const KEYS_STAY: &str = "The keys before stay until it is fixed.";
/// No reasons known.
pub const NOTHING_TO_EXPLAIN: &str = "There is nothing to explain here.";
/// Nothing to go to.
pub const NOTHING_TO_OPEN: &str = "There is nothing to open here. The log says what it did.";
/// A recording without calls.
pub const NO_CALL_KEPT: &str = "No call of this project was kept from it.";
/// A recording without calls, while something is recorded.
pub const NO_CALL_YET: &str = "No call of this project is kept from it so far.";
/// No recording.
pub const NO_RECORDING: &str = "Nothing recorded yet. ! records what your program does.";
/// Nothing is cut here.
pub const NOTHING_MORE: &str = "Nothing more to show here.";
/// An empty line.
pub const NOTHING_TO_COPY: &str = "There is nothing to copy on this line.";
/// No draft.
pub const NOTHING_TO_COMPARE: &str = "There is nothing to compare here.";
/// Nothing to compare with.
pub const ONE_LOOK: &str = "There is only one way to look at this.";
/// What is sent for a YAML test, where a function and its calls are sent otherwise.
pub const SPEC_REQUEST: &str = "What the test is to show, and the names of your tools and functions";
/// Above a draft whose code changed.
pub const STALE_DRAFT: &str = "The code under this changed. This is the text from before.";
/// Above a model's draft whose function has another signature or docstring now.
pub const STALE_PROMISE: &str = "Signature or docstring changed since this draft. t asks again.";
/// Above a change whose code changed again.
pub const STALE_CHANGE: &str = "The code changed again since.";
/// A change that waits no more: the code went back.
pub const ENDS_AS_BEFORE: &str = "It ends as before again. There is nothing to decide.";
/// What waits no more: another workbench decided.
pub const WAITS_NO_MORE: &str = "Already decided in another window.";
/// Above a draft that has a newer one.
pub const NEWER_READY: &str = "A new draft is ready. t shows it.";
/// Above a draft the gate turned down.
pub const REFUSED: &str = "It cannot be accepted.";
/// Above a draft that broke.
pub const FAILED: &str = "It did not get ready. t tries again.";
/// Above a draft a person edited.
pub const YOUR_VERSION: &str = "This is your version. = compares it with the draft.";

/// No test with an intent was judged.
pub const NO_JOURNEYS: &str = "No journey yet. T runs the tests that have an intent, and shows here what they did.";
/// A test with an intent that no run judged yet.
pub const NEVER_JUDGED: &str = "Never judged. t runs it and judges it, T all tests with an intent.";
/// All tests with an intent begin to be judged.
pub const JUDGING_ALL: &str = "The tests with an intent are run and judged.";
/// A journey without calls.
pub const NO_CALLS_TOLD: &str = "Nothing of the project was called by this test.";
/// A verdict is not put away.
pub const VERDICT_STANDS: &str =
    "A verdict stands until the code, the intent or what was accepted changes. t judges it again, o overrules it.";
/// Nothing to decide.
pub const PASSES: &str = "It passes. There is nothing to decide.";
/// Nothing to decide.
pub const IS_OVERRIDDEN: &str = "It is overridden. The override ends when its journey or its clauses change.";
/// Nothing to decide.
pub const JUDGE_BROKE: &str = "ERROR, not FAIL: the judge gave no verdict. The test is not red. t judges again.";
/// A clause that no line shows.
pub const NO_EVIDENCE: &str = "No line of the journey shows this clause.";
/// The end of the evidence.
pub const NO_MORE_EVIDENCE: &str = "No more evidence that way.";
/// The end of the tests.
pub const NO_OTHER_TEST: &str = "No other test with an intent is in the filter.";
/// The start of the tests.
pub const FIRST_TEST: &str = "This is the first test.";

/// The line of the list of clauses that asks for more.
pub const ASK_FOR_CLAUSES: &str = "Ask the model for clauses that say the intent";
/// What it does.
pub const ASKING_FOR_CLAUSES: &str = "runs the test once more; nothing is accepted by it";
/// The clauses of a test stand beside it.
pub const CLAUSES_BESIDE: &str = "Its own sentences decide this test, or what was accepted: there is nothing to propose.";
/// A second `g`.
pub const CLAUSES_ASKED: &str = "The model is being asked for clauses. x cancels.";

/// A model proposed clauses.
#[must_use]
pub fn clauses_proposed(line: &str) -> String {
    format!("{line}. e on the intent chooses from them.")
}

/// Words of an intent that no proposed clause says.
#[must_use]
pub fn not_said(words: &str) -> String {
    format!("No clause says “{words}”")
}

/// Clauses were chosen for a test.
#[must_use]
pub fn clauses_chosen(number: usize) -> String {
    match number {
        0 => "No clause chosen: a accepts what the test does now.".into(),
        _ => format!("{} chosen. e chooses more, a accepts.", count(number, "clause")),
    }
}

/// A test was judged.
#[must_use]
pub fn judged(test: &str, ruling: Ruling, overridden: bool, here: bool) -> String {
    let name = test.split_once("::").map_or(test, |(_, name)| name);
    let shows = if here { "" } else { " 2 shows it." };
    match ruling {
        _ if overridden => format!("{name} is overridden."),
        Ruling::Pass => format!("PASS: {name} does what it is for."),
        Ruling::Fail => format!("FAIL: {name}.{shows}"),
        Ruling::Unclear => format!("UNCLEAR: {name}.{shows}"),
        Ruling::Error => format!("ERROR, not FAIL: the judge gave no verdict on {name}.{shows}"),
    }
}

/// There is no YAML test.
pub const NO_SPECS: &str = "No YAML test here yet. Files in tests/llm are such tests: docs/specs.md shows how to write one.";
/// A YAML test that never ran.
pub const SPEC_NOT_RUN: &str = "It did not run yet. t runs it.";
/// A YAML test runs already.
pub const SPEC_RUNS: &str = "It runs already. x stops it; teardown is run all the same.";
/// A YAML test with mistakes is not run.
pub const SPEC_WRONG: &str = "It is not run: its file has mistakes. e opens it at the first one.";
/// The end of the YAML tests.
pub const NO_OTHER_SPEC: &str = "No other YAML test is in the filter that way.";
/// The start of the YAML tests.
pub const FIRST_SPEC: &str = "This is the first YAML test.";

/// All YAML tests were asked for.
#[must_use]
pub fn specs_begin(number: usize) -> String {
    format!("Running {}. x stops them.", count(number, "YAML test"))
}

/// A YAML test runs again because of a save.
#[must_use]
pub fn spec_again(name: &str, why: &str) -> String {
    format!("Running {name} again: {why}.")
}

/// A YAML test is over.
#[must_use]
pub fn spec_ended(name: &str, ruling: Ruling, reason: &str, here: bool) -> String {
    let shows = if here || ruling == Ruling::Pass { "" } else { " 3 shows it." };
    format!("{}: {name}. {reason}{shows}", ruling.word())
}

/// Nothing to decide: what was recorded is what today's code does.
pub const AS_RECORDED: &str = "Nothing to decide: these calls were recorded with today's code, which ends as then.";
/// The code is another one than was compared.
pub const DIFF_STALE: &str = "The code changed since it was compared. Compare again before deciding?";
/// A decision while a comparison runs.
pub const DIFF_RUNS: &str = "It is being compared. x cancels.";
/// An empty name.
pub const NO_COMMIT: &str = "Name a commit, a branch or a tag, such as HEAD.";

/// Nothing was compared so far.
#[must_use]
pub fn no_diff(running: Option<&str>) -> String {
    match running {
        Some(reference) => format!("Comparing with {reference}. x cancels."),
        None => "Nothing compared yet. D runs recorded calls on a commit's files and on today's.".into(),
    }
}

/// A comparison came to its end.
#[must_use]
pub fn diffed(reference: &str, functions: u64, compared: u64, differ: u64, here: bool) -> String {
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let calls = count(number(compared), "call");
    let shows = if here { "" } else { " 6 shows them." };
    match differ {
        0 => format!("Compared {calls} with {reference}: all end as before."),
        _ => format!("Compared {calls} with {reference}: {differ} differ in {}.{shows}", count(number(functions), "function")),
    }
}

/// Too small, by size.
#[must_use]
pub fn too_small(width: u16, height: u16) -> [String; 4] {
    [format!("Too small: {width}×{height}."), "It needs 40×10.".into(), "Nothing is lost.".into(), "q quits".into()]
}

/// Counts the project's own functions: tests are not what is tested.
#[must_use]
pub fn own_functions(snapshot: &Snapshot) -> usize {
    snapshot.files.iter().filter(|file| !file.is_test).map(|file| file.functions).sum()
}

/// Nothing was recorded so far.
#[must_use]
pub fn nothing_recorded(snapshot: &Snapshot) -> String {
    let files = snapshot.files.iter().filter(|file| !file.is_test).count();
    let functions = count(own_functions(snapshot), "function");
    format!("{}: {functions} in {}. Nothing recorded.", snapshot.project, count(files, "file"))
}

/// The queue is done.
#[must_use]
pub fn queue_done(decided: Decided) -> String {
    let all = decided.accepted + decided.edited + decided.rejected + decided.overruled;
    let parts: Vec<String> = [
        (decided.accepted, "accepted"),
        (decided.edited, "edited"),
        (decided.rejected, "rejected"),
        (decided.overruled, "noted as a bug"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect();
    if all == 0 {
        return "Nothing waits for you. ! records more.".into();
    }
    if all == 1 {
        return format!("Decided: {}. u goes back. ! records more.", parts.join(", "));
    }
    format!("All {all} decided: {}. u goes back. ! records more.", parts.join(", "))
}

/// The filter leaves nothing.
#[must_use]
pub fn filter_hides(hidden: usize, noun: &str) -> String {
    format!("The filter hides all {}. F clears it.", count(hidden, noun))
}

/// The filter leaves one, and it is this one.
#[must_use]
pub fn no_other_in_filter(hidden: usize) -> String {
    let verb = if hidden == 1 { "waits" } else { "wait" };
    format!("No other one in the filter; {} {verb} outside of it. F clears it.", thousands(hidden))
}

/// A function no recording saw.
#[must_use]
pub fn never_called(name: &str) -> String {
    format!("{name} was not called in any recording.")
}

/// A function whose recorded calls were cleaned away.
#[must_use]
pub fn calls_gone(name: &str) -> String {
    format!("No recorded call of {name} is kept.")
}

/// A function that cannot be tested.
#[must_use]
pub fn no_test(name: &str, reason: &Reason) -> String {
    format!("No test for {name}: {reason}.")
}

/// A function that is no more.
#[must_use]
pub fn gone(name: &str) -> String {
    format!("{name} is not in the project any more.")
}

/// A key without a meaning.
#[must_use]
pub fn unbound(key: &str) -> String {
    match key {
        "G" => "G does nothing here. > goes to the end, ? shows the keys.".into(),
        key => format!("{key} does nothing here. ? shows the keys."),
    }
}

/// A key whose action makes no sense now.
#[must_use]
pub fn not_now(title: &str, why: &str) -> String {
    format!("not now: {title} ({why})")
}

/// Reading goes on.
#[must_use]
pub fn reading((done, total): (usize, usize)) -> String {
    format!("Reading {} of {} files", thousands(done), thousands(total))
}

/// Files of the project do not parse.
#[must_use]
pub fn unparsed(files: usize) -> String {
    format!("{} {} not parse", count(files, "file"), if files == 1 { "does" } else { "do" })
}

/// A change was put away and still shows.
#[must_use]
pub fn stays_red(name: &str, did: &str, by: &str) -> String {
    format!("✗ {name} stays red: its change was {did}{by}.")
}

/// What ends a red mark.
pub const RED_UNTIL: &str = "It ends when its calls end as before: t on Calls runs them again. u takes the last decision back.";

/// What was copied and how.
#[must_use]
pub fn copied(lines: usize, route: &str) -> String {
    format!("Copied {} through {route}.", count(lines, "line"))
}

/// Many were decided.
#[must_use]
pub fn bulk_done(accepted: bool, number: usize) -> String {
    let verb = if accepted { "Accepted" } else { "Rejected" };
    format!("{verb} {}. u takes them back.", count(number, "proposal"))
}

/// Many decisions were taken back at once.
#[must_use]
pub fn all_taken_back(number: usize) -> String {
    format!("Taken back: {}. U decides them again.", count(number, "decision"))
}

/// Many were decided again at once.
#[must_use]
pub fn all_decided_again(number: usize) -> String {
    format!("Decided again: {}. u takes them back.", count(number, "decision"))
}

/// Matches of a search.
#[must_use]
pub fn matches(at: usize, all: usize) -> String {
    format!("match {at} of {}", thousands(all))
}

/// No match.
#[must_use]
pub fn no_match(words: &str) -> String {
    format!("No match for {words} in this pane.")
}

/// A decision was made before.
#[must_use]
pub fn already(how: &str) -> String {
    format!("Already {how}. u takes it back.")
}

/// A decision was taken back.
#[must_use]
pub fn taken_back(name: &str) -> String {
    format!("Taken back: {name} waits again.")
}

/// A recording ended.
#[must_use]
pub fn recording_ended(number: i64, end: &ProgramEnd, kept: u64) -> String {
    if let ProgramEnd::NotStarted(why) = end {
        return format!("The program did not start: {why}.");
    }
    end.summary(kept).unwrap_or_else(|| match kept {
        0 => format!("Recording {number}: no call of this project was kept. v shows the output."),
        _ => {
            let calls = count(usize::try_from(kept).unwrap_or(usize::MAX), "call");
            format!("Recording {number}: {calls} kept. Drafts come next.")
        }
    })
}

/// A program is being recorded.
#[must_use]
pub fn drafts_come(recording: i64, waits: usize) -> String {
    if waits == 0 {
        return format!("Recording {recording} is live. Drafts come after its end.");
    }
    format!("Recording {recording} is live. {}", drafts_wait(waits))
}

/// Saves are not reacted to.
#[must_use]
pub fn paused(since: &str, files: usize) -> String {
    match files {
        0 => format!("Paused since {since}: no file waits. p goes on."),
        1 => format!("Paused since {since}: 1 file waits. w names it, p goes on."),
        _ => format!("Paused since {since}: {} files wait. w names them, p goes on.", thousands(files)),
    }
}

/// Something waits on another screen.
#[must_use]
pub fn drafts_wait(waits: usize) -> String {
    let (verb, them) = if waits == 1 { ("waits", "it") } else { ("wait", "them") };
    format!("{} {verb} for you. 1 shows {them}.", count(waits, "proposal"))
}

/// The calls of a function end as before again.
#[must_use]
pub fn restored(name: &str) -> String {
    format!("{name} ends as before again.")
}

/// Recorded calls were run again.
#[must_use]
pub fn replayed(calls: &str, time: &str, same: u64, changed: u64) -> String {
    let number = |n: u64| thousands(usize::try_from(n).unwrap_or(usize::MAX));
    format!("Replayed {calls} in {time}: {} as before, {} changed.", number(same), number(changed))
}

/// A model writes.
#[must_use]
pub fn writing(line: usize) -> String {
    format!("Writing line {line}. x cancels, what is here is kept.")
}

/// No test of the project is known to run a function.
#[must_use]
pub fn no_tests_through(function: &FunctionId) -> String {
    format!("No test runs {}, as far as recordings know. Record one: ! pytest", text::display_line(function.qualname()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_calm_and_end() {
        let source = include_str!("words.rs");
        let said = source.lines().filter_map(|line| line.split_once("&str = \"")).map(|(_, rest)| rest.trim_end_matches("\";"));
        let mut seen = 0;
        for sentence in said {
            seen += 1;
            assert!(
                !sentence.ends_with('!') && !sentence.contains("! ")
                    || sentence.contains("! or")
                    || sentence.contains("! records"),
                "{sentence}"
            );
            for word in ["please", "oops", "sorry"] {
                assert!(!sentence.to_lowercase().contains(word), "{sentence}");
            }
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn the_queues_end_counts_what_happened() {
        let decided = Decided { accepted: 15, edited: 1, rejected: 1, overruled: 0 };
        assert_eq!(queue_done(decided), "All 17 decided: 15 accepted, 1 edited, 1 rejected. u goes back. ! records more.");
        assert_eq!(queue_done(Decided::default()), "Nothing waits for you. ! records more.");
    }

    #[test]
    fn the_end_of_a_program_is_said_without_blame() {
        let said = recording_ended(7, &ProgramEnd::Exited(3), 88);
        assert_eq!(said, "Your program ended with exit code 3. Its 88 calls are kept and usable.");
        let said = recording_ended(7, &ProgramEnd::Exited(4), 0);
        assert_eq!(said, "Your program ended with exit code 4. It made no call that is kept.");
        assert_eq!(replayed("31 calls", "300 ms", 28, 3), "Replayed 31 calls in 300 ms: 28 as before, 3 changed.");
    }
}
