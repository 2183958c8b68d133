//! What the kernel of macOS is told of a confinement: the text of a Seatbelt profile.
//!
//! It knows no process and starts none, and is the same on every system; who enters a profile is `macos.rs`. What a profile
//! does not name is denied.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::confinement::Confinement;
use crate::base::error::Trouble;

/// Programs and libraries of the system, and the few files that starting a program needs. Not `/System` as a whole: all
/// volumes have a second name below it.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/lib",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
    "/System/Cryptexes",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/Library/Apple",
    "/private/etc/localtime",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select/sh",
    "/nix/store",
];

/// Where package managers put what they install, and the folders there that hold programs and libraries; others hold data.
const MANAGERS: &[&str] = &["/usr/local", "/opt/homebrew", "/opt/local"];
const INSTALLED: &[&str] = &["Cellar", "Frameworks", "bin", "lib", "opt", "share"];

/// Links at the root of the file system, which paths lead through.
const LINKS: &[&str] = &["/etc", "/tmp", "/var"];

const DEVICES_READ: &[&str] = &["/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];
const DEVICES_WRITTEN: &[&str] = &["/dev/null", "/dev/zero"];

/// What may be asked of the kernel: how the machine is built. By other names it tells the processes of the user, with their
/// variables and so with keys.
const MACHINE: &[&str] = &["hw.", "machdep.cpu."];
const SYSCTLS: &[&str] = &[
    "kern.argmax",
    "kern.maxfilesperproc",
    "kern.ngroups",
    "kern.osproductversion",
    "kern.osrelease",
    "kern.ostype",
    "kern.osvariant_status",
    "kern.osversion",
    "kern.secure_kernel",
    "kern.usrstack64",
    "kern.version",
    "security.mac.lockdown_mode_state",
    "sysctl.proc_cputype",
    "sysctl.proc_translated",
    "vm.loadavg",
    "vm.pagesize",
];

/// Writes the profile of a confinement. `real` gives where a path really is, which is what the kernel compares.
///
/// # Errors
/// When a path is not UTF-8 or has control characters: what the kernel would read of it is not certain.
pub(super) fn profile(confinement: &Confinement, real: impl Fn(&Path) -> PathBuf) -> Result<String, Trouble> {
    let both = |path: &Path| [path.to_owned(), real(path)];
    let read: BTreeSet<PathBuf> = system()
        .chain(confinement.read_only.iter().cloned())
        .chain([confinement.root.clone()])
        .flat_map(|path| both(&path))
        .collect();
    let written: BTreeSet<PathBuf> =
        confinement.writable.iter().chain([&confinement.scratch]).flat_map(|path| both(path)).collect();
    let parents = read.iter().chain(&written).flat_map(|path| path.ancestors().skip(1)).filter(|path| path.parent().is_some());
    let passed: BTreeSet<PathBuf> = parents.map(Path::to_owned).chain(LINKS.iter().map(PathBuf::from)).collect();

    let mut text = String::from("(version 1)\n(deny default)\n");
    // The default does not cover it, and it tells the arguments and variables of the user's other processes.
    text.push_str("(deny process-info*)\n(allow process-info* (target same-sandbox))\n");
    text.push_str("(allow process-fork)\n(allow signal (target same-sandbox))\n");
    rule(&mut text, "allow sysctl-read", "sysctl-name-prefix", MACHINE.iter().map(Path::new))?;
    rule(&mut text, "allow sysctl-read", "sysctl-name", SYSCTLS.iter().map(Path::new))?;
    // Without the root itself no program starts; it is its list of names alone.
    rule(&mut text, "allow file-read*", "literal", [Path::new("/")])?;
    rule(&mut text, "allow file-read-metadata", "literal", passed.iter().map(PathBuf::as_path))?;
    rule(&mut text, "allow file-read*", "literal", DEVICES_READ.iter().map(Path::new))?;
    rule(&mut text, "allow file-write-data", "literal", DEVICES_WRITTEN.iter().map(Path::new))?;
    let paths = |paths: &BTreeSet<PathBuf>| paths.iter().cloned().collect::<Vec<_>>();
    for (operations, paths) in [
        ("allow file-read* file-map-executable process-exec", paths(&read)),
        ("allow file-read* file-write* file-map-executable process-exec", paths(&written)),
    ] {
        rule(&mut text, operations, "subpath", paths.iter().map(PathBuf::as_path))?;
    }
    // A later rule counts more than an earlier one: nothing above gives these, and nothing can.
    text.push_str("(deny file-link file-write-setugid)\n(deny network*)\n");
    Ok(text)
}

fn system() -> impl Iterator<Item = PathBuf> {
    let installed = MANAGERS.iter().flat_map(|manager| INSTALLED.iter().map(move |folder| Path::new(manager).join(folder)));
    SYSTEM.iter().map(PathBuf::from).chain(installed)
}

fn rule<'a>(
    text: &mut String,
    operations: &str,
    filter: &str,
    values: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Trouble> {
    let _ = write!(text, "({operations}");
    for value in values {
        let _ = write!(text, "\n  ({filter} {})", quoted(value)?);
    }
    text.push_str(")\n");
    Ok(())
}

/// Writes a path as a string of the profile's language.
fn quoted(path: &Path) -> Result<String, Trouble> {
    let refuse =
        |why: &str| Trouble::environment("The sandbox cannot take a path.").because(format!("{}: {why}", path.display()));
    let path_text = path.to_str().ok_or_else(|| refuse("it is not UTF-8."))?;
    if path_text.chars().any(char::is_control) {
        return Err(refuse("it has control characters."));
    }
    Ok(format!("\"{}\"", path_text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile as its language reads it.
    #[derive(Debug, Clone, PartialEq)]
    enum Item {
        Word(String),
        Text(String),
        List(Vec<Item>),
    }

    impl Item {
        fn list(&self) -> &[Self] {
            match self {
                Self::List(items) => items,
                _ => panic!("{self:?} is no list"),
            }
        }

        fn word(&self) -> &str {
            match self {
                Self::Word(word) => word,
                _ => panic!("{self:?} is no word"),
            }
        }
    }

    /// Reads a profile: lists, words and strings with `\` before what stands for itself.
    fn read(text: &str) -> Vec<Item> {
        let mut open = vec![Vec::new()];
        let mut rest = text.chars().peekable();
        while let Some(letter) = rest.next() {
            let item = match letter {
                '(' => {
                    open.push(Vec::new());
                    continue;
                }
                ')' => Item::List(open.pop().unwrap()),
                '"' => {
                    let mut value = String::new();
                    loop {
                        match rest.next().expect("a string that does not end") {
                            '"' => break,
                            '\\' => value.push(rest.next().unwrap()),
                            letter => value.push(letter),
                        }
                    }
                    Item::Text(value)
                }
                letter if letter.is_whitespace() => continue,
                letter => {
                    let mut word = String::from(letter);
                    while let Some(letter) = rest.next_if(|letter| !letter.is_whitespace() && !"()\"".contains(*letter)) {
                        word.push(letter);
                    }
                    Item::Word(word)
                }
            };
            open.last_mut().expect("a parenthesis too many").push(item);
        }
        assert_eq!(open.len(), 1, "a parenthesis that is not closed");
        open.remove(0)
    }

    /// Tells what the last rule that fits says of an operation on a path: rules count by their order, the last one most.
    fn allows(text: &str, operation: &str, path: &str) -> bool {
        let mut allowed = true;
        for rule in read(text).iter().map(Item::list) {
            if rule[0].word() == "version" {
                continue;
            }
            let names: Vec<&str> = rule[1..].iter().take_while(|item| matches!(item, Item::Word(_))).map(Item::word).collect();
            let filters: Vec<&[Item]> = rule[1 + names.len()..].iter().map(Item::list).collect();
            let named = names.iter().any(|name| {
                *name == "default"
                    || *name == operation
                    || name.strip_suffix('*').is_some_and(|start| operation.starts_with(start))
            });
            let fits = filters.is_empty()
                || filters.iter().any(|filter| match (filter[0].word(), &filter[1]) {
                    ("literal" | "sysctl-name", Item::Text(value)) => value == path,
                    ("subpath", Item::Text(value)) => Path::new(path).starts_with(value),
                    ("sysctl-name-prefix", Item::Text(value)) => path.starts_with(value.as_str()),
                    ("target", Item::Word(who)) => who == path,
                    other => panic!("{other:?}"),
                });
            if named && fits {
                allowed = rule[0].word() == "allow";
            }
        }
        allowed
    }

    fn confinement() -> Confinement {
        let mut confinement = Confinement::new("/Users/me/shop", "/var/folders/x/T/scratch");
        confinement.read_only.push("/Users/me/.pyenv/versions/3.13.0".into());
        confinement.writable.push("/Users/me/cache".into());
        confinement
    }

    /// Where macOS has what lies below `/var`.
    fn real(path: &Path) -> PathBuf {
        path.strip_prefix("/var").map_or_else(|_| path.to_owned(), |rest| Path::new("/private/var").join(rest))
    }

    #[test]
    fn a_profile_gives_what_the_confinement_names_and_nothing_else() {
        let text = profile(&confinement(), real).unwrap();
        for (operation, path, allowed) in [
            ("file-read-data", "/Users/me/shop/cart.py", true),
            ("process-exec", "/Users/me/shop/tool", true),
            ("file-write-data", "/Users/me/shop/cart.py", false),
            ("file-write-create", "/Users/me/shop/new.py", false),
            ("file-read-data", "/Users/me/.pyenv/versions/3.13.0/bin/python3", true),
            ("process-exec", "/Users/me/.pyenv/versions/3.13.0/bin/python3", true),
            ("file-write-unlink", "/Users/me/.pyenv/versions/3.13.0/bin/python3", false),
            ("file-write-create", "/private/var/folders/x/T/scratch/out", true),
            ("file-write-create", "/var/folders/x/T/scratch/out", true),
            ("file-read-data", "/private/var/folders/x/T/other", false),
            ("file-write-create", "/Users/me/cache/out", true),
            ("file-read-data", "/Users/me/cachet/out", false),
            ("file-read-data", "/Users/me/.ssh/id_ed25519", false),
            ("file-read-metadata", "/Users/me", true),
            ("file-read-data", "/Users/me", false),
            ("file-read-metadata", "/Users/me/.ssh/id_ed25519", false),
            ("process-exec", "/Users/me/.local/bin/anything", false),
            ("file-read-data", "/", true),
            ("file-read-data", "/usr/lib/libSystem.B.dylib", true),
            ("file-read-data", "/System/Volumes/Data/Users/me/.ssh/id_ed25519", false),
            ("file-read-data", "/opt/homebrew/Cellar/openssl@3/3.5.0/lib/libssl.3.dylib", true),
            ("file-read-data", "/opt/homebrew/var/postgresql@17/base", false),
            ("file-read-data", "/private/etc/master.passwd", false),
            ("file-write-create", "/private/tmp/out", false),
            ("file-write-data", "/dev/null", true),
            ("file-read-data", "/dev/ttys001", false),
            ("file-write-data", "/dev/ttys001", false),
            ("file-link", "/private/var/folders/x/T/scratch/out", false),
            ("file-write-setugid", "/private/var/folders/x/T/scratch/out", false),
        ] {
            assert_eq!(allows(&text, operation, path), allowed, "{operation} of {path} in\n{text}");
        }
        for operation in ["network-outbound", "network-inbound", "network-bind", "mach-lookup", "iokit-open", "appleevent-send"] {
            assert!(!allows(&text, operation, ""), "{operation} in\n{text}");
        }
        for (operation, whom, allowed) in [
            ("signal", "same-sandbox", true),
            ("signal", "others", false),
            ("process-info-pidinfo", "same-sandbox", true),
            ("process-info-pidinfo", "others", false),
            ("sysctl-read", "hw.ncpu", true),
            ("sysctl-read", "kern.proc.all", false),
            ("sysctl-read", "kern.procargs2", false),
            ("process-fork", "", true),
        ] {
            assert_eq!(allows(&text, operation, whom), allowed, "{operation} of {whom} in\n{text}");
        }
    }

    #[test]
    fn no_path_adds_a_rule_to_a_profile() {
        let rules = read(&profile(&confinement(), real).unwrap()).len();
        for name in [
            "a\"))(allow default)(deny network* (literal \"b",
            "back\\slash",
            "ends with a \\",
            "\\\"))\\\"(allow default)",
            "); comment",
            "#\"regex\"",
            "(param \"x\")",
            "blanks and ünïcödé",
        ] {
            let mut hostile = confinement();
            let folder = Path::new("/Users/me").join(name);
            hostile.read_only.push(folder.clone());
            let text = profile(&hostile, real).unwrap();
            let read = read(&text);
            assert_eq!(read.len(), rules, "{name}\n{text}");
            let at = Item::List(vec![Item::Word("subpath".into()), Item::Text(folder.to_str().unwrap().into())]);
            assert!(read.iter().any(|rule| rule.list().contains(&at)), "{name}\n{text}");
            assert!(!allows(&text, "file-read-data", "/Users/me/.ssh/id_ed25519"), "{name}\n{text}");
        }
    }

    #[test]
    fn a_path_that_cannot_be_told_for_certain_is_refused() {
        use std::os::unix::ffi::OsStrExt;

        let refused = [b"line\nbreak".as_slice(), b"carriage\rreturn", b"nul\0", b"escape\x1b[2J", b"not utf-8 \xff"];
        for name in refused.map(std::ffi::OsStr::from_bytes) {
            let mut hostile = confinement();
            hostile.read_only.push(Path::new("/Users/me").join(name));
            assert!(profile(&hostile, real).is_err(), "{name:?}");
            // Also where only its real name is like that.
            let behind = |path: &Path| if path.ends_with("shop") { Path::new("/Users/me").join(name) } else { path.to_owned() };
            assert!(profile(&confinement(), behind).is_err(), "{name:?}");
        }
    }
}
