//! Models of a Hugging Face hub: their names, and the cache of this machine that other tools share.
//!
//! The cache is laid out as the hub's own tools do: a file once in `blobs/` under its checksum, and links to it in
//! `snapshots/`. Getting a file is `download.rs`.

pub mod download;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::text::display_line;
use crate::llm::demo;

/// The model that is meant where none is named.
pub const USUAL: &str = "Priyansu19/pytest-8b-GGUF/pytest-8b-q4_k_m.gguf";
/// Where the same file lies too.
pub const ELSEWHERE: &str = "distil-labs/pytest-8b-GGUF/pytest-8b-q4_k_m.gguf";
/// What files of models end in.
const ENDING: &str = ".gguf";
/// The version of a repository that is asked for.
const REVISION: &str = "main";
/// Folders below a snapshot that are looked through.
const DEPTH: usize = 3;

/// A file of a repository: `owner/repository/file.gguf`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// `owner/repository`.
    pub repository: String,
    /// The file, below the repository.
    pub file: String,
}

impl Wanted {
    /// Reads a name.
    ///
    /// # Errors
    /// Says how a name looks.
    pub fn parse(name: &str) -> Result<Self, Trouble> {
        let fits = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && !part.contains("..")
                && part.len() <= 96
                && part.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_.".contains(sign))
        };
        let parts: Vec<&str> = name.trim().split('/').collect();
        match parts.as_slice() {
            [owner, repository, file @ ..]
                if parts.iter().all(|part| fits(part)) && file.last().is_some_and(|file| file.ends_with(ENDING)) =>
            {
                Ok(Self { repository: format!("{owner}/{repository}"), file: file.join("/") })
            }
            _ => Err(Trouble::usage(format!("{} names no model.", display_line(name)))
                .so("Write owner/repository/file.gguf, the path of a file, demo, or claude_code.")),
        }
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.repository, self.file)
    }
}

/// Tells whether a name is the path of a file.
#[must_use]
pub fn is_path(name: &str) -> bool {
    ["/", "~/", "./", "../"].iter().any(|start| name.starts_with(start))
}

/// Finds the file of a model on this machine.
///
/// # Errors
/// Says that it is not here, and how to get it.
pub fn locate(name: &str, cache: &Cache) -> Result<PathBuf, Trouble> {
    if is_path(name) {
        let path = match (name.strip_prefix("~/"), std::env::var_os("HOME")) {
            (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => PathBuf::from(name),
        };
        return path.canonicalize().ok().filter(|path| path.is_file()).ok_or_else(|| {
            Trouble::environment(format!("There is no model {}.", display_line(name)))
                .so("Correct the path in your own config: providers.<name>.model, or pytead-tui model use.")
        });
    }
    if name == demo::NAME {
        return demo::placed(&cache.own);
    }
    let wanted = Wanted::parse(name)?;
    cache.file(&wanted).ok_or_else(|| {
        Trouble::environment(format!("The model {wanted} is not on this machine."))
            .so(format!("Get it: pytead-tui model get {wanted}."))
    })
}

/// The cache of this machine.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    /// Where the model that this program carries is put.
    own: PathBuf,
}

