//! `pytead-tui model get` against a hub on loopback that cuts, lies, redirects and corrupts.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::harness::{Place, Terminal, python_with};

const NAME: &str = "me/small-GGUF/small.gguf";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trick {
    /// Nothing.
    None,
    /// Sends so many bytes, and the rest only when the trick is another one.
    Waits(usize),
    /// Every answer ends after so many bytes.
    Cuts(usize),
    /// Parts are not given: always the whole.
    NoParts,
    /// Says it has another length than it does, in the answer itself.
    Lies,
    /// Sends more than the length it offered.
    TooMuch,
    /// One byte is another one.
    Corrupts,
    /// The part begins somewhere else.
    WrongPart,
    /// Sends on to another machine, without https.
    LeadsAway,
    /// Sends around in circles.
    Circles,
    /// Gives no checksum.
    NoChecksum,
    /// Does not have it.
    Missing,
    /// Says that it is enormous.
    Enormous,
}

/// A hub whose files lie behind a redirect, as on the real one.
struct Hub {
    port: u16,
    /// Method, path and range of each request so far.
    seen: Arc<Mutex<Vec<String>>>,
    trick: Arc<Mutex<Trick>>,
}

impl Hub {
    fn start(file: Vec<u8>, trick: Trick) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, trick) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(trick)));
        let sha = sha256(&file);
        let (requests, now) = (seen.clone(), trick.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let trick = *now.lock().unwrap();
                // A peer that hangs up is part of the game.
                let _ = answer(&stream, port, &file, &sha, trick, &requests);
                if let Trick::Waits(_) = trick {
                    let mut nothing = [0; 64];
                    while *now.lock().unwrap() == trick
                        && std::io::Read::read(&mut &stream, &mut nothing).is_ok_and(|read| read > 0)
                    {}
                }
            }
        });
        Self { port, seen, trick }
    }

    fn now(&self, trick: Trick) {
        *self.trick.lock().unwrap() = trick;
    }

    /// The parts that were asked for where the file lies.
    fn ranges(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let blobs = seen.iter().filter(|line| line.contains("/blob"));
        blobs.filter_map(|line| line.split_once("bytes=").map(|(_, range)| range.to_owned())).collect()
    }
}

fn answer(
    mut stream: &TcpStream,
    port: u16,
    file: &[u8],
    sha: &str,
    trick: Trick,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap()?;
    let mut range = None;
    for line in lines.by_ref() {
        let line = line?.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("range: ") {
            range = Some(value.to_owned());
        }
        assert!(!line.starts_with("authorization"), "a token went to a hub that is not its own");
    }
    seen.lock().unwrap().push(format!("{first} {}", range.clone().unwrap_or_default()));
    let (method, path) = (first.split(' ').next().unwrap_or(""), first.split(' ').nth(1).unwrap_or(""));
    if path.contains("/resolve/") {
        if trick == Trick::Missing || !path.contains(NAME.rsplit('/').next().unwrap()) {
            return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
        let to = match trick {
            Trick::LeadsAway => "http://files.example/blob?signed=secret".to_owned(),
            Trick::Circles => path.to_owned(),
            _ => format!("http://localhost:{port}/blob?signed=secret"),
        };
        let size = if trick == Trick::Enormous { 6_000_000_000 } else { file.len() };
        let sum = if trick == Trick::NoChecksum { "abc" } else { sha };
        let described = if trick == Trick::Circles {
            String::new()
        } else {
            format!("x-repo-commit: {COMMIT}\r\nx-linked-etag: \"{sum}\"\r\nx-linked-size: {size}\r\n")
        };
        return stream.write_all(
            format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\n{described}content-length: 0\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        );
    }
    let mut whole = file.to_vec();
    match trick {
        Trick::Corrupts => whole[file.len() / 2] ^= 1,
        Trick::TooMuch => whole.extend(b"more"),
        _ => {}
    }
    let from = range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let from = from.filter(|_| trick != Trick::NoParts);
    let (status, start) = from.map_or(("200 OK", 0), |from| ("206 Partial Content", from));
    let body = &whole[start.min(whole.len())..];
    let length = body.len() + usize::from(trick == Trick::Lies) * 7;
    // More than was offered can only be sent by one that does not say how much it sends.
    let length = if trick == Trick::TooMuch { String::new() } else { format!("content-length: {length}\r\n") };
    let begins = if trick == Trick::WrongPart { start + 1 } else { start };
    let part = from.map_or(String::new(), |_| format!("content-range: bytes {begins}-{}/{}\r\n", file.len() - 1, file.len()));
    stream.write_all(format!("HTTP/1.1 {status}\r\n{length}{part}connection: close\r\n\r\n").as_bytes())?;
    if method == "HEAD" {
        return Ok(());
    }
    let end = if let Trick::Cuts(most) | Trick::Waits(most) = trick { body.len().min(most) } else { body.len() };
    stream.write_all(&body[..end])
}

fn sha256(bytes: &[u8]) -> String {
    let mut child = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()[..64].to_owned()
}

/// A small model, as a file is read from a hub.
fn small() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("small.gguf");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny_model.py");
    assert!(Command::new(python_with("struct")).arg(script).arg(&out).status().unwrap().success());
    std::fs::read(out).unwrap()
}

