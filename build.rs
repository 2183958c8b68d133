//! Embeds the Python package: writes a table of the files below `assets/python/pytead_tui` for `src/python/package.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let source = Path::new("assets/python").canonicalize()?;
    println!("cargo::rerun-if-changed=assets/python");
    let mut files = Vec::new();
    collect(&source.join("pytead_tui"), &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&source).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(out.join("python_package.rs"), table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "__pycache__") {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi")
            || path.file_name().is_some_and(|name| name == "py.typed")
        {
            files.push(path);
        }
    }
    Ok(())
}
