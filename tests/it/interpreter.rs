//! How the project's Python is found: in its order, contained where it is the project's own, and in plain words.

#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;

use crate::harness::script;
use pytead_tui::base::error::Blame;
use pytead_tui::base::scratch::Scratch;
use pytead_tui::contain::{self, Level};
use pytead_tui::python::interpreter;
use pytead_tui::python::package;
use pytead_tui::python::zygote::{Worker, WorkerSpec};

fn project() -> (tempfile::TempDir, PathBuf) {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, root)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_projects_own_environment_is_found_and_works_contained() {
    let (_folder, root) = project();
    let outer = interpreter::find(&root, None).unwrap();
    let made = Command::new(&outer.path).args(["-m", "venv", "--without-pip", ".venv"]).current_dir(&root).status().unwrap();
    assert!(made.success());
    std::fs::write(root.join("json.py"), "raise SystemExit('the project was imported')").unwrap();
    let site = root.join(format!(".venv/lib/python{}.{}/site-packages", outer.version.0, outer.version.1));
    std::fs::create_dir_all(site.join("pytest-9.8.7.dist-info")).unwrap();
    std::fs::write(site.join("pytest-9.8.7.dist-info/METADATA"), "Metadata-Version: 2.1\nName: pytest\nVersion: 9.8.7\n")
        .unwrap();

    let found = interpreter::find(&root, Some(".venv/bin/python")).unwrap();
    assert_eq!(found.path, root.join(".venv/bin/python"));
    assert_eq!(found.version, outer.version);
    assert_eq!(found.pytest.as_deref(), Some("9.8.7"));
    assert!(found.prefixes.iter().all(|prefix| !prefix.starts_with(&root)), "{:?}", found.prefixes);
    if std::env::var_os("VIRTUAL_ENV").is_none() {
        let by_itself = interpreter::find(&root, None).unwrap();
        assert_eq!(by_itself.path, found.path);
        assert_eq!(by_itself.label, format!("{} .venv", found.version_text()));
    }

    let cache = Scratch::new().unwrap();
    let package = package::install_in(cache.path()).unwrap();
    let worker = Worker::start(WorkerSpec::new(found, package, contain::available(), &root)).await.unwrap();
    let hello = worker.hello().await.unwrap();
    assert_eq!(hello.executable, root.join(".venv/bin/python").display().to_string());
    assert_eq!(hello.pytest.as_deref(), Some("9.8.7"), "packages of the environment are seen inside");

    std::fs::remove_dir_all(site.join("pytest-9.8.7.dist-info")).unwrap();
    std::fs::create_dir_all(site.join("pytest-9.8.6.egg-info")).unwrap();
    std::fs::write(site.join("pytest-9.8.6.egg-info/PKG-INFO"), "Metadata-Version: 2.1\nName: pytest\nVersion: 9.8.6\n").unwrap();
    let found = interpreter::find(&root, Some(".venv/bin/python")).unwrap();
    assert_eq!(found.pytest.as_deref(), Some("9.8.6"), "as older tools install it");
}

#[test]
fn a_hostile_interpreter_in_the_project_changes_nothing() {
    let (_folder, root) = project();
    if !contain::available().is_kernel() {
        return;
    }
    let mark = root.join("ran");
    let outside = tempfile::NamedTempFile::new().unwrap();
    script(
        &root.join("venv/bin/python"),
        &format!("#!/bin/sh\necho x > '{}'\necho x >> '{}'\necho '{{}}'\n", mark.display(), outside.path().display()),
    );
    let trouble = interpreter::find(&root, Some("venv/bin/python")).unwrap_err();
    assert!(trouble.what.to_string().contains("venv/bin/python does not work"), "{trouble}");
    assert!(!mark.exists() && outside.path().metadata().unwrap().len() == 0);
}

#[test]
fn what_is_wrong_with_an_interpreter_is_said() {
    let (_folder, root) = project();
    let missing = interpreter::find(&root, Some("no/such/python")).unwrap_err();
    assert_eq!(missing.blame, Blame::Usage);
    assert_eq!(missing.to_string(), "There is no Python at no/such/python. Choose one: pytead-tui --python PATH.");

    let elsewhere = tempfile::tempdir().unwrap();
    let old = elsewhere.path().join("python");
    script(&old, "#!/bin/sh\necho '{\"executable\": \"/x/python\", \"version\": [3, 8, 18], \"prefixes\": []}'\n");
    let trouble = interpreter::find(&root, Some(old.to_str().unwrap())).unwrap_err();
    assert!(
        trouble.what.to_string().starts_with("Python 3.8.18 (") && trouble.what.to_string().ends_with("is too old."),
        "{trouble}"
    );
    assert_eq!(trouble.why, Some("pytead-tui needs 3.10 or newer.".into()));

    script(&old, "#!/bin/sh\necho 'bad \x1b[31m luck' >&2\nexit 1\n");
    let trouble = interpreter::find(&root, Some(old.to_str().unwrap())).unwrap_err();
    assert!(trouble.to_string().contains("luck") && !trouble.to_string().contains('\x1b'), "{trouble:?}");
}

#[test]
fn without_a_sandbox_foreign_text_has_no_level() {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    let level = contain::level_for(contain::Class::Foreign);
    assert!(level == Level::None || level.is_kernel());
}
