use super::*;
use crate::domain::proposal::Origin;
use crate::domain::reason::wording::reworded;
use crate::domain::samples;
use crate::pytest::warm::{Fault, Look};

fn draft() -> Draft {
    let text = "def test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2) == 3\n";
    Draft { tests: vec!["test_a".into(), "test_b".into()], ..samples::draft(&["from m import f"], text) }
}

fn run(manner: Manner, seed: u32, results: &[(&str, bool)]) -> Run {
    let results = results
        .iter()
        .map(|(name, passed)| TestResult {
            name: (*name).to_owned(),
            passed: *passed,
            message: if *passed { String::new() } else { "assert 2 == 3".into() },
            lines: if *passed { vec![] } else { vec!["    def test_b():".into(), "assert 2 == 3".into()] },
            interrupted: None,
            reached: vec![],
        })
        .collect();
    let varied = if seed == 8 { vec![Variation::TimeZone] } else { vec![] };
    Run { manner, fresh: false, hash_seed: Some(seed), varied, end: RunEnd::Finished(results) }
}

/// Both tests alone and in company, with these results of `test_b`.
fn trial(alone: bool, company: bool) -> Trial {
    let runs = vec![
        run(Manner::Alone, 1, &[("test_a", true), ("test_b", alone)]),
        run(Manner::Forward, 1, &[("test_a", true), ("test_b", company)]),
        run(Manner::Backward, 8, &[("test_a", true), ("test_b", company)]),
    ];
    Trial { runs, ..Trial::default() }
}

fn faults(noticed: &[&[&str]]) -> Faults {
    let fault = |(at, by): (u32, &&[&str])| {
        (Fault { label: format!("fault {at}"), line: at, number: at }, by.iter().map(|name| (*name).to_owned()).collect())
    };
    Faults::Some((1..).zip(noticed).map(fault).collect())
}

fn left(what: &str, kind: TraceKind) -> Look {
    let (module, name) = what.rsplit_once('.').map_or((None, None), |(module, name)| (Some(module.into()), Some(name.into())));
    Look {
        left: vec![Trace { what: what.into(), kind, module, name, logger: None, old: Some("None".into()) }],
        ..Look::default()
    }
}

fn ground() -> Ground {
    Ground { function: "f".into(), ..Ground::default() }
}

/// A reason that is about a test.
fn of(test: &str, reason: Reason) -> Reason {
    reason.at(Place::Test(test.to_owned()))
}

/// What is left of the draft, and why the rest went.
fn rest(trial: &Trial) -> (Vec<String>, Vec<Reason>) {
    let proof = judge(&draft(), trial, &ground());
    let Verdict::Again(rest) = proof.verdict else { panic!("{proof:?}") };
    (rest.tests, rest.left_out.into_iter().map(|left| left.reason).collect())
}

#[test]
fn what_passes_everywhere_is_ready_and_says_where() {
    let mut trial = trial(true, true);
    trial.faults = faults(&[&["test_a", "test_b"], &["test_b"], &[]]);
    trial.clock = Clock::NotVaried;
    let ground = Ground { containment: Some("namespaces".into()), recorded: Some("today 10:38".into()), calls: 12, ..ground() };
    let proof = judge(&draft(), &trial, &ground);
    assert_eq!((proof.verdict, proof.proved), (Verdict::Ready, (6, 6)));
    assert_eq!(proof.evidence[2].more, ["not noticed: line 3: fault 3"]);
    let lines: Vec<(String, String)> =
        proof.evidence.into_iter().map(|line| (line.what.to_string(), line.detail.to_string())).collect();
    let expected = [
        ("passes", "6/6: alone, in 2 orders, 2 hash seeds, other time zone"),
        ("fresh process", "the runs were forks of warm ones; one in a fresh one follows"),
        ("can fail", "2 of 3 faults put into f() noticed: fault 1; fault 2"),
        ("clock", "not varied: it ran in fresh processes, where it is as late as it is"),
        ("contained", "namespaces"),
        ("why here", "recorded today 10:38, 12 calls, no test yet"),
        ("left out", "nothing"),
    ];
    assert_eq!(lines, expected.map(|(what, detail)| (what.to_owned(), detail.to_owned())));
}

