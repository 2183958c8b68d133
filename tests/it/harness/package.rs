//! Our Python package with its bytecode, compiled once for each Python: else every Python that a test starts compiles all of it
//! anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pytead_tui::python::package::{Package, install_in};

use super::python_with_pytest;

/// Puts the compiled package into a cache folder, as the first command with a Python would without its bytecode.
pub fn link_into(cache: &Path) {
    let from = compiled_by(&python_with_pytest()).folder;
    let to = cache.join("pytead-tui").join(from.file_name().unwrap());
    link(&from, &to);
}

/// Gives the package as a Python compiled it, on the first call in this build.
pub fn compiled_by(python: &Path) -> Package {
    let name = python.display().to_string().replace('/', "-");
    let shared: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "package", &name].iter().collect();
    let package = install_in(&shared).unwrap();
    let marker = shared.join(format!("compiled-{}", package.folder.file_name().unwrap().display()));
    // One test at a time compiles and the others wait: the compiler's files of a moment would be listed and then be gone.
    let turn = fs::File::create(shared.join("compiling")).unwrap();
    turn.lock().unwrap();
    if !marker.exists() {
        let compile = ["-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"];
        assert!(Command::new(python).args(compile).arg(&package.folder).status().unwrap().success());
        fs::write(&marker, "").unwrap();
    }
    package
}

/// Links the files of a folder into a new one that only this user can read.
fn link(from: &Path, to: &Path) {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            link(&entry.path(), &target);
        } else if fs::hard_link(entry.path(), &target).is_err() {
            // Another file system.
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
