//! The demo model that the program carries: 0.6 million weights, made by `finetuning/`, which arrange recorded calls into
//! tests and know nothing else. It shows the way from a question to a proved draft without a download. Never chosen by
//! itself.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::tilde;

/// What it is called where a model is named.
pub const NAME: &str = "demo";

const MODEL: &[u8] = include_bytes!("../../assets/models/demo.gguf");

/// Gives the model as a file below a folder of the user's; it is written there when it is not, or when it is another.
///
/// # Errors
/// Fails when the folder cannot be written to.
pub fn placed(folder: &Path) -> Result<PathBuf, Trouble> {
    let folder = folder.join(hash::of(MODEL).to_string());
    let path = folder.join("demo.gguf");
    if fs::read(&path).is_ok_and(|there| there == MODEL) {
        return Ok(path);
    }
    let write = || {
        fs::create_dir_all(&folder)?;
        // Whole or not at all, though another process may be doing the same.
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        std::io::Write::write_all(&mut file, MODEL)?;
        file.persist(&path).map_err(|error| error.error)
    };
    write().map(|_| path.clone()).map_err(|error: std::io::Error| {
        Trouble::environment(format!("The demo model cannot be written to {}.", tilde(&folder))).because(format!("{error}."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::gguf::Gguf;

    #[test]
    fn the_model_is_small_whole_and_written_once() {
        assert!(MODEL.len() < 2 << 20, "{}", MODEL.len());
        let folder = tempfile::tempdir().unwrap();
        let path = placed(folder.path()).unwrap();
        assert_eq!(Gguf::read(&path).unwrap().architecture, "qwen3");
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(placed(folder.path()).unwrap(), path);
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
        fs::write(&path, "something else").unwrap();
        assert_eq!(fs::read(placed(folder.path()).unwrap()).unwrap(), MODEL);
    }
}
