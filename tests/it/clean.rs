//! `pytead-tui clean` on the real binary: what goes, what stays, and what is said of it.

use crate::harness::{Place, Terminal};

fn project() -> Place {
    Place::prepared("clean", || {
        let place = Place::empty();
        place.save("lib.py", "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x * 2\n");
        place.save("main.py", "import lib\nlib.f(1)\n");
        place.save("other.py", "import lib\nfor n in range(400):\n    lib.g('x' * n)\n");
        for program in ["main.py", "other.py"] {
            assert_eq!(place.run(&["--trust", "run", "-l", "100", program]).0, 0);
        }
        place
    })
}

fn result(out: &str) -> serde_json::Value {
    let mut lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.rfind(|line| line["result"] == "clean").unwrap()["value"].clone()
}

fn recordings(place: &Place) -> usize {
    place.run(&["export"]).1.lines().filter(|line| line.contains(".py")).count()
}

#[test]
fn a_dry_run_says_what_would_go_and_removes_nothing() {
    let place = project();
    for args in [&["--trust", "clean", "--all", "--dry-run"][..], &["--trust", "clean"]] {
        let (code, out, err) = place.run(args);
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("2 recordings with ") && out.contains(": would go.") && out.contains(" kB less."), "{out}");
        assert!(out.contains("No verdicts of this project are kept."), "{out}");
        assert_eq!(out.contains("No models are kept that nobody chose."), args.len() == 2, "models are named or stay: {out}");
        assert_eq!(recordings(&place), 2);
    }
    let (_, dry, _) = place.run(&["--trust", "clean", "--recordings", "--dry-run", "--format", "json"]);
    let (_, wet, _) = place.run(&["--trust", "clean", "--recordings", "--format", "json"]);
    let (dry, wet) = (result(&dry), result(&wet));
    assert_eq!((&dry["dry_run"], &wet["dry_run"]), (&true.into(), &false.into()));
    for figure in ["recordings", "calls", "drafts", "bytes"] {
        assert_eq!(dry[figure], wet[figure], "{figure}");
    }
    assert_eq!(recordings(&place), 0);
    let (_, out, _) = place.run(&["--trust", "clean", "--recordings"]);
    assert!(out.contains("No recording that nothing rests on."), "{out}");
    assert!(!out.contains("would") && !out.contains(" less"), "{out}");
}

#[test]
fn the_database_file_itself_becomes_smaller() {
    let place = project();
    let size = || place.root().join(".pytead/pytead.db").metadata().unwrap().len();
    let before = size();
    let (_, out, _) = place.run(&["--trust", "clean", "--recordings", "--format", "json"]);
    let freed = result(&out)["bytes"].as_u64().unwrap();
    assert!(freed > 0 && size() + freed <= before, "{before} → {} with {freed} freed", size());
}