/// G5: a mutant that no recorded call separates is none that another choice of calls would kill.
#[test]
fn mutants_that_no_recorded_call_separates_are_counted() {
    let mut trial = trial(true, true);
    trial.faults = faults(&[&["test_a", "test_b"], &[], &[], &[]]);
    let more = |numbers: &[u32]| {
        let draft = Draft { unseparated: numbers.iter().copied().collect(), ..draft() };
        judge(&draft, &trial, &ground()).evidence[2].more.last().cloned()
    };
    assert_eq!(more(&[]).as_deref(), Some("not noticed: line 4: fault 4"));
    assert_eq!(more(&[2, 3]).as_deref(), Some("2 of 4 faults: no recorded call separates them"));
    assert_eq!(more(&[1, 4]).as_deref(), Some("1 of 4 faults: no recorded call separates it"), "1 is noticed");
}

/// R5: what passes on this machine alone is no test for the others, so somebody looks at it.
#[test]
fn what_only_this_machine_has_is_marked() {
    let ground = Ground { machine: vec!["6.1.0-13-amd64".into()], ..ground() };
    let held = |draft: &Draft| {
        let proof = judge(draft, &trial(true, true), &ground);
        proof.evidence.into_iter().find(|line| line.what == EvidenceKind::Sensitive).map(|line| line.detail.to_string())
    };
    assert_eq!(held(&draft()), None);
    let here = Draft { text: format!("{}\n# 6.1.0-13-amd64\n", draft().text), ..draft() };
    assert_eq!(held(&here).as_deref(), Some("what only this machine has"));
}

#[test]
fn a_failing_test_is_taken_out_and_the_rest_is_proved_again() {
    let proof = judge(&draft(), &trial(false, false), &ground());
    let Verdict::Again(rest) = proof.verdict else { panic!("{:?}", proof.verdict) };
    assert_eq!(rest.tests, ["test_a"]);
    assert_eq!(rest.left_out, [LeftOut { calls: 1, reason: of("test_b", ReasonCode::Fails.with("assert 2 == 3")) }]);
    assert_eq!((proof.evidence[0].what.text().as_ref(), &*proof.evidence[0].detail), ("fails alone", "test_b, 3 of 3 runs"));
    assert_eq!(proof.evidence[0].more.last().map(String::as_str), Some("assert 2 == 3"));
}

#[test]
fn a_flaky_test_is_called_flaky_and_one_that_depends_on_something_says_on_what() {
    let mut trial = trial(true, false);
    let proof = judge(&draft(), &trial, &ground());
    assert_eq!((proof.evidence[0].finding, &*proof.evidence[0].detail), (Finding::Flaky, "test_b passes 1 of 3 runs"));
    trial.blamed.insert("test_b".into(), Blame { when: When::TimeZone, message: "assert 2 == 3".into(), lines: vec![] });
    assert_eq!(rest(&trial).1, [of("test_b", ReasonCode::FailsInTimezone.with("assert 2 == 3"))]);
}

#[test]
fn nothing_is_ready_that_was_not_run() {
    let refused = |runs: Vec<Run>| judge(&draft(), &Trial { runs, ..Trial::default() }, &ground()).verdict;
    assert_eq!(refused(vec![]), Verdict::Broken);
    assert_eq!(refused(vec![run(Manner::Alone, 1, &[])]), Verdict::Refused);
    assert_eq!(refused(vec![run(Manner::Alone, 1, &[("test_a", true)])]), Verdict::Refused);
    assert_eq!(refused(vec![run(Manner::Alone, 1, &[("test_a", false), ("test_b", false)])]), Verdict::Refused);
    let proof = judge(&draft(), &uncollected(None), &ground());
    assert_eq!(proof.verdict, Verdict::Refused);
    assert_eq!(proof.evidence[0].more, ["E no module"]);
}

fn uncollected(at: Option<u32>) -> Trial {
    let end = RunEnd::NotCollected { lines: vec!["E no module".into()], at };
    Trial { runs: vec![Run { end, ..run(Manner::Alone, 1, &[]) }], ..Trial::default() }
}

