//! Passwords among the words of a command: `docker login -p x`, `curl -u ada:x`, `rabbitmqctl add_user ada x`, also where the command
//! is a list. An option that says by its name what it takes (`--token x`) is found in texts by `phrases.rs`.

use std::ops::Range;

use super::bits::is_random;
use super::escapes::is_inside_word;
use super::found::{Found, floor, is_placeholder};
use super::names::{self, Holds};
use super::phrases::{is_like_password, word};

/// How an option takes a password: as the next word, at once behind it, or in that word behind a user and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Word,
    Joined,
    After(char),
}

use Takes::{After, Joined, Word};

/// An option, how it takes a password, and of which programs; none are all.
type Taking = (&'static str, Takes, &'static [&'static str]);

const OPTIONS: [Taking; 19] = [
    ("-u", After(':'), &[]),
    ("-U", After(':'), &[]),
    ("--user", After(':'), &[]),
    ("--proxy-user", After(':'), &[]),
    ("-U", After('%'), &["smbclient", "rpcclient"]),
    ("-u", After(','), &["lftp"]),
    ("-a", After(':'), &["http", "https", "xh"]),
    ("-p", Joined, &["sshpass"]),
    (
        "-p",
        Word,
        &["sshpass", "twine", "login", "mongo", "mongosh", "mongodump", "mongorestore", "mongoimport", "mongoexport", "cqlsh"],
    ),
    ("-p", Joined, &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "7z", "7za", "7zz", "rar"]),
    ("-P", Word, &["zip", "unzip", "sqlcmd", "bcp", "tsql"]),
    ("-P", Joined, &["sqlcmd", "bcp"]),
    ("-a", Word, &["redis-cli", "valkey-cli"]),
    ("-w", Word, &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"]),
    ("-k", Word, &["openssl"]),
    ("/rp", Word, &["schtasks"]),
    ("/RP", Word, &["schtasks"]),
    ("/p:", Joined, &["xfreerdp", "xfreerdp3", "wfreerdp", "sdl-freerdp"]),
    ("/P:", Joined, &["xfreerdp", "xfreerdp3", "wfreerdp", "sdl-freerdp"]),
];

/// Text before a password, and how many words come between.
const BEHIND: [(&str, usize); 10] = [
    ("rabbitmqctl add_user ", 1),
    ("rabbitmqctl change_password ", 1),
    ("net user ", 1),
    ("vault login ", 0),
    ("mysqladmin password ", 0),
    ("ConvertTo-SecureString ", 0),
    ("ConvertTo-SecureString -String ", 0),
    ("-passin pass:", 0),
    ("-passout pass:", 0),
    ("-pass pass:", 0),
];
/// What reads a user and a password, or a password alone, from a command before it.
const READS: &str = "chpasswd";
const READS_PASSWORD: &str = "--password-stdin";

/// What connects a share of Windows, how such a one begins, and how many words of the command are looked at.
const SHARE: &str = "net use ";
const UNC: &str = r"\\";
const WORDS_OF_SHARE: usize = 8;

/// Bytes between a program and its option, and between the words of a list or a record.
const OF_PROGRAM: usize = 200;
const BETWEEN: usize = 6;
/// Words and bytes of a command that is a list.
const WORDS: usize = 100;
const BYTES: usize = 8 << 10;

/// How such a secret begins.
pub(super) fn beginnings() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().map(|taking| taking.0).chain(BEHIND.iter().map(|behind| behind.0)).chain([READS, READS_PASSWORD, SHARE])
}

/// Tells, fast, whether such a secret may begin here: after an option comes a space, or what separates the words of a list.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let is_option = |(option, takes, _): &Taking| {
        let behind = bytes.strip_prefix(option.as_bytes());
        let parts = |byte: &u8| matches!(byte, 0 | b' ' | b',');
        behind.is_some_and(|behind| (*takes == Joined && !behind.is_empty()) || behind.iter().take(BETWEEN).any(parts))
    };
    match bytes.first() {
        Some(b'-') => {
            OPTIONS.iter().any(is_option) || bytes.starts_with(b"-pass") || bytes.starts_with(READS_PASSWORD.as_bytes())
        }
        Some(b'/') => OPTIONS.iter().any(is_option),
        Some(b'r' | b'n' | b'm' | b'C' | b'v') => {
            BEHIND.iter().any(|(begin, _)| bytes.starts_with(begin.split(' ').next().unwrap_or(begin).as_bytes()))
        }
        _ => bytes.starts_with(READS.as_bytes()),
    }
}