#[test]
fn what_a_decision_rests_on_stays_and_so_do_tests_and_decisions() {
    let place = project();
    let (code, out, err) = place.run(&["--trust", "gen", "lib:f", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let tests = place.read("tests/pytead/test_pytead_lib.py");
    let manifest = place.read("tests/pytead/manifest.yaml");
    let (code, out, err) = place.run(&["--trust", "clean", "--all"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("1 recording with ") && out.contains("1 recording stay"), "{out}");
    assert_eq!((recordings(&place), place.read("tests/pytead/test_pytead_lib.py")), (1, tests));
    assert_eq!(place.read("tests/pytead/manifest.yaml"), manifest);
    // The decision is still there to be taken back, and behaviour is still told against the recording.
    place.edit("lib.py", "x + 1", "x + 2");
    assert_eq!(place.run(&["--trust", "replay"]).0, 1);
    let (code, out, err) = place.run(&["--trust", "review", "--undo"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!place.root().join("tests/pytead/test_pytead_lib.py").exists());
}

#[test]
fn drafts_nobody_decided_on_go_and_can_be_made_again() {
    let place = project();
    let (_, out, _) = place.run(&["--trust", "gen", "lib:f"]);
    assert!(out.contains("1 draft proved"), "{out}");
    let (_, out, _) = place.run(&["--trust", "clean", "--drafts"]);
    assert!(out.contains("1 draft that nobody decided on: removed.") && !out.contains("recording"), "{out}");
    assert!(!place.run(&["--trust", "review", "--list"]).1.contains("lib:f"));
    let (_, out, _) = place.run(&["--trust", "gen", "lib:f"]);
    assert!(out.contains("1 draft proved"), "{out}");
    assert!(place.run(&["--trust", "gen", "lib:f"]).1.contains("#"), "it waits");
}

#[test]
fn a_workbench_that_is_open_forgets_what_was_removed_elsewhere() {
    let place = project();
    place.run(&["--trust", "gen", "lib:f"]);
    let mut terminal = Terminal::start(&place, &["--trust"], 120, 35);
    terminal.wait("Ready · proved");
    assert!(place.run(&["--trust", "clean", "--drafts"]).1.contains("1 draft"));
    terminal.wait_until("the draft to go", |screen| !screen.contains("Ready · proved"));
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn drafts_whose_decision_was_taken_back_stay_and_are_counted() {
    let place = project();
    assert_eq!(place.run(&["--trust", "gen", "lib:f", "--accept"]).0, 0);
    assert_eq!(place.run(&["--trust", "review", "--undo"]).0, 0);
    let (_, out, _) = place.run(&["--trust", "clean", "--drafts"]);
    assert!(out.contains("No draft that nobody decided on.") && out.contains("1 draft stay"), "{out}");
    assert!(out.contains("review --redo") && !out.contains("would"), "{out}");
    assert!(place.run(&["--trust", "review", "--list"]).1.contains("lib:f"), "what is counted is what waits");
    assert_eq!(place.run(&["--trust", "review", "--redo"]).0, 0);
}

#[test]
fn what_is_young_stays_and_a_wrong_age_is_refused() {
    let place = project();
    let (code, out, _) = place.run(&["--trust", "clean", "--all", "--older-than", "30d"]);
    assert_eq!(code, 0);
    assert!(out.contains("No recording that") && recordings(&place) == 2, "{out}");
    let (code, _, err) = place.run(&["--trust", "clean", "--all", "--older-than", "soon"]);
    assert_eq!(code, 2);
    assert!(err.contains("12h, 30d, 2w"), "{err}");
    assert_eq!(place.run(&["clean", "--all"]).0, 3, "an untrusted folder is only read");
}

#[test]
fn somebody_who_is_there_is_asked_first() {
    let place = project();
    for (answer, left) in [("n\r", 2), ("y\r", 0)] {
        let mut terminal = Terminal::start(&place, &["--trust", "clean", "--recordings"], 100, 30);
        terminal.wait("y removes it for good >");
        terminal.keys(answer);
        assert_eq!(terminal.end(), 0);
        assert_eq!(recordings(&place), left);
    }
}

/// They were paid for: an answer other than y keeps them, and nothing of them goes before it.
#[test]
fn verdicts_go_only_when_somebody_said_so() {
    let place = project();
    let kept = place.home().join("cache/pytead-tui/verdicts/ab/abcd");
    std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
    let root = place.root().canonicalize().unwrap();
    let written = |root: &str| format!("a signature\n{}", serde_json::json!({"key": "abcd", "at": 0, "root": root, "value": 1}));
    std::fs::write(&kept, written(root.to_str().unwrap())).unwrap();
    let others = kept.with_file_name("abef");
    std::fs::write(&others, written("/another/project")).unwrap();
    for (words, answer, stays) in [("--all", "n\r", true), ("--verdicts", "n\r", true), ("--verdicts", "y\r", false)] {
        let mut terminal = Terminal::start(&place, &["--trust", "clean", words], 100, 30);
        terminal.wait("y removes it for good >");
        assert!(kept.exists() && terminal.screen().contains("1 verdict of models"), "{}", terminal.screen());
        terminal.keys(answer);
        assert_eq!(terminal.end(), 0);
        assert_eq!(kept.exists(), stays, "{words} {answer}");
    }
    assert!(place.run(&["--trust", "clean", "--verdicts"]).1.contains("No verdicts of this project are kept."));
    assert!(others.exists(), "what another project paid for");
    let (_, said, _) = place.run(&["--trust", "clean", "--all-projects"]);
    assert!(said.contains("1 verdict of models in 1 project, ") && !others.exists(), "{said}");
}

/// Puts a file where the hub's own tools keep models.
fn model(place: &Place, name: &str) -> std::path::PathBuf {
    let folder = place.home().join("cache/huggingface/hub/models--me--small-GGUF");
    let (blobs, snapshot) = (folder.join("blobs"), folder.join("snapshots/abc"));
    std::fs::create_dir_all(&blobs).unwrap();
    std::fs::create_dir_all(&snapshot).unwrap();
    std::fs::write(blobs.join(name), "12345").unwrap();
    std::os::unix::fs::symlink(format!("../../blobs/{name}"), snapshot.join(name)).unwrap();
    blobs.join(name)
}

#[test]
fn models_go_only_by_their_name_and_the_chosen_one_never() {
    let place = project();
    let (chosen, other) = (model(&place, "chosen.gguf"), model(&place, "other.gguf"));
    let part = chosen.with_file_name("x.incomplete");
    std::fs::write(&part, "123").unwrap();
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    let config = "model:\n  provider: local\n  name: me/small-GGUF/chosen.gguf\n";
    std::fs::write(folder.join("config.yaml"), config).unwrap();
    assert_eq!(place.run(&["--trust", "clean", "--all"]).0, 0);
    assert!(other.exists(), "other programs may use it");
    let (code, out, err) = place.run(&["--trust", "clean", "--models"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("me/small-GGUF/other.gguf") && !out.contains("chosen"), "{out}");
    assert!(chosen.exists() && !other.exists() && part.exists(), "the part may still grow");
    let long_ago = std::process::Command::new("touch").args(["-d", "2 days ago"]).arg(&part).status().unwrap();
    assert!(long_ago.success());
    assert!(place.run(&["--trust", "clean", "--models"]).1.contains("1 broken download"));
    assert!(chosen.exists() && !part.exists());
}

#[test]
fn kept_answers_go_with_drafts_and_recorded_ones_stay() {
    let place = project();
    place.save(".pytead/answers/1.json", "{}");
    place.save("tests/answers/1.json", "{}");
    let (_, out, _) = place.run(&["--trust", "clean", "--recordings"]);
    assert!(!out.contains("answer"), "{out}");
    let (_, out, _) = place.run(&["--trust", "clean", "--drafts"]);
    assert!(out.contains("1 answer of models") && !place.root().join(".pytead/answers/1.json").exists(), "{out}");
    assert!(place.root().join("tests/answers/1.json").exists());
}

/// A path before a command is no project to work in, and `help` before one asks for its help: neither does what the command does here.
#[test]
fn a_word_before_a_command_does_nothing_here() {
    let place = project();
    let (code, out, err) = place.run(&["help", "clean", "--all"]);
    assert!(code == 0 && out.contains("Usage:") && recordings(&place) == 2, "{code} {out}{err}");
    for args in [&["../other", "clean", "--all"][..], &["../other", "trust"], &["sub", "gen"]] {
        let (code, out, err) = place.run(args);
        assert!(code == 2 && err.contains("A command takes no path before it"), "{args:?}: {code} {out}{err}");
    }
    assert_eq!(recordings(&place), 2);
}