#[test]
fn a_test_that_keeps_its_file_from_being_collected_takes_no_other_with_it() {
    let text = draft().standalone();
    let line = |of: &str| u32::try_from(text.lines().position(|line| line.contains(of)).unwrap() + 1).ok();
    let (left, reasons) = rest(&uncollected(line("def test_b")));
    let reason = of("test_b", ReasonCode::CollectionError.with("E no module"));
    assert_eq!((left, reasons), (vec!["test_a".to_owned()], vec![reason]));
    let said = "Failed: In tests/test_m.py::test_b: function uses no argument 'row'";
    for at in [None, line("def test_a")] {
        let mut named = uncollected(at);
        named.runs[0].end = RunEnd::NotCollected { lines: vec![said.into()], at };
        assert_eq!(rest(&named).0, ["test_a"], "pytest names the other");
    }
    let imports = judge(&draft(), &uncollected(Some(1)), &ground());
    assert_eq!(imports.verdict, Verdict::Refused, "an import is of all of them");
}

#[test]
fn a_test_that_cannot_fail_is_taken_out() {
    let mut trial = trial(true, true);
    trial.faults = faults(&[&["test_a"], &["test_a"]]);
    let reason = of("test_b", ReasonCode::KillsNoMutant.of("f").with(2));
    assert_eq!(rest(&trial), (vec!["test_a".to_owned()], vec![reason]));
    trial.faults = faults(&[]);
    assert_eq!(judge(&draft(), &trial, &ground()).verdict, Verdict::Ready, "a function that takes no fault says nothing");
}

#[test]
fn a_test_that_passes_with_a_negated_assertion_is_taken_out() {
    let mut trial = trial(true, true);
    trial.negations.unnoticed.insert("test_b".into(), "assert f(2) == 9".into());
    let reason = of("test_b", ReasonCode::AssertionCannotFail.with("assert f(2) == 9"));
    assert_eq!(rest(&trial), (vec!["test_a".to_owned()], vec![reason]));
    // That of a helper is of every test.
    trial.negations.unnoticed.insert(String::new(), "assert x".into());
    assert_eq!(judge(&draft(), &trial, &ground()).verdict, Verdict::Refused);
}

#[test]
fn the_one_that_spoils_others_goes_and_its_victims_stay() {
    let mut trial = trial(true, false);
    trial.excused.insert("test_b".into());
    trial.spoilers.insert("test_a".into(), "test_b".into());
    trial.looks.insert("test_a".into(), left("m._seen", TraceKind::Content));
    let reason = of("test_a", ReasonCode::Polluter.of("test_b").with("m._seen"));
    assert_eq!(rest(&trial), (vec!["test_b".to_owned()], vec![reason]));
}

#[test]
fn what_changes_the_process_goes_and_what_fills_a_cache_stays() {
    let mut trial = trial(true, true);
    trial.looks.insert("test_a".into(), left("the working folder", TraceKind::Process));
    assert_eq!(rest(&trial).1, [of("test_a", ReasonCode::PollutesState.with("the working folder"))]);
    trial.looks.insert("test_a".into(), left("exit handlers", TraceKind::Exit));
    assert_eq!(judge(&draft(), &trial, &ground()).verdict, Verdict::Ready, "the project's own code has them run");
    let edited = judge(&draft(), &trial, &Ground { edited: true, ..ground() });
    assert_ne!(edited.verdict, Verdict::Ready, "somebody else's text may end the run by them");
    trial.looks.insert("test_a".into(), left("m._cache", TraceKind::Content));
    let proof = judge(&draft(), &trial, &ground());
    assert_eq!(proof.verdict, Verdict::Ready);
    assert!(proof.evidence.iter().any(|line| line.detail == "changes m._cache; no other test minds"), "{proof:?}");
    trial.once.insert("test_a".into());
    assert_eq!(rest(&trial).1, [of("test_a", ReasonCode::NonIdempotent.with("m._cache"))]);
}

#[test]
fn a_setting_is_put_back_unless_a_person_wrote_the_test() {
    let mut trial = trial(true, true);
    trial.looks.insert("test_a".into(), left("m.lang", TraceKind::Setting));
    let proof = judge(&draft(), &trial, &ground());
    let Verdict::Again(mended) = proof.verdict else { panic!("{proof:?}") };
    assert!(mended.text.contains("    monkeypatch.setattr(\"m.lang\", None)\n"), "{}", mended.text);
    assert_eq!(proof.evidence[0].detail, "it puts m.lang back");
    let proof = judge(&draft(), &trial, &Ground { edited: true, ..ground() });
    assert_eq!(proof.evidence[0].detail, "test_a changes m.lang and does not put it back");
}