/// Tells, fast, whether a word may be an option, which takes the next word or has its value in itself.
pub(super) fn is_option(word: &str) -> bool {
    let is_of_windows = |option: &str| option.starts_with('/') && word.starts_with(option);
    word.starts_with('-') || (word.starts_with('/') && OPTIONS.iter().any(|(option, ..)| is_of_windows(option)))
}

/// Tells whether a word is a program that takes a password by no option.
pub(super) fn is_program(word: &str) -> bool {
    BEHIND.iter().any(|(begin, _)| begin.split(' ').next() == Some(word))
}

/// How many finders there are, each of which finds the first secret of its kind in a text.
pub(super) const FINDERS: usize = OPTIONS.len() + BEHIND.len() + 2;

/// Finds the first secret of a kind.
pub(super) fn first(text: &str, kind: usize) -> Option<Found> {
    if let Some(taking) = OPTIONS.get(kind) {
        return of_option(text, taking);
    }
    match BEHIND.get(kind - OPTIONS.len()) {
        Some((begin, between)) => behind(text, begin, *between),
        None if kind + 1 == FINDERS => share(text),
        None => read(text),
    }
}

/// Tells whether the word behind an option with a secret name is its value: `["--token", "x"]`.
pub(super) fn is_value_of_option(option: &str, value: &str) -> bool {
    let name = option.trim_start_matches('-');
    name.len() < option.len()
        && names::holds(name) == Some(Holds::One)
        && !value.starts_with('-')
        && (is_like_password(value) && names::ends_secret(name) == Some(false) || is_random(value))
}

/// Finds what of the words of a command that is a list is secret: the word, and from where to where of it.
pub(super) fn of_list(words: &[&str]) -> Vec<(usize, Range<usize>)> {
    let bytes: usize = words.iter().map(|word| word.len() + 1).sum();
    if !(2..=WORDS).contains(&words.len()) || bytes > BYTES {
        return Vec::new();
    }
    let named = (1..words.len()).filter(|at| is_value_of_option(words[at - 1], words[*at]));
    let mut secret: Vec<(usize, Range<usize>)> = named.map(|at| (at, 0..words[at].len())).collect();
    // In the line that the shell would be given, a word has no space and no sign that ends it.
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | ')' | ']' | '}' | '<');
    let line: String = words.iter().flat_map(|word| [word.replace(ends, "~"), " ".into()]).collect();
    let begins: Vec<usize> = words.iter().scan(0, |at, word| Some(std::mem::replace(at, *at + word.len() + 1))).collect();
    for kind in 0..FINDERS {
        if let Some((start, ..)) = first(&line, kind) {
            let at = begins.partition_point(|begin| *begin <= start) - 1;
            secret.push((at, start - begins[at]..words[at].len()));
        }
    }
    secret
}

/// Finds the password that an option of a program takes.
fn of_option(text: &str, (option, takes, programs): &Taking) -> Option<Found> {
    text.match_indices(option).find_map(|(at, _)| {
        let (before, rest) = (&text[..at], &text[at + option.len()..]);
        if before.ends_with('-') || is_inside_word(before) || (*takes != Joined) != rest.starts_with(' ') {
            return None;
        }
        if !(programs.is_empty() || before.ends_with(' ') && is_of(before, programs)) {
            return None;
        }
        let (start, mut end, _) = word(rest)?;
        if *takes == After(',') {
            end = start + rest[start..].find(char::is_whitespace).unwrap_or(rest.len() - start);
        }
        let start = match takes {
            After(sign) => start + password_of(&rest[start..end], *sign)?,
            Word | Joined if is_like_password(&rest[start..end]) => start,
            Word | Joined => return None,
        };
        let from = at + option.len();
        Some((from + start, from + end, "password"))
    })
}

