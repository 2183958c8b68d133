//! What tests do outside of their process, and what the fixtures of their project do there.

use super::*;

/// How a test ends that the sandbox refuses something says nothing; without one it would change the machine.
#[tokio::test(flavor = "multi_thread")]
async fn what_tests_do_outside_of_their_process_is_told() {
    let code = "import os, socket, sqlite3, subprocess, tempfile\nfrom pathlib import Path\n\n\ndef made(act):\n    try:\n        act()\n    \
                except OSError:\n        return False\n    return True\n";
    let project = Project::new(&[("shop.py", code)]).await;
    let acts = [
        ("opens", "open(\"made\", \"w\")", "file write"),
        ("makes", "Path(\"made\").mkdir()", "file os.mkdir"),
        ("asks", "os.access(\"made\", os.W_OK)", "file os.access"),
        ("removes", "Path(\"shop.py\").unlink()", "file os.remove"),
        ("beside", "open(__file__ + \"x\", \"w\").close()", "file write"),
        ("leaves", "tempfile.mkdtemp()", "temporary os.mkdir"),
        ("talks", "socket.socket()", "outside socket.__new__"),
        ("starts", "subprocess.run([\"true\"])", "outside subprocess.Popen"),
        ("reads", "open(\"shop.py\").close()", "-"),
        ("writes", "(tmp_path / \"made\").write_text(\"x\")", "-"),
        ("passes", "tempfile.TemporaryDirectory().cleanup()", "-"),
        ("pairs", "socket.socketpair()", "-"),
        ("links", "sqlite3.connect(f\"file:{tmp_path}/x%20y.db?mode=rwc\", uri=True).close()", "-"),
        ("connects", "sqlite3.connect(\"file:made.db\", uri=True).close()", "file sqlite3.connect"),
    ];
    let test = |(name, act, _): &(&str, &str, &str)| format!("\n\ndef test_{name}(tmp_path):\n    made(lambda: {act})\n");
    let heard = project.run(&format!("from shop import *\n{}", acts.iter().map(test).collect::<String>()), vec![each(1)]).await;
    let reports = heard.reports.range((1, 0)..=(1, u64::MAX)).flat_map(|(_, report)| &report.results);
    let event = |detail: &str| detail.split(' ').next().unwrap_or_default().to_owned();
    let first = |reached: &[Reach]| match reached {
        [Reach::File(detail), ..] => format!("file {}", event(detail)),
        [Reach::Temporary(detail), ..] => format!("temporary {}", event(detail)),
        [Reach::Warning(detail), ..] => format!("warning {}", event(detail)),
        [Reach::Outside(detail), ..] => format!("outside {}", event(detail)),
        [] => "-".to_owned(),
    };
    let told: Vec<_> =
        reports.map(|result| (result.name.trim_start_matches("test_").to_owned(), first(&result.reached))).collect();
    let expected: Vec<_> = acts.iter().map(|(name, _, told)| ((*name).to_owned(), (*told).to_owned())).collect();
    assert_eq!(told, expected);
    assert!(project.root().join("shop.py").exists() && !project.root().join("made").exists());
}

/// Fixtures of a session are made once in it, however often one of its tests runs: many of them cannot be made twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_runs_twice_in_a_process_has_the_fixtures_of_one_session() {
    let conftest = "import pytest\nimport shop\n\n\n@pytest.fixture(scope='session', autouse=True)\ndef registered():\n    \
                    assert 'plugin' not in shop.plugins\n    shop.plugins.append('plugin')\n";
    let shop = "plugins = []\nlast = None\n\n\ndef note(n):\n    global last\n    last = n\n    return n\n";
    let project = Project::new(&[("conftest.py", conftest), ("shop.py", shop)]).await;
    let heard = project.run("import shop\n\n\ndef test_note():\n    assert shop.note(3) == 3\n", vec![look(1)]).await;
    assert_eq!(ends(&heard, 1), [("test_note".to_owned(), Outcome::Passed)], "{heard:?}");
    assert_eq!(ends(&heard, 101), [("test_note".to_owned(), Outcome::Passed)], "{heard:?}");
}

/// What fixtures of the project leave in the temporary folder, they leave for its own tests, too; a fixture of the test's file does not.
#[tokio::test(flavor = "multi_thread")]
async fn what_fixtures_of_the_project_leave_in_the_temporary_folder_is_not_the_test_s_doing() {
    let conftest =
        "import tempfile\n\nimport pytest\n\n\n@pytest.fixture(scope='session')\ndef place():\n    return tempfile.mkdtemp()\n";
    let project = Project::new(&[("conftest.py", conftest), ("shop.py", "")]).await;
    let test = "import tempfile\nfrom pathlib import Path\n\nimport pytest\nimport shop\n\n\n@pytest.fixture\ndef own():\n    \
                return tempfile.mkdtemp()\n\n\ndef test_theirs(place):\n    assert place\n\n\ndef test_again(place):\n    \
                (Path(place) / 'x').write_text('')\n\n\ndef test_own(own):\n    assert own\n";
    let heard = project.run(test, vec![each(1)]).await;
    let reports = heard.reports.range((1, 0)..=(1, u64::MAX)).flat_map(|(_, report)| &report.results);
    let reached: Vec<_> = reports.map(|result| (result.name.as_str(), result.reached.len())).collect();
    assert_eq!(reached, [("test_theirs", 0), ("test_again", 0), ("test_own", 1)], "{heard:?}");
}