#[test]
fn what_a_model_wrote_is_not_ready_where_no_fault_was_tried() {
    let mut trial = trial(true, true);
    trial.faults = Faults::None("the warm one ended".into());
    assert_eq!(judge(&draft(), &trial, &ground()).verdict, Verdict::Ready, "its assertions are recorded ones");
    let model = Draft { origin: Origin::Model("m".into()), ..draft() };
    let proof = judge(&model, &trial, &ground());
    assert_eq!(proof.verdict, Verdict::Broken);
    assert_eq!(
        (proof.evidence[0].what.text().as_ref(), &*proof.evidence[0].detail),
        ("can fail", "not tried: the warm one ended")
    );
    assert_eq!(judge(&model, &trial, &Ground { edited: true, ..ground() }).verdict, Verdict::Ready, "a person wrote it");
    trial.cold = Some("a warm one gave another result".into());
    let proof = judge(&draft(), &trial, &Ground { edited: true, ..ground() });
    assert_eq!(proof.verdict, Verdict::Broken, "what was not tried is not verified");
}

#[test]
fn a_models_test_has_to_add_something() {
    let mut trial = trial(true, true);
    trial.faults = faults(&[&["test_a", "test_b"]]);
    let look = |steps: &[(u32, u32)]| Look { steps: steps.to_vec(), ..Look::default() };
    trial.looks = BTreeMap::from([("test_a".into(), look(&[(0, 2)])), ("test_b".into(), look(&[(0, 2)]))]);
    assert_eq!(judge(&draft(), &trial, &ground()).verdict, Verdict::Ready, "recorded ones were chosen already");
    let model = Draft { origin: Origin::Model("m".into()), ..draft() };
    let proof = judge(&model, &trial, &ground());
    assert_eq!(proof.evidence[0].detail, "test_b shows nothing that the tests before it do not");
    trial.looks.insert("test_b".into(), look(&[(0, 2), (2, 3)]));
    assert_eq!(judge(&model, &trial, &ground()).verdict, Verdict::Ready, "it goes another way");
    trial.looks.insert("test_b".into(), look(&[(0, 2)]));
    trial.faults = faults(&[&["test_a", "test_b"], &["test_b"]]);
    assert_eq!(judge(&model, &trial, &ground()).verdict, Verdict::Ready, "it notices another fault");
}

#[test]
fn a_models_row_that_shows_nothing_goes_alone_or_stays() {
    let judged = |rows: &str| {
        let text = format!(
            "@pytest.mark.parametrize('a,b', {rows})\ndef test_a(a, b):\n    assert f(a) == b\n\n\ndef test_b():\n    assert f(2) == 3\n"
        );
        let model = Draft { origin: Origin::Model("m".into()), text, ..draft() };
        let results = [("test_a[1-1]", true), ("test_a[2-2]", true), ("test_b", true)];
        let runs = vec![run(Manner::Alone, 1, &results), run(Manner::Forward, 1, &results)];
        let faults = faults(&[&["test_a[1-1]", "test_a[2-2]", "test_b"], &["test_b"]]);
        judge(&model, &Trial { runs, faults, ..Trial::default() }, &ground())
    };
    let Verdict::Again(rest) = judged("[(1, 1), (2, 2)]").verdict else { panic!("the row goes") };
    assert!(rest.text.contains("[(1, 1)]") && rest.text.contains("test_b"), "{}", rest.text);
    assert_eq!(judged("ROWS").verdict, Verdict::Ready, "which row it is, nobody knows: all stay");
}

/// What the gate does follows codes: with every message worded anew it is the same.
#[test]
fn no_verdict_depends_on_the_wording_of_a_reason() {
    reworded(|| {
        a_failing_test_is_taken_out_and_the_rest_is_proved_again();
        a_flaky_test_is_called_flaky_and_one_that_depends_on_something_says_on_what();
        a_test_that_keeps_its_file_from_being_collected_takes_no_other_with_it();
        a_test_that_cannot_fail_is_taken_out();
        the_one_that_spoils_others_goes_and_its_victims_stay();
        what_changes_the_process_goes_and_what_fills_a_cache_stays();
    });
}

