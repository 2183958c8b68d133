//! What tells this machine from others: a test that holds it passes here and nowhere else. And whether it lets this process work.

use std::fs::File;

use crate::base::error::Trouble;

/// Files that this process has open at once when it does least: its threads, its database, its pipes. Libraries that cannot open
/// theirs would panic.
const DESCRIPTORS: usize = 32;

/// A name this short may be any word.
const NAME_MIN: usize = 6;

/// Lists texts that only this machine has: the release and the build of its kernel, and its name where that is no plain word.
#[must_use]
pub fn facts() -> Vec<String> {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let is_special = |text: &String| text.len() >= NAME_MIN && text.contains(|c: char| c.is_ascii_digit() || c == '-');
    [system.release(), system.version(), system.nodename()].into_iter().map(text).filter(is_special).collect()
}

/// Names the local time zone as `TZ` takes it: `Europe/Berlin`; nothing where it has no such name.
#[must_use]
pub fn zone() -> Option<String> {
    let set = std::env::var("TZ").ok().filter(|zone| !zone.is_empty());
    let zone = match set {
        Some(zone) => zone,
        None => match std::fs::read_link("/etc/localtime") {
            Ok(path) => path.to_str()?.rsplit_once("zoneinfo/")?.1.to_owned(),
            // A machine without the file has UTC; one with a copy does not say which it is.
            Err(_) => (!std::path::Path::new("/etc/localtime").exists()).then(|| "UTC".to_owned())?,
        },
    };
    let is_name = !zone.is_empty() && zone.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-'));
    is_name.then_some(zone)
}

/// Finds out whether this process may open as many files as it needs at least.
///
/// # Errors
/// Fails, with the way to allow more, when it may not.
pub fn spare_descriptors() -> Result<(), Trouble> {
    let mut open = Vec::new();
    while open.len() < DESCRIPTORS {
        open.push(File::open("/dev/null").map_err(|error| {
            Trouble::environment("Too few files can be opened.")
                .because(format!("{} are needed, and after {} the system says: {error}.", DESCRIPTORS, open.len()))
                .so("Allow more with ulimit -n, or close other programs.")
        })?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_this_machine_from_others() {
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        assert!(facts().contains(&release), "{:?}", facts());
        assert!(facts().iter().all(|fact| fact != "localhost" && fact.len() >= NAME_MIN));
    }
}
