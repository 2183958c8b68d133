//! A corpus of made-up secrets in the shapes in which programs meet them, and of values that look a little like some: none of
//! the one is found in anything that was written, printed or sent, and none of the other is hidden.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::harness::Place;
use crate::harness::agent::Client;
use crate::harness::model::Model;
use serde_json::json;

const SHAPES: &str = include_str!("corpus/shapes.py");
const ORDINARY: &str = include_str!("corpus/ordinary.py");
const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HEX: &[u8] = b"0123456789abcdef";

/// How many secrets it makes of each shape.
const EACH: u64 = 2;

/// How many shapes, parameters and literals `shapes.py` has.
const COUNTS: [u64; 3] = [230, 10, 14];

/// Bytes of a secret that nothing else begins with.
const BEGIN: usize = 12;

/// Makes the part of a secret that nothing else has, as `shapes.py` does.
fn core(number: u64, alphabet: &[u8], length: usize) -> String {
    let mut state = 40_503 * (number + 1) + alphabet.len() as u64;
    let mut next = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        char::from(alphabet[(state >> 8) as usize % alphabet.len()])
    };
    (0..length).map(|_| next()).collect()
}

/// Each secret's own parts, with what it is.
fn secrets([shapes, parameters, literals]: [u64; 3]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for number in 0..shapes * EACH {
        // One of the two is in the value; an access key of AWS has 16 characters of it in capitals.
        let letters = core(number, LETTERS, 24);
        all.insert(letters[..16].to_uppercase(), format!("s{}, in capitals", number / EACH));
        all.insert(letters, format!("s{}", number / EACH));
        all.insert(core(number, HEX, 32), format!("s{}", number / EACH));
    }
    for number in 0..parameters {
        all.insert(core(4_000 + number, LETTERS, 24), format!("p{number}"));
        all.insert(core(4_000 + number, b"123456789", 12), format!("p{number}, a number"));
    }
    for number in 0..2 {
        all.insert(core(6_000 + number, LETTERS, 24), format!("variable {number}"));
    }
    for number in (0..6).chain(2_000..2_000 + literals) {
        all.insert(core(5_000 + number, LETTERS, 24), format!("literal {number} of the source"));
    }
    all
}

/// Reads every file that was written.
fn gather(folder: &Path, out: &mut Vec<(String, Vec<u8>)>) {
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        let name = path.display().to_string();
        if path.is_dir() {
            if !name.ends_with("__pycache__") && !name.contains("/home/cache/pytead-tui/python") {
                gather(&path, out);
            }
        } else if !name.ends_with("/lib.py") {
            out.push((name, std::fs::read(&path).unwrap_or_default()));
        }
    }
}

/// Makes a project of the functions that a part of the corpus calls, and records its calls.
fn recorded(part: &str, text: &str) -> Place {
    let place = Place::empty();
    place.save(&format!("{part}.py"), text);
    let make = format!("import {part}; open('lib.py', 'w').write({part}.program())");
    place.save("main.py", &format!("import lib\nimport {part}\n\n{part}.main(lib)\n"));
    let python = place.command(&[]).get_envs().find_map(|(name, value)| (name == "PATH").then(|| value.unwrap().to_owned()));
    let mut maker = std::process::Command::new("python3");
    maker.args(["-B", "-c", &make]).current_dir(place.root());
    if let Some(path) = python {
        maker.env("PATH", path);
    }
    assert!(maker.status().unwrap().success());
    place.commit();
    let (code, out, err) = place.run(&["--trust", "run", "-t", "lib", "main.py"]);
    assert_eq!(code, 0, "{out}{err}");
    place
}

