//! The predecessor's settings: where its files lay, and what its keys are called today. Ours win over all of them.

use std::path::{Path, PathBuf};

/// Its sections, the last of which counted most for what one setting says today. Our own are named otherwise.
pub const SECTIONS: &[&str] = &["defaults", "types", "gen", "tead", "run"];

/// Tells what a key of one of its sections is called today; `Some(None)` where it means nothing any more.
#[must_use]
pub fn renamed(key: &str) -> Option<Option<&'static str>> {
    Some(match key {
        "limit" => Some("record.calls"),
        "targets" => Some("record.targets"),
        "additional_sys_path" => Some("record.python_path"),
        "output_dir" => Some("output.tests"),
        "storage_dir" | "calls_dir" | "format" | "formats" | "gen_formats" | "output" | "out_dir" | "only_targets" => None,
        _ => return None,
    })
}

/// Finds its file of the user's settings: the first there is.
#[must_use]
pub fn user_file(variables: &[(String, String)]) -> Option<PathBuf> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| Path::new(value))
    };
    let home = variable("HOME");
    let folders = [
        variable("XDG_CONFIG_HOME").map(|folder| folder.join("pytead")),
        home.map(|home| home.join(".config/pytead")),
        home.map(|home| home.join(".pytead")),
    ];
    let named = variable("PYTEAD_CONFIG").map(Path::to_owned);
    let inside =
        folders.into_iter().flatten().flat_map(|folder| ["toml", "yaml", "yml"].map(|end| folder.join(format!("config.{end}"))));
    named.into_iter().chain(inside).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_its_places_counts() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let mut variables = vec![("HOME".to_owned(), home.path().display().to_string())];
        assert_eq!(user_file(&variables), None);
        for (path, name, value) in [
            (".pytead/config.yml", "USER", "ada"),
            (".config/pytead/config.yaml", "USER", "ada"),
            ("xdg/pytead/config.toml", "XDG_CONFIG_HOME", "xdg"),
            ("mine.toml", "PYTEAD_CONFIG", "mine.toml"),
        ] {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            std::fs::write(at(path), "").unwrap();
            let value = if name == "USER" { value.to_owned() } else { at(value).display().to_string() };
            variables.push((name.into(), value));
            assert_eq!(user_file(&variables), Some(at(path)));
        }
    }
}
