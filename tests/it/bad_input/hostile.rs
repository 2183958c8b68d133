//! Programs that print, return and do what would harm the terminal, the machine or the project.

use std::os::unix::fs::PermissionsExt;

use super::{has, said};
use crate::harness::{Place, Terminal, script};

#[test]
fn opening_browsing_and_leaving_a_strangers_repository_runs_nothing_of_it() {
    let place = Place::empty();
    let sentinel = place.home().join("sentinel");
    let python = format!("open({sentinel:?}, 'a').write(__file__)\n");
    let shell = format!("#!/bin/sh\necho \"$0\" >> '{}'\n", sentinel.display());
    for name in ["conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py", "json.py", "pytest.py", "test_it.py"] {
        place.save(name, &format!("{python}\n\ndef f(x):\n    return x\n"));
    }
    place.save("evil.pth", &format!("import os; {python}"));
    place.save("pytest.ini", "[pytest]\naddopts = -p evil\n");
    place.save("tests/llm/plugins/evil.py", &python);
    place.save("tests/llm/test_it.yaml", "test:\n  name: it\nsteps:\n  - tool: evil_do\nverdict:\n  pass_if: it did\n");
    place.save(".envrc", &shell);
    // A database that is none, which would be set aside for another one where the folder is trusted.
    place.save(".pytead/pytead.db", "SQLite format 3\0 and no more");
    place.commit();
    for program in [".venv/bin/python", ".git/hooks/post-checkout", ".git/hooks/pre-commit", "watchman", "pager"] {
        script(&place.root().join(program), &shell);
    }
    place.save(".venv/pyvenv.cfg", "home = /usr/bin\n");
    for (key, program) in
        [("core.fsmonitor", "watchman"), ("core.pager", "pager"), ("core.editor", "pager"), ("diff.external", "pager")]
    {
        place.git(&["config", key, &place.root().join(program).display().to_string()]);
    }
    let before = listed(&place);
    let ours = || std::fs::metadata(place.root().join(".pytead")).unwrap().permissions().mode();
    let mode = ours();

    let mut terminal = Terminal::start(&place, &[], 120, 40);
    terminal.wait("Do you trust the code in");
    for (pane, shows) in [("2", "Journeys"), ("3", "Specs"), ("D", ""), ("1", "Review")] {
        terminal.keys(pane);
        terminal.wait(shows);
    }
    // A save while it is open is read, and nothing more.
    place.save("setup.py", &format!("{python}\n\ndef renamed_meanwhile(x):\n    return x\n"));
    terminal.keys("/renamed_meanwhile");
    terminal.wait("renamed_meanwhile");
    terminal.keys("\x03\x03");
    terminal.end();
    for verb in
        [&["index"][..], &["doctor"], &["config", "show", "--origin"], &["review", "--list"], &["spec", "--check"], &["diff"]]
    {
        place.run(verb);
    }
    assert!(!sentinel.exists(), "this ran: {}", std::fs::read_to_string(&sentinel).unwrap());
    assert_eq!(listed(&place), before, "nothing is written into a folder that is not trusted");
    assert_eq!((place.read(".pytead/pytead.db").as_str(), ours()), ("SQLite format 3\0 and no more", mode));
}