/// Tells whether a line that ends here is a command of one of these programs.
fn is_of(before: &str, programs: &[&str]) -> bool {
    let from = floor(before, before.len().saturating_sub(OF_PROGRAM));
    let line = before[from..].rsplit('\n').next().unwrap_or_default();
    line.split([' ', '/', '\\', '"', '\'', '$', '(', '`']).any(|word| programs.contains(&word.trim_end_matches(".exe")))
}

/// Gives where in `user:password` the password begins.
fn password_of(word: &str, sign: char) -> Option<usize> {
    let (user, password) = word.split_once(sign)?;
    let is_one = !user.is_empty() && !is_placeholder(password) && is_like_password(password);
    is_one.then_some(user.len() + sign.len_utf8())
}

/// Finds the password that follows a text after so many words.
fn behind(text: &str, begin: &str, between: usize) -> Option<Found> {
    text.match_indices(begin).find_map(|(at, _)| {
        let mut from = at + begin.len();
        for _ in 0..between {
            from += word(&text[from..])?.1;
        }
        let (start, end, is_quoted) = word(&text[from..])?;
        let held = &text[from + start..from + end];
        let is_one = is_like_password(held) || (is_quoted && held.len() > 2);
        (is_one && !is_inside_word(&text[..at]) && !is_placeholder(held)).then_some((from + start, from + end, "password"))
    })
}

/// Finds the password of `net use Z: \\server\share x /user:ada`: the word behind the share that is no switch.
fn share(text: &str) -> Option<Found> {
    text.match_indices(SHARE).find_map(|(at, _)| {
        let (mut from, mut is_behind) = (at + SHARE.len(), false);
        for _ in 0..WORDS_OF_SHARE {
            let (start, end, is_quoted) = word(&text[from..])?;
            let held = &text[from + start..from + end];
            let is_one = is_like_password(held) || (is_quoted && held.len() > 2);
            if held.starts_with(UNC) {
                is_behind = true;
            } else if is_behind && is_one && !held.starts_with('/') && !is_placeholder(held) {
                return Some((from + start, from + end, "password"));
            }
            from += end + usize::from(is_quoted);
            // What `word` leaves at the end of one, as of the drive `Z:`.
            from += text[from..].find(|c: char| !matches!(c, '.' | ':' | '!' | '?')).unwrap_or_default();
        }
        None
    })
}

/// Finds the password of `echo ada:x | chpasswd` and of `echo x | docker login --password-stdin`.
fn read(text: &str) -> Option<Found> {
    let readers = [READS, READS_PASSWORD].into_iter().filter_map(|reader| read_by(text, reader));
    readers.min_by_key(|found| found.0)
}