impl Cache {
    /// Finds the cache where the hub's own tools have it. `variable` reads the environment.
    ///
    /// # Errors
    /// Fails when there is no home folder.
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Trouble> {
        let named = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = named("HF_HUB_CACHE")
            .or_else(|| named("HUGGINGFACE_HUB_CACHE"))
            .or_else(|| named("HF_HOME").map(|home| home.join("hub")))
            .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("huggingface/hub")))
            .or_else(|| named("HOME").map(|home| home.join(".cache/huggingface/hub")));
        let own = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
        let own = own.or_else(|| folder.clone()).map(|cache| cache.join("pytead-tui/models"));
        folder.zip(own).map(|(folder, own)| Self { folder, own }).ok_or_else(|| {
            Trouble::environment("There is no folder for models.").because("HOME is not set.").so("Set HOME or HF_HOME.")
        })
    }

    /// Gives the cache's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Finds a file that is here, whole.
    #[must_use]
    pub fn file(&self, wanted: &Wanted) -> Option<PathBuf> {
        let repository = self.repository(&wanted.repository);
        let current = fs::read_to_string(repository.join("refs").join(REVISION)).ok();
        let current = current.map(|commit| commit.trim().to_owned()).filter(|commit| is_hex(commit));
        let others = entries(&repository.join("snapshots")).map(|entry| entry.file_name().to_string_lossy().into_owned());
        current
            .into_iter()
            .chain(others)
            .map(|commit| repository.join("snapshots").join(commit).join(&wanted.file))
            .find_map(|path| path.canonicalize().ok().filter(|path| path.is_file()))
    }

    /// Lists the models that are here, with their files.
    #[must_use]
    pub fn list(&self) -> Vec<(Wanted, PathBuf)> {
        let mut found = Vec::new();
        for entry in entries(&self.folder) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((owner, repository)) = name.strip_prefix("models--").and_then(|name| name.split_once("--")) else {
                continue;
            };
            for snapshot in entries(&entry.path().join("snapshots")) {
                for file in files(&snapshot.path(), DEPTH) {
                    let below = file.strip_prefix(snapshot.path()).unwrap_or(&file).to_string_lossy().into_owned();
                    if let Ok(wanted) = Wanted::parse(&format!("{owner}/{repository}/{below}"))
                        && let Some(path) = self.file(&wanted)
                    {
                        found.push((wanted, path));
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Removes a model: its links, and its file when nothing else links to it. Gives the bytes that are free again.
    ///
    /// # Errors
    /// Fails when it is not here or cannot be removed.
    pub fn remove(&self, wanted: &Wanted) -> Result<u64, Trouble> {
        let not =
            |error: std::io::Error| Trouble::environment(format!("{wanted} cannot be removed.")).because(format!("{error}."));
        let Some(path) = self.file(wanted) else {
            return Err(
                Trouble::usage(format!("The model {wanted} is not on this machine.")).so("pytead-tui model list says which are.")
            );
        };
        let repository = self.repository(&wanted.repository);
        for snapshot in entries(&repository.join("snapshots")) {
            let link = snapshot.path().join(&wanted.file);
            if link.symlink_metadata().is_ok() {
                fs::remove_file(&link).map_err(not)?;
            }
        }
        let still = entries(&repository.join("snapshots"))
            .any(|snapshot| files(&snapshot.path(), DEPTH).iter().any(|file| file.canonicalize().is_ok_and(|real| real == path)));
        let bytes = path.metadata().map_or(0, |meta| meta.len());
        if still {
            return Ok(0);
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(not(error)),
            _ => Ok(bytes),
        }
    }

    /// Lists what broken downloads left, with its bytes: parts that nothing was added to for a day.
    #[must_use]
    pub fn leftovers(&self) -> Vec<(PathBuf, u64)> {
        const QUIET: Duration = Duration::from_secs(86_400);
        let blobs = entries(&self.folder).flat_map(|entry| entries(&entry.path().join("blobs")));
        let parts = blobs.filter(|entry| entry.file_name().to_string_lossy().ends_with(".incomplete"));
        let quiet = parts.filter_map(|entry| {
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let past = meta.modified().ok()?.elapsed().ok()?;
            (past >= QUIET).then(|| (entry.path(), meta.len()))
        });
        quiet.collect()
    }

    fn repository(&self, name: &str) -> PathBuf {
        self.folder.join(format!("models--{}", name.replace('/', "--")))
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

fn files(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in entries(folder) {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth > 0 {
                found.extend(files(&path, depth - 1));
            }
        } else if path.to_string_lossy().ends_with(ENDING) {
            found.push(path);
        }
    }
    found
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: &Path) -> Cache {
        Cache::find(|name| (name == "HF_HUB_CACHE").then(|| folder.display().to_string())).unwrap()
    }

    fn put(folder: &Path, commit: &str, file: &str) {
        let repository = folder.join("models--me--small");
        fs::create_dir_all(repository.join("blobs")).unwrap();
        fs::create_dir_all(repository.join("refs")).unwrap();
        fs::create_dir_all(repository.join("snapshots").join(commit)).unwrap();
        fs::write(repository.join("blobs/5ha"), "12345").unwrap();
        fs::write(repository.join("refs/main"), commit).unwrap();
        std::os::unix::fs::symlink("../../blobs/5ha", repository.join("snapshots").join(commit).join(file)).unwrap();
    }

    #[test]
    fn names_are_read_and_nothing_leads_out_of_the_cache() {
        let wanted = Wanted::parse("me/small-GGUF/q4/small.gguf").unwrap();
        assert_eq!((wanted.repository.as_str(), wanted.file.as_str()), ("me/small-GGUF", "q4/small.gguf"));
        assert!(Wanted::parse(USUAL).is_ok() && Wanted::parse(ELSEWHERE).is_ok());
        for bad in [
            "",
            "small.gguf",
            "me/small.gguf",
            "me/../x.gguf",
            "me/a b/x.gguf",
            "me/small/x.bin",
            "me/small/../../x.gguf",
            "a/b/.gguf",
        ] {
            assert!(Wanted::parse(bad).is_err(), "{bad}");
        }
        assert!(is_path("/m.gguf") && is_path("~/m.gguf") && is_path("./m.gguf") && !is_path(USUAL));
    }

    #[test]
    fn the_cache_is_the_one_that_other_tools_use() {
        let with = |given: &'static [(&str, &str)]| {
            let found = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let map: std::collections::BTreeMap<String, String> = found.collect();
            Cache::find(move |name| map.get(name).cloned()).map(|cache| cache.folder.display().to_string())
        };
        assert_eq!(with(&[("HOME", "/h")]).unwrap(), "/h/.cache/huggingface/hub");
        assert_eq!(with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]).unwrap(), "/c/huggingface/hub");
        assert_eq!(with(&[("HOME", "/h"), ("HF_HOME", "/hf")]).unwrap(), "/hf/hub");
        assert_eq!(with(&[("HF_HOME", "/hf"), ("HF_HUB_CACHE", "/hub")]).unwrap(), "/hub");
        assert!(with(&[]).is_err());
    }

    #[test]
    fn a_model_is_found_listed_and_removed_with_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, wanted) = (cache(folder.path()), Wanted::parse("me/small/s.gguf").unwrap());
        assert!(cache.list().is_empty() && cache.remove(&wanted).is_err());
        assert!(locate("me/small/s.gguf", &cache).unwrap_err().to_string().contains("pytead-tui model get me/small/s.gguf"));
        put(folder.path(), "abc", "s.gguf");
        put(folder.path(), "def", "s.gguf");
        assert_eq!(cache.list().len(), 1);
        assert!(locate("me/small/s.gguf", &cache).unwrap().ends_with("blobs/5ha"));
        assert_eq!(cache.remove(&wanted).unwrap(), 5);
        assert!(cache.list().is_empty() && cache.file(&wanted).is_none());
    }

    #[test]
    fn what_another_file_still_uses_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        put(folder.path(), "abc", "s.gguf");
        put(folder.path(), "abc", "t.gguf");
        assert_eq!(cache.remove(&Wanted::parse("me/small/s.gguf").unwrap()).unwrap(), 0);
        assert!(cache.file(&Wanted::parse("me/small/t.gguf").unwrap()).is_some());
    }
}