fn model(place: &Place, hub: &Hub, args: &[&str], more: &[(&str, &str)]) -> (i32, String, String) {
    let output = place
        .command(&[&["model"], args].concat())
        .env("HF_ENDPOINT", format!("http://127.0.0.1:{}", hub.port))
        .env("HF_TOKEN", "hf_secret")
        .envs(more.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn get(place: &Place, hub: &Hub) -> (i32, String) {
    let (code, out, err) = model(place, hub, &["get", NAME], &[]);
    assert!(!out.contains("secret") && !err.contains("secret"), "{out}{err}");
    (code, out + &err)
}

fn kept(place: &Place) -> PathBuf {
    place.home().join("cache/huggingface/hub/models--me--small-GGUF")
}

/// Tells what lies among the files of the cache: their names' endings.
fn blobs(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(kept(place).join("blobs")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.ends_with(".lock"));
    names.sort();
    names
}

#[test]
fn a_model_is_got_checked_listed_and_removed() {
    let file = small();
    let (place, hub) = (Place::empty(), Hub::start(file.clone(), Trick::None));
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 0, "{said}");
    let link = kept(&place).join("snapshots").join(COMMIT).join("small.gguf");
    assert!(link.symlink_metadata().unwrap().is_symlink(), "as the hub's own tools keep it");
    assert_eq!(std::fs::read(&link).unwrap(), file);
    assert_eq!(std::fs::read_to_string(kept(&place).join("refs/main")).unwrap(), COMMIT);
    let before = hub.seen.lock().unwrap().len();
    assert_eq!(get(&place, &hub).0, 0);
    assert_eq!(hub.seen.lock().unwrap().len(), before, "what is here is not asked for");
    let (_, out, _) = model(&place, &hub, &["list"], &[]);
    assert!(out.contains(NAME) && out.contains("model use MODEL"), "{out}");
    let (code, out, err) = model(&place, &hub, &["use", NAME], &[]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, out, _) = model(&place, &hub, &["list", "--format", "json"], &[]);
    assert!(out.contains("\"chosen\":true"), "{out}");
    assert_eq!(model(&place, &hub, &["rm", NAME], &[]).0, 0);
    assert!(blobs(&place).is_empty());
    assert_eq!(model(&place, &hub, &["use", NAME], &[]).0, 3, "it is not here any more");
}

#[test]
fn a_connection_that_breaks_is_gone_on_with_where_it_broke() {
    let file = small();
    let (place, hub) = (Place::empty(), Hub::start(file.clone(), Trick::Cuts(50_000)));
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 0, "{said}");
    assert_eq!(hub.ranges()[..2], ["50000-", "100000-"]);
    assert_eq!(std::fs::read(kept(&place).join("snapshots").join(COMMIT).join("small.gguf")).unwrap(), file);
}

#[test]
fn what_is_here_of_a_broken_download_is_kept_for_the_next_one() {
    let file = small();
    let (place, hub) = (Place::empty(), Hub::start(file, Trick::Cuts(0)));
    let part = kept(&place).join("blobs").join(format!("{}.incomplete", sha256(&small())));
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, &small()[..1_000]).unwrap();
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("broke") && said.contains("1.0 kB of"), "{said}");
    assert_eq!(std::fs::metadata(&part).unwrap().len(), 1_000);
    hub.now(Trick::None);
    assert_eq!(get(&place, &hub).0, 0);
    assert_eq!(hub.ranges().last().unwrap(), "1000-");
}

#[test]
fn a_hub_that_gives_no_parts_is_taken_whole() {
    let (place, hub) = (Place::empty(), Hub::start(small(), Trick::NoParts));
    let part = kept(&place).join("blobs").join(format!("{}.incomplete", sha256(&small())));
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, b"something else").unwrap();
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_wrong_part_from_before_is_got_once_more_from_the_beginning() {
    let (place, hub) = (Place::empty(), Hub::start(small(), Trick::None));
    let part = kept(&place).join("blobs").join(format!("{}.incomplete", sha256(&small())));
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, [7; 1_000]).unwrap();
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 0, "{said}");
    assert_eq!(hub.ranges(), ["1000-"]);
}