#[test]
fn a_link_in_the_place_of_our_folder_leads_nowhere() {
    let place = Place::empty();
    place.save("lib.py", "def f(x):\n    return x\n\n\nf(1)\n");
    // To read a database, SQLite makes a file beside it where there is a log.
    for name in ["kept", "pytead.db", "pytead.db-wal"] {
        place.save(&format!("elsewhere/{name}"), "kept");
    }
    std::os::unix::fs::symlink("elsewhere", place.root().join(".pytead")).unwrap();
    for args in
        [&["--trust", "index"][..], &["--trust", "run", "lib.py"], &["--trust", "gen"], &["--trust", "check"], &["doctor"]]
    {
        let (_, out, err) = place.run(args);
        assert!(!format!("{out}{err}").contains("panicked"), "{args:?}: {out}{err}");
    }
    let mut there: Vec<_> =
        std::fs::read_dir(place.root().join("elsewhere")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    there.sort();
    assert_eq!(there, ["kept", "pytead.db", "pytead.db-wal"]);
}

#[test]
fn an_ignore_file_without_an_end_is_not_read() {
    let place = Place::empty();
    place.save("lib.py", "def f(x):\n    return x\n");
    std::os::unix::fs::symlink("/dev/zero", place.root().join(".gitignore")).unwrap();
    let (code, out, err) = place.run(&["index"]);
    assert!(code == 0 && out.contains("1 function in 1 file"), "{code} {out}{err}");
}

/// A core file of ours would hold keys, and lie in the project.
#[test]
fn we_leave_no_core_file_and_a_recorded_program_may() {
    let place = Place::empty();
    place.save(
        "main.py",
        "import os, resource, time\n\nuntil = time.time() + 20\nwhile resource.getrlimit(resource.RLIMIT_CORE)[0] == 0 and time.time() < until:\n    \
         time.sleep(0.01)\nprint('the program', resource.getrlimit(resource.RLIMIT_CORE)[0])\n\
         with open(f'/proc/{os.getppid()}/limits') as limits:\n    print([line.split()[4] for line in limits if 'core' in line])\n",
    );
    let plain = place.command(&["--trust", "run", "main.py"]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -S -c 64 2>/dev/null; exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(place.root()).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("['0']"), "{said}");
    if rustix::process::getrlimit(rustix::process::Resource::Core).maximum == Some(0) {
        return; // Nobody here may leave one.
    }
    let blocks = said.lines().next().unwrap_or_default().trim_start_matches("the program ");
    assert!(blocks.parse::<u64>().is_ok_and(|size| size > 0), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn json_carries_what_a_name_holds_and_nothing_that_acts() {
    let place = Place::empty();
    place.save("a\u{202e}\u{9b}31m\u{e0041}\u{7f}.py", "def f(x):\n    return x\n");
    place.save("two\nlines.py", "def g(x):\n    return x\n");
    let (code, out, err) = place.run(&["index", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let acts = |c: char| matches!(c, '\u{202e}' | '\u{9b}' | '\u{e0041}' | '\u{7f}');
    assert!(!out.contains(acts) && out.contains("a\\u202e\\u009b31m\\udb40\\udc41\\u007f.py"), "{out}");
    let files: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |value: &serde_json::Value| {
        value["value"].as_array().is_some_and(|all| all.iter().any(|file| file["path"] == "a\u{202e}\u{9b}31m\u{e0041}\u{7f}.py"))
    };
    assert!(files.iter().any(named), "the name is the same: {out}");
    assert!(!out.contains("two"), "what would look like two lines is no file of a project: {out}");
}

/// Lists all that lies in a project.
fn listed(place: &Place) -> Vec<std::path::PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![place.root()]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn a_program_cannot_reach_the_terminal_through_the_workbench() {
    let place = Place::empty();
    place.save(
        "main.py",
        "import os, sys, time\n\nEVIL = '\\x1b]52;c;aGFja2Vk\\x07\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202eodd'\n\n\n\
         def f(text):\n    return text + EVIL\n\n\nif __name__ == '__main__':\n    f(EVIL)\n    print(EVIL, file=sys.stderr)\n    \
         print('printed' + EVIL, flush=True)\n    while not os.path.exists('go'):\n        time.sleep(0.01)\n",
    );
    let mut terminal = Terminal::start(&place, &["--trust"], 140, 40);
    terminal.wait("Nothing recorded");
    terminal.keys("!");
    terminal.wait("python main.py");
    terminal.keys("\r");
    // Its last line while it runs, of whichever stream; then its values among the calls and in the draft.
    terminal.wait("‹U+202E›odd");
    place.save("go", "");
    terminal.wait("Review 1");
    terminal.keys("1");
    terminal.wait("assert result == ");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let raw = terminal.raw();
    for bytes in [&b"\x1b]52;c;aGFja2Vk"[..], b"\x1b]0;owned", b"\x1b[2J\x1b[31m", b"\xc2\x9b31m", "\u{202e}".as_bytes()] {
        assert!(
            !raw.windows(bytes.len()).any(|window| window == bytes),
            "{:?} reached the terminal",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn a_gigabyte_returned_costs_neither_the_program_nor_us_another_one() {
    let place = Place::empty();
    place.save("big.py", "def big(n):\n    return b'x' * n\n\n\nbig(1 << 30)\nbig(3)\n\nwith open('/proc/self/status') as status:\n    print(status.read())\n");
    let mut command = place.command(&["--trust", "run", "big.py"]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let peak = |text: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    };
    let mut ours = 0;
    while child.try_wait().unwrap().is_none() {
        // The highest mark so far, so nothing between two looks is missed but what comes after the last.
        ours = ours.max(std::fs::read_to_string(format!("/proc/{}/status", child.id())).map_or(0, |text| peak(&text)));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let program = peak(&String::from_utf8_lossy(&output.stdout));
    eprintln!("1 GiB returned: the program's peak {program} MiB, pytead-tui's {ours} MiB");
    assert!(program > 1024, "the program held it: {program} MiB");
    assert!(program < 1024 + 200, "recording it took another copy: {program} MiB");
    assert!(ours > 0 && ours < 400, "{ours} MiB");
}

/// Functions that do as they were recorded only under the recorder.
const TREACHEROUS: &str = "import os\nfrom pathlib import Path\n\n\ndef recorded():\n    return 'PYTEAD_SPOOL' in os.environ\n\n\n\
def hang(x):\n    while not recorded():\n        pass\n    return x\n\n\n\
def fork(x):\n    if not recorded():\n        for _ in range(50):\n            os.fork()\n        while True:\n            pass\n    return x\n\n\n\
def write(x):\n    if not recorded():\n        Path(__file__).with_name('written').write_text('x')\n        Path.home().joinpath('written').write_text('x')\n    return x\n\n\n\
def fine(x):\n    return x + 1\n\n\nif __name__ == '__main__':\n    hang(1)\n    fork(1)\n    write(1)\n    fine(1)\n";

#[test]
fn what_turns_on_us_when_replayed_is_ended_and_harms_nothing() {
    let place = Place::empty();
    place.save("main.py", TREACHEROUS);
    let (code, err) = said(&place, &["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    has(&err, &["kept with values"]);
    // Said and left out, while the honest function has its draft.
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert_eq!(code, 0, "{err}");
    has(&out, &["main:fine", "✓ passes"]);
    for function in ["main:hang", "main:fork", "main:write"] {
        has(&out, &["No test for 4 functions:", function]);
    }
    // An edit replays what can be replayed, and comes to an end.
    place.edit("main.py", "return x + 1", "return x + 2");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{out}{err}");
    has(&out, &["fine"]);
    assert!(!place.root().join("written").exists() && !place.home().join("written").exists(), "a replay wrote outside");
}

#[test]
fn a_function_that_does_not_end_any_more_is_tried_twice_whatever_was_recorded_of_it() {
    let place = Place::empty();
    place.save("app.py", "def slow(x):\n    return x + 1\n\n\ndef quick(x):\n    return x\n");
    place.save("main.py", "import app\n\nfor x in range(300):\n    app.slow(x)\n    app.quick(x)\n");
    for words in [&["trust"][..], &["run", "main.py"]] {
        assert_eq!(said(&place, words).0, 0);
    }
    place.edit("app.py", "return x + 1", "while True:\n        pass");
    // Tried again it is known by then: the first two are not run either.
    for _ in 0..2 {
        let (code, out, err) = place.run(&["--format", "json", "replay"]);
        assert_eq!(code, 1, "{out}{err}");
        let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let told = lines.into_iter().find(|line| line["result"] == "replay").unwrap_or_else(|| panic!("{out}"));
        let [calls, same, changed, not] =
            ["calls", "same", "changed", "not_compared"].map(|count| told["value"][count].as_u64().unwrap());
        assert!(calls + not >= 12, "{out}");
        assert_eq!((same, changed, not), (calls - 2, 1, same - 2), "{out}");
    }
    let (code, out, err) = place.run(&["replay"]);
    assert_eq!(code, 1, "{out}{err}");
    has(&out, &["no end in 2 s", "other calls: 2 of its calls now do not end within 2 s"]);
}