#[test]
fn no_secret_of_the_corpus_is_in_anything_that_was_written_printed_or_sent() {
    let place = recorded("shapes", SHAPES);
    let model = Model::answers(&["from lib import local\n\n\ndef test_local():\n    assert local(1) == 2\n"]);
    let config = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.yaml"), model.config()).unwrap();
    let mut places: Vec<(String, Vec<u8>)> = Vec::new();
    let shown: [&[&str]; 10] = [
        &["export", "1"],
        &["--format", "json", "export", "1"],
        &[
            "gen",
            "s0",
            "s1",
            "s17",
            "s20",
            "s28",
            "s50",
            "p0",
            "p4",
            "local",
            "default",
            "Settings.size",
            "elsewhere",
            "set_variable",
        ],
        &["diff"],
        &["review", "--list"],
        &["draft", "local", "--show-outgoing"],
        &["draft", "local"],
        &["draft", "default"],
        &["draft", "Settings.size"],
        &["draft", "p0"],
    ];
    for args in shown {
        let (code, out, err) = place.run(&[&["--trust"], args].concat());
        assert!(code < 2, "{args:?}: {out}{err}");
        places.push((format!("what {} prints", args.join(" ")), (out + &err).into_bytes()));
    }
    let edited = place.read("lib.py").replace("return x", "return 1 + x").replace("return value", "return [value]");
    place.save("lib.py", &edited);
    let (_, out, err) = place.run(&["--trust", "diff"]);
    assert!(out.contains("local") && out.contains("s0"), "{out}{err}");
    places.push(("what diff prints after an edit".into(), (out + &err).into_bytes()));
    for (args, wanted) in [(&["run", "--journey", "-t", "lib", "main.py"][..], 0), (&["export", "2"], 0)] {
        let (code, out, err) = place.run(&[&["--trust"], args].concat());
        assert_eq!(code, wanted, "{out}{err}");
        places.push((format!("what {} prints", args.join(" ")), (out + &err).into_bytes()));
    }
    let mut agent = Client::trusted(&place);
    for tool in agent.tools() {
        let name = tool["name"].as_str().unwrap().to_owned();
        for function in ["lib:s0", "lib:s17", "lib:p0", "lib:local", "lib:default", "lib:elsewhere"] {
            let needed = tool["inputSchema"]["required"].as_array().unwrap();
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            let some = properties.iter().filter(|(name, _)| needed.iter().any(|one| one == *name));
            let value = |schema: &serde_json::Value| if schema["type"] == "integer" { json!(1) } else { json!(function) };
            let arguments = some.map(|(name, schema)| (name.clone(), value(schema))).collect();
            let (_, said) = agent.call(&name, arguments);
            places.push((format!("what the tool {name} says of {function}"), said.into_bytes()));
        }
    }
    drop(agent);
    let sent = model.requests.lock().unwrap().join("\n");
    assert!(sent.contains("def local"), "{sent}");
    places.push(("the prompts".into(), sent.into_bytes()));
    for folder in [place.root(), place.home()] {
        gather(&folder, &mut places);
    }
    assert!(places.iter().any(|(name, bytes)| name.ends_with("pytead.db") && bytes.len() > 50_000));
    assert!(SHAPES.contains(&format!("EACH = {EACH} ")));
    // Each is known by how it begins: one look at each place finds all of them.
    let known = secrets(COUNTS);
    assert!(SHAPES.contains(&format!("COUNTS = {}, {}, {}", COUNTS[0], COUNTS[1], COUNTS[2])));
    let begins: HashMap<&[u8], &String> = known.iter().map(|(secret, what)| (&secret.as_bytes()[..BEGIN], what)).collect();
    assert!(begins.len() > 600);
    let found = |(name, bytes): &(String, Vec<u8>)| {
        let of_place: BTreeSet<&String> = bytes.windows(BEGIN).filter_map(|part| begins.get(part).copied()).collect();
        of_place.into_iter().map(|what| format!("{what} is in {name}")).collect::<Vec<_>>()
    };
    let leaks: Vec<String> = places.iter().flat_map(found).collect();
    assert!(leaks.is_empty(), "{} leaks: {leaks:#?}", leaks.len());
}

#[test]
fn no_ordinary_value_of_the_corpus_is_hidden() {
    let place = recorded("ordinary", ORDINARY);
    let (code, out, err) = place.run(&["--trust", "export", "1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.matches("lib:o").count() >= 740, "{}", out.matches("lib:o").count());
    let hidden: Vec<&str> = out.lines().filter(|line| line.contains("‹secret:") || line.contains("[REDACTED")).collect();
    assert!(hidden.is_empty(), "{hidden:#?}");
}
