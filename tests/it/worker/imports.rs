//! From which texts a worker imports the project's modules, and how long what it imported serves.

use std::time::Duration;

use pytead_tui::domain::value::Value;
use pytead_tui::python::protocol::Former;

use super::{Project, best_level, call, effect, ended, endings, pythons, returned};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stale_pyc_is_not_believed_and_the_project_stays_clean() {
    for python in pythons() {
        let project = Project::new(&[("pkg/__init__.py", ""), ("pkg/price.py", "def price():\n    return 111\n")]);
        let file = project.root().join("pkg/price.py");
        let stamp = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(stamp).unwrap();
        let compiled = std::process::Command::new(&python)
            .args(["-m", "compileall", "-q", "pkg"])
            .current_dir(project.root())
            .status()
            .unwrap();
        assert!(compiled.success() && project.root().join("pkg/__pycache__").is_dir());
        // Same size, same second: Python itself would load the old code.
        project.write("pkg/price.py", "def price():\n    return 222\n");
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(stamp).unwrap();
        let caught = std::process::Command::new(&python)
            .args(["-c", "import pkg.price; print(pkg.price.price())"])
            .current_dir(project.root())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&caught.stdout).trim(), "111", "the trap works");

        let worker = project.worker(&python, best_level()).await;
        assert_eq!(effect(&worker, call(1, "pkg.price:price", &[])).await, returned(Value::Int(222)), "{python}");
        // An edit in the next moment counts too, in the same worker; saved as editors do, by a rename.
        project.write("pkg/new", "def price():\n    return 333\n");
        std::fs::rename(project.root().join("pkg/new"), &file).unwrap();
        assert_eq!(effect(&worker, call(1, "pkg.price:price", &[])).await, returned(Value::Int(333)), "{python}");
        assert_eq!(std::fs::read_dir(project.root().join("pkg/__pycache__")).unwrap().count(), 2, "nothing was written");
    }
}

const RESTING: &str = r#"
import os
try:
    import extra
except ImportError:
    extra = None
RATE = open(os.path.join(os.path.dirname(__file__), "rate.txt")).read()
ONCE = os.urandom(8).hex()

def once():
    return ONCE

def seen():
    return RATE, extra is not None, 1
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_imported_serves_later_requests_as_long_as_all_that_it_rests_on_stands() {
    for python in pythons() {
        let project = Project::new(&[("shop.py", RESTING), ("rate.txt", "5")]);
        let worker = project.worker(&python, best_level()).await;
        let seen =
            |rate: &str, extra, last| returned(Value::Tuple(vec![Value::Str(rate.into()), Value::Bool(extra), Value::Int(last)]));
        let edits = [
            ("shop.py", RESTING.to_owned(), seen("5", false, 1)),
            ("rate.txt", "6".to_owned(), seen("6", false, 1)),
            ("extra.py", String::new(), seen("6", true, 1)),
            ("shop.py", RESTING.replace("None, 1", "None, 2"), seen("6", true, 2)),
        ];
        for (path, text, expected) in edits {
            project.write(path, &text);
            assert_eq!(effect(&worker, call(1, "shop:seen", &[])).await, expected, "{python}: {path}");
            // Files that were written just now may have changed since in the same tick, so they are read anew for a while.
            let mut before = effect(&worker, call(1, "shop:once", &[])).await;
            for turn in 0.. {
                let now = effect(&worker, call(1, "shop:once", &[])).await;
                if now == std::mem::replace(&mut before, now.clone()) {
                    break;
                }
                assert!(turn < 200, "{python}: the project is imported for every request");
            }
        }
        // What cannot be imported breaks its own calls, and once it can be, they are made.
        project.write("shop.py", "def seen(:\n");
        assert!(endings(&worker, &[call(1, "shop:seen", &[])]).await[0].is_err());
        project.write("shop.py", RESTING);
        assert_eq!(effect(&worker, call(1, "shop:seen", &[])).await, seen("6", true, 1), "{python}");
    }
}

/// Notes what is compiled while it imports another module.
const COMPILING: &str = "import sys\n\ncompiled = []\nsys.addaudithook(lambda event, args: event == 'compile' and \
    compiled.append(args[1]))\nimport other\n\n\ndef is_compiled():\n    return other.__file__ in compiled\n\n\n\
    def one():\n    return other.one\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_edit_the_modules_that_stand_are_not_compiled_again() {
    for python in pythons() {
        let project = Project::new(&[("main.py", COMPILING), ("other.py", "one = 1\n")]);
        let worker = project.worker(&python, best_level()).await;
        let mut edits = 0;
        let mut edited = async |file: &str, text: &str| {
            edits += 1;
            project.write(file, &format!("{text}# edit {edits}\n"));
            effect(&worker, call(1, "main:is_compiled", &[])).await
        };
        assert_eq!(edited("main.py", COMPILING).await, returned(Value::Bool(true)), "{python}");
        // The server compiles when it has nothing else to do.
        for turn in 0.. {
            if edited("main.py", COMPILING).await == returned(Value::Bool(false)) {
                break;
            }
            assert!(turn < 200, "{python}: every edit has the whole project compiled");
        }
        // Whether the server or the layer compiled it, what runs is the text as it is now.
        for one in 2..5 {
            edited("other.py", &format!("one = {one}\n")).await;
            assert_eq!(effect(&worker, call(1, "main:one", &[])).await, returned(Value::Int(one)), "{python}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modules_are_imported_from_texts_that_stand_in_for_their_files() {
    for python in pythons() {
        let project = Project::new(&[
            ("main.py", "from pkg.price import price\nimport gone.deep\n\n\ndef both():\n    return price(), gone.deep.n()\n"),
            ("pkg/__init__.py", ""),
            ("pkg/price.py", "def price():\n    return 2\n"),
        ]);
        let former =
            |module: &str, path: &str, text: &str| Former { module: module.into(), path: path.into(), text: text.into() };
        let texts = [
            former("pkg.price", "pkg/price.py", "# coding: latin-1\ndef price():\n    return '\u{e9}'\n"),
            former("gone", "gone/__init__.py", ""),
            former("gone.deep", "gone/deep.py", "def n():\n    return 3\n"),
        ];
        let worker = project.worker(&python, best_level()).await;
        let replies = worker.replay(&[call(1, "main:both", &[])], true, None, &texts).await.unwrap().all().await.unwrap();
        let ending = replies[0].result.as_ref().unwrap();
        let both = Value::Tuple(vec![Value::Str("\u{e9}".into()), Value::Int(3)]);
        assert_eq!(ended(ending), returned(both), "{python}");
        let entered: Vec<&str> = ending.entered.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(entered, ["gone/deep.py", "main.py", "pkg/price.py"], "{python}");
        // The next request has the files again.
        assert_eq!(effect(&worker, call(1, "pkg.price:price", &[])).await, returned(Value::Int(2)), "{python}");
    }
}