#[test]
fn what_is_not_what_was_offered_is_never_kept() {
    for (trick, expected) in [
        (Trick::Corrupts, "Its checksum is another one"),
        (Trick::Lies, "another size"),
        (Trick::TooMuch, "more of it than was said"),
        (Trick::LeadsAway, "by https"),
        (Trick::Circles, "around in circles"),
        (Trick::NoChecksum, "gives no checksum"),
        (Trick::Missing, "has no me/small-GGUF/small.gguf"),
    ] {
        let (place, hub) = (Place::empty(), Hub::start(small(), trick));
        let (code, said) = get(&place, &hub);
        assert_eq!(code, 3, "{trick:?}: {said}");
        assert!(said.contains(expected), "{trick:?}: {said}");
        assert!(!kept(&place).join("snapshots").exists(), "{trick:?}");
        assert!(blobs(&place).iter().all(|name| name.ends_with(".incomplete")), "{trick:?}");
    }
    let (place, hub) = (Place::empty(), Hub::start(small(), Trick::WrongPart));
    let part = kept(&place).join("blobs").join(format!("{}.incomplete", sha256(&small())));
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, &small()[..1_000]).unwrap();
    let (code, said) = get(&place, &hub);
    assert!(code == 3 && said.contains("not the part that was asked for"), "{said}");
}

#[test]
fn a_file_that_is_no_model_is_not_kept() {
    let (place, hub) = (Place::empty(), Hub::start(b"<html>not found</html>".to_vec(), Trick::None));
    let (code, said) = get(&place, &hub);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("no GGUF file"), "{said}");
    assert!(blobs(&place).is_empty());
}

#[test]
fn what_is_large_is_asked_about_and_offline_means_offline() {
    let (place, hub) = (Place::empty(), Hub::start(small(), Trick::Enormous));
    let (code, said) = get(&place, &hub);
    assert!(code == 2 && said.contains("--yes") && said.contains("6000.0 MB"), "{said}");
    hub.now(Trick::None);
    let before = hub.seen.lock().unwrap().len();
    let (code, out, err) = model(&place, &hub, &["get", NAME], &[("HF_HUB_OFFLINE", "1")]);
    assert!(code == 3 && err.contains("HF_HUB_OFFLINE") || out.contains("HF_HUB_OFFLINE"), "{out}{err}");
    let (code, out, err) = model(&place, &hub, &["get", NAME], &[("PYTEAD_NETWORK", "off")]);
    assert!(code == 3 && (out + &err).contains("network"), "{code}");
    assert_eq!(hub.seen.lock().unwrap().len(), before);
    let elsewhere = place.home().join("elsewhere").display().to_string();
    assert_eq!(model(&place, &hub, &["get", NAME], &[("HF_HOME", elsewhere.as_str())]).0, 0);
    assert!(Path::new(&elsewhere).join("hub/models--me--small-GGUF").is_dir() && !kept(&place).exists());
}

/// The workbench with a hub, before anything was recorded.
fn workbench(place: &Place, hub: &Hub) -> Terminal {
    let script = format!("HF_ENDPOINT=http://127.0.0.1:{} HF_TOKEN=hf_secret exec $PYTEAD", hub.port);
    let terminal = Terminal::shell(place, &script, 160, 45);
    terminal.wait("Nothing recorded");
    terminal
}

/// Asks for a model by its name, which takes the place of the usual one in the line.
fn wants(terminal: &mut Terminal, name: &str) {
    terminal.keys("M");
    terminal.wait("Get a model");
    terminal.keys(&format!("\u{15}{name}\r"));
}

#[test]
fn in_the_workbench_a_download_shows_how_far_it_is_is_stopped_and_goes_on() {
    let file = small();
    let half = file.len() / 2 + 1;
    let (place, hub) = (Place::example("shop"), Hub::start(file.clone(), Trick::Waits(half)));
    place.run(&["trust"]);
    let mut terminal = workbench(&place, &hub);
    wants(&mut terminal, "small.gguf");
    terminal.wait("That names no model");
    terminal.keys("\u{1b}");
    wants(&mut terminal, NAME);
    let screen = terminal.wait_until("a download half way", |screen| screen.contains("» download") && screen.contains("50 %"));
    assert!(screen.contains("small.gguf"), "{screen}");
    terminal.keys("x");
    terminal.wait("What is here is kept");
    assert_eq!(blobs(&place).len(), 1);
    hub.now(Trick::None);
    wants(&mut terminal, NAME);
    terminal.wait("small.gguf is here");
    assert_eq!(hub.ranges().last().unwrap(), &format!("{half}-"), "only the rest was got");
    assert_eq!(std::fs::read(kept(&place).join("snapshots").join(COMMIT).join("small.gguf")).unwrap(), file);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn in_the_workbench_a_large_download_waits_for_a_yes() {
    let (place, hub) = (Place::example("shop"), Hub::start(small(), Trick::Enormous));
    place.run(&["trust"]);
    let mut terminal = workbench(&place, &hub);
    wants(&mut terminal, NAME);
    let screen = terminal.wait("A large download waits");
    assert!(screen.contains(&format!("Get 6000.0 MB of {NAME}?")), "{screen}");
    // A key that comes with the question was meant for something else, so it is typed until it counts.
    while terminal.screen().contains("A large download waits") {
        terminal.keys("n");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    terminal.keys("5");
    terminal.wait("Nothing was got");
    assert!(hub.ranges().is_empty() && blobs(&place).is_empty());
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
