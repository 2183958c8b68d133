//! Results in a place that the user typed, such as `gen -d` names. In the project no link is followed, as everywhere; outside of it
//! only the typed folder itself is the user's word.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_file};
use crate::base::text::display_line;
use crate::base::typed::Typed;
use crate::domain::decision::FileEdit;
use crate::engine::edits::apply;
use crate::engine::state::core::Core;

/// Writes files below a typed folder, all of them or none. A file that is there stays if it has the text; it is replaced only if
/// `may_replace` takes its text for one of ours.
///
/// # Errors
/// Fails when a file may not be replaced, a link is in the way, or the disk refuses.
pub fn write_below(
    core: &Core,
    folder: &Path,
    files: Vec<(RelPath, String)>,
    may_replace: impl Fn(&str) -> bool,
) -> Result<(), Trouble> {
    let shown = |file: &RelPath| display_line(&folder.join(file.as_str()).display().to_string()).into_owned();
    let not = |what: &str, error: std::io::Error| {
        Trouble::environment(format!("{what} cannot be written.")).because(format!("{error}."))
    };
    let name = display_line(&folder.display().to_string()).into_owned();
    let typed = Typed::new(&core.root, folder).map_err(|error| not(&name, error))?;
    let mut edits = Vec::new();
    for (file, text) in files {
        let below = typed.below.as_ref().map_or_else(|| Some(file.clone()), |below| RelPath::new(format!("{below}/{file}")));
        let Some(path) = below else { return Err(Trouble::usage(format!("{} was not written.", shown(&file)))) };
        let before = match read_file(&path.under(&typed.base)) {
            Ok(bytes) => Some(String::from_utf8(bytes).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(not(&shown(&file), error).so("Name another place.")),
        };
        match &before {
            Some(there) if *there == text => continue,
            Some(there) if !may_replace(there) => {
                return Err(Trouble::usage(format!("{} was not written.", shown(&file)))
                    .because("There is a file already that pytead-tui did not make.")
                    .so("Choose another place with -d, or remove the file first."));
            }
            _ => {}
        }
        edits.push(FileEdit { path, before, after: Some(text) });
    }
    if typed.below.is_none() {
        std::fs::create_dir_all(&typed.base).map_err(|error| not(&name, error))?;
    }
    apply::write_below(core, &typed.base, &edits)
}