fn read_by(text: &str, reader: &str) -> Option<Found> {
    text.match_indices(reader).find_map(|(at, _)| {
        let from = floor(text, at.saturating_sub(OF_PROGRAM));
        let line = text[from..at].rsplit('\n').next().unwrap_or_default();
        let told = line.rsplit_once('|')?.0.trim_end().trim_end_matches(['"', '\'']);
        let start = at - line.len() + told.rfind([' ', '"', '\'']).map_or(0, |before| before + 1);
        let end = at - line.len() + told.len();
        let told = &text[start..end];
        let is_alone = || (is_like_password(told) && !is_placeholder(told)).then_some(0);
        let begin = if reader == READS { password_of(told, ':') } else { is_alone() };
        Some((start + begin?, end, "password"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<&str> {
        (0..FINDERS).filter_map(|kind| first(text, kind)).next().map(|(start, end, _)| &text[start..end])
    }

    #[test]
    fn a_password_among_the_words_of_a_command_is_found() {
        for (text, secret) in [
            ("sshpass -p zQ8-kd2x09 ssh ada@h", "zQ8-kd2x09"),
            ("docker login -u ada -p zQ8-kd2x09", "zQ8-kd2x09"),
            ("/usr/bin/mysql -u root -pzQ8-kd2x09 shop", "zQ8-kd2x09"),
            ("curl -u ada:hunter2 https://a.test", "hunter2"),
            ("curl --user 'ada:zQ8!kd-20fh' https://a.test", "zQ8!kd-20fh"),
            ("smbclient //h/share -U ada%hunter2", "hunter2"),
            ("lftp -u ada,hunter2 ftp.a.test", "hunter2"),
            ("redis-cli -h h -a hunter2 ping", "hunter2"),
            ("ldapsearch -x -D cn=ada -w hunter2", "hunter2"),
            ("zip -r -P hunter2 a.zip a", "hunter2"),
            ("7z x -phunter2 a.7z", "hunter2"),
            ("openssl rsa -in k.pem -passin pass:hunter2", "hunter2"),
            ("rabbitmqctl add_user ada hunter2", "hunter2"),
            ("net user ada hunter2 /add", "hunter2"),
            ("echo 'ada:hunter2' | sudo chpasswd", "hunter2"),
            ("echo \"zQ8-kd2x09\" | docker login -u ada --password-stdin", "zQ8-kd2x09"),
            ("sshpass -p'zQ8-kd2x09' ssh ada@h", "zQ8-kd2x09"),
            ("http -a ada:hunter2 a.test/x", "hunter2"),
            ("twine upload -u ada -p hunter2 dist/*", "hunter2"),
            ("vault login zQ8-kd2x09", "zQ8-kd2x09"),
            ("ConvertTo-SecureString 'tiger' -AsPlainText", "tiger"),
            (r"net use \\server\share hunter2xx /user:bob", "hunter2xx"),
            (r"net use Z: \\server\share /user:dom\bob hunter2xx", "hunter2xx"),
            ("schtasks /create /tn x /ru bob /rp hunter2xx", "hunter2xx"),
            ("schtasks.exe /Change /RP hunter2xx", "hunter2xx"),
            ("xfreerdp /u:bob /p:hunter2xx /v:h", "hunter2xx"),
        ] {
            assert_eq!(all(text), Some(secret), "{text}");
            assert!((0..text.len()).any(|at| begins(&text.as_bytes()[at..])), "{text}");
        }
        for (words, at, secret) in [
            (&["docker", "login", "-u", "ada", "-p", "hunter2"][..], 5, "hunter2"),
            (&["mysql", "-phunter2", "shop"], 1, "hunter2"),
            (&["curl", "-u", "ada:zQ8 kd;20fh"], 2, "zQ8 kd;20fh"),
            (&["sshpass", "-p", "zQ8'kd-20fh", "ssh"], 2, "zQ8'kd-20fh"),
            (&["lftp", "-u", "ada,hunter2"], 2, "hunter2"),
            (&["tool", "--token", "zQ8-kd2x09"], 2, "zQ8-kd2x09"),
            (&["net", "use", r"\\server\share", "hunter2xx", "/user:bob"], 3, "hunter2xx"),
            (&["schtasks", "/create", "/rp", "hunter2xx"], 3, "hunter2xx"),
            (&["xfreerdp", "/u:bob", "/p:hunter2xx"], 2, "hunter2xx"),
        ] {
            let found = of_list(words);
            assert!(
                found.iter().any(|(place, range)| *place == at && &words[at][range.clone()] == secret),
                "{words:?}: {found:?}"
            );
        }
    }

    #[test]
    fn ports_paths_and_the_options_of_other_programs_are_none() {
        for text in [
            "docker run -p 8080:80 -u 1000:1000 image",
            "docker login --password-stdin registry.example.com",
            "cat token.txt | docker login --password-stdin",
            "vault login -method=github",
            "http -a ada a.test:8080",
            "sort -u name:1",
            "git push -u origin:main",
            "ls -p a17b-c",
            "mkdir -p src-17/a2",
            "grep -pa17 file",
            "ls -a dir17x",
            "python -w x17-b2",
            "tar -k out17b",
            "net use",
            r"net use Z: \\server17\share17 /user:bob17x",
            "net use x17-b2c",
            "schtasks /run /tn task-17b",
            "xfreerdp /v:host17b /u:bob17b",
            "cl /p:on17b2",
            "ssh -p 2222 ada@h",
            "unzip -P",
        ] {
            assert_eq!(all(text), None, "{text}");
            assert_eq!(of_list(&text.split(' ').collect::<Vec<_>>()), [], "{text}");
        }
    }
}