/// What the sandbox refuses decides no outcome, and without one a test would change the machine.
#[test]
fn a_test_that_reaches_out_of_its_process_is_left_out() {
    for (reach, detail, code) in [
        (Reach::File as fn(String) -> Reach, "os.mkdir made", ReasonCode::WritesOutsideTmpPath),
        (Reach::Outside, "socket.connect", ReasonCode::LeavesProcess),
    ] {
        let mut trial = trial(true, true);
        trial.faults = faults(&[&["test_a", "test_b"]]);
        let RunEnd::Finished(results) = &mut trial.runs[2].end else { unreachable!() };
        results[1].reached = vec![reach(detail.into())];
        assert_eq!(rest(&trial), (vec!["test_a".to_owned()], vec![of("test_b", code.with(detail))]), "{detail}");
    }
}

/// Files that `tempfile` makes go to a folder that pytest clears; those with a name of their own do not.
#[test]
fn a_test_that_leaves_temporary_files_makes_them_below_tmp_path() {
    let mut trial = trial(true, true);
    let RunEnd::Finished(results) = &mut trial.runs[2].end else { unreachable!() };
    results[1].reached = vec![Reach::Temporary("write /tmp/x".into())];
    let Verdict::Again(mended) = judge(&draft(), &trial, &ground()).verdict else { panic!("it can be mended") };
    assert!(
        mended.text.contains("def test_b(monkeypatch, tmp_path):\n    monkeypatch.setattr(\"tempfile.tempdir\", str(tmp_path))")
    );
    assert_eq!(mended.tests, ["test_a", "test_b"]);
    let Verdict::Again(rest) = judge(&mended, &trial, &ground()).verdict else { panic!("it was no help") };
    assert_eq!(rest.tests, ["test_a"]);
}

#[test]
fn a_test_that_warns_of_what_nobody_recorded_is_left_out() {
    for (detail, may_warn, is_left_out) in [
        ("DeprecationWarning: old", false, true),
        ("DeprecationWarning: old", true, false),
        ("RuntimeWarning: coroutine 'f' was never awaited", true, true),
    ] {
        let mut trial = Trial { may_warn, ..trial(true, true) };
        trial.faults = faults(&[&["test_a", "test_b"]]);
        let RunEnd::Finished(results) = &mut trial.runs[0].end else { unreachable!() };
        results[1].reached = vec![Reach::Warning(detail.into())];
        let verdict = judge(&draft(), &trial, &ground()).verdict;
        assert_eq!(matches!(verdict, Verdict::Again(_)), is_left_out, "{detail}");
    }
}

#[test]
fn a_test_that_holds_the_version_of_python_is_left_out() {
    let mut trial = trial(true, true);
    trial.faults = faults(&[&["test_a", "test_b"]]);
    let ground = Ground { versions: vec!["f(2)".into()], ..ground() };
    let Verdict::Again(rest) = judge(&draft(), &trial, &ground).verdict else { panic!("it stays") };
    assert_eq!(rest.tests, ["test_a"]);
}

#[test]
fn a_row_that_is_skipped_counts_for_nothing_beside_one_that_passes() {
    use crate::pytest::report::{Outcome, TestResult as Said};
    let said = |name: &str, outcome| Said {
        nodeid: format!("t.py::{name}"),
        name: name.to_owned(),
        outcome,
        line: None,
        message: String::new(),
        lines: Vec::new(),
        interrupted: None,
        reached: Vec::new(),
        took: std::time::Duration::ZERO,
    };
    let names = |all: &[Said]| match RunEnd::finished(&all.iter().collect::<Vec<_>>()) {
        RunEnd::Finished(results) => results.into_iter().map(|result| (result.name, result.passed)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let passed = |name: &str| (name.to_owned(), true);
    let skipped = |name: &str| (name.to_owned(), false);
    let (pass, skip) = (Outcome::Passed, Outcome::Skipped);
    assert_eq!(names(&[said("test_a[x]", pass), said("test_a[y]", skip)]), [passed("test_a[x]")]);
    assert_eq!(names(&[said("test_a[x]", pass), said("test_b[y]", skip)]), [passed("test_a[x]"), skipped("test_b[y]")]);
    assert_eq!(names(&[said("test_a", skip)]), [skipped("test_a")]);
    let failed = [said("test_a[x]", Outcome::Failed), said("test_a[y]", skip)];
    assert_eq!(names(&failed), [skipped("test_a[x]"), skipped("test_a[y]")]);
}
