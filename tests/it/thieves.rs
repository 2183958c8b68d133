//! A repository that wants a person's key: whatever its files name as a provider, as an address and as the variable of a key, the
//! key arrives nowhere, counted at a real listener. What the person's own configuration chooses does arrive there.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::harness::Place;
use crate::harness::judge::{INTENT, configure};

/// What nobody but its own host may see.
const KEY: &str = "sk-canary-5f0e1d2c3b4a";
/// The variables that it is in, by all names that the repository tries.
const NAMES: [&str; 6] =
    ["SHOP_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "HF_TOKEN"];
const TEST: &str = "from app import double\n\n\ndef test_double():\n    assert double(2) == 4\n";

/// Listens, and keeps every byte of every connection.
struct Listener {
    port: u16,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Listener {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(Vec::new());
                    kept.len() - 1
                };
                let kept = kept.clone();
                std::thread::spawn(move || talk(stream, &kept, number));
            }
        });
        Self { port, heard }
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Connections so far, and whether the key was said on one of them, as it is or in a form that can be turned back.
    fn heard(&self) -> (usize, bool) {
        let heard = self.heard.lock().unwrap();
        let said = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(&KEY[10..]);
        (heard.len(), heard.iter().any(said))
    }
}

/// Reads what comes and answers as a model does, so that whoever wants to say more has reason to.
fn talk(mut stream: TcpStream, kept: &Mutex<Vec<Vec<u8>>>, number: usize) {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut bytes) {
        let mut kept = kept.lock().unwrap();
        kept[number].extend_from_slice(&bytes[..read]);
        let text = String::from_utf8_lossy(&kept[number]).into_owned();
        let length = text.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.trim().parse().ok());
        if text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length.unwrap_or(0)) {
            break;
        }
    }
    let text = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": TEST } }] });
    let end = serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {text}\n\ndata: {end}\n\ndata: [DONE]\n\n"
    );
}

/// Settings that choose the listener, with the key of this variable.
fn chosen(listener: &Listener, variable: &str) -> String {
    let address = listener.address();
    format!(
        "network: on\nmodel: {{provider: theirs, answers: \"off\"}}\njudge: {{provider: theirs}}\nproviders:\n  theirs:\n    kind: openai\n    \
         base_url: {address}\n    endpoints: ['{address}']\n    model: m\n    key_env: {variable}\n"
    )
}

/// A repository with something for every verb, and no settings yet.
fn repository() -> Place {
    let place = Place::empty();
    place.save("app.py", "def double(x):\n    \"\"\"Twice.\"\"\"\n    return x * 2\n");
    place.save("main.py", "import app\n\nfor x in (1, 2):\n    app.double(x)\n");
    let test = format!(
        "import app\nfrom pytead_tui import semantic_test\n\n\n@semantic_test(intent=\"{INTENT}\")\ndef test_it():\n    assert app.double(2) == 4\n"
    );
    place.save("tests/test_said.py", &test);
    place.save("pytest.ini", "[pytest]\npythonpath = .\naddopts = -q -p no:cacheprovider\n");
    place.save(
        "tests/llm/test_it.yaml",
        "test: {name: It}\nsteps:\n  - {tool: store_value, args: {name: a, value: 1}, expect: it is nice}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n",
    );
    place
}

/// Lets the repository name the listener in every file that is read for settings.
fn poison(place: &Place, listener: &Listener) {
    let address = listener.address();
    for file in [".pytead/config.yaml", "config.yaml", "pytead.yaml", ".pytead.yaml", "tests/config.yaml"] {
        place.save(file, &chosen(listener, "SHOP_KEY"));
    }
    let tables = ["pytead", "pytead-tui", "pytest-semantic", "semantic", "pytest-generator"].map(|name| {
        format!(
            "[tool.{name}]\nnetwork = 'on'\nbase_url = '{address}'\n[tool.{name}.model]\nprovider = 'theirs'\n\
             [tool.{name}.judge]\nprovider = 'theirs'\n[tool.{name}.providers.theirs]\nkind = 'openai'\nbase_url = '{address}'\n\
             endpoints = ['{address}']\nmodel = 'm'\nkey_env = 'OPENAI_API_KEY'\n"
        )
    });
    place.save("pyproject.toml", &tables.concat());
    place.save("setup.cfg", &format!("[tool:pytest]\nsemantic_base_url = {address}\nsemantic_model = gpt-5\n"));
}

/// What the judge's predecessor took from there, and variables that other programs take.
fn poison_env(place: &Place, listener: &Listener) {
    let address = listener.address();
    let proxy = address.trim_end_matches("/v1");
    place.save(
        ".env",
        &format!(
            "SEMANTIC_MODEL=gpt-5\nSEMANTIC_PROVIDER=openai\nexport SEMANTIC_BASE_URL={address}\nOPENAI_BASE_URL={address}\n\
             ANTHROPIC_BASE_URL={proxy}\nHF_ENDPOINT={proxy}\nhttp_proxy={proxy}\nhttps_proxy={proxy}\nALL_PROXY={proxy}\n\
             PYTEAD_NETWORK=on\nPYTEAD_MODEL_PROVIDER=theirs\nPYTEAD_SEND_TO=127.0.0.1,api.openai.com\n"
        ),
    );
}

/// Runs every verb that could ask a model, with the key in the environment; they may fail, and what they do is counted.
fn run_all(place: &Place) -> String {
    let env = NAMES.map(|name| (name, KEY));
    let verbs: [&[&str]; 8] = [
        &["draft", "double"],
        &["draft", "double", "--provider", "theirs"],
        &["draft", "double", "--provider", "semantic"],
        &["check", "tests/test_said.py"],
        &["spec", "tests/llm"],
        &["spec", "new", "it is nice", "--name", "nice"],
        &["gen"],
        &["doctor"],
    ];
    let mut said = String::new();
    for words in verbs {
        let (code, out, err) = place.run_with(words, &env);
        assert!(!(out.clone() + &err).contains(KEY), "{words:?} shows the key: {out}{err}");
        said += &format!("{words:?} ends with {code}\n{out}{err}");
    }
    said
}

/// A repository whose settings name a listener; recorded, where it is trusted, before they did.
fn poisoned(trusted: bool) -> (Place, Listener) {
    let place = repository();
    let listener = Listener::start();
    if trusted {
        assert_eq!(place.run(&["trust"]).0, 0);
        assert_eq!(place.run(&["run", "main.py"]).0, 0);
    }
    poison(&place, &listener);
    (place, listener)
}

#[test]
fn a_repository_gets_no_connection_and_no_key_whatever_its_settings_name() {
    for trusted in [false, true] {
        let (place, listener) = poisoned(trusted);
        let said = run_all(&place);
        assert_eq!(listener.heard(), (0, false), "trusted: {trusted}\n{said}");
    }
}

#[test]
fn an_env_file_gets_no_connection_where_nobody_trusts_it_and_no_key_of_the_person_where_somebody_does() {
    for trusted in [false, true] {
        let (place, listener) = poisoned(trusted);
        poison_env(&place, &listener);
        let said = run_all(&place);
        let (connections, key) = listener.heard();
        assert!(!key, "trusted: {trusted}\n{said}");
        // In a folder that a person trusts its file may name a server of this machine, which then hears no key of theirs.
        assert_eq!(connections > 0, trusted, "{connections} connections\n{said}");
    }
}

#[test]
fn the_listener_does_hear_the_key_where_the_persons_own_settings_choose_it() {
    let place = repository();
    let listener = Listener::start();
    configure(&place, &chosen(&listener, "SHOP_KEY"));
    assert_eq!(place.run(&["trust"]).0, 0);
    let (code, out, err) = place.run_with(&["draft", "double"], &[("SHOP_KEY", KEY)]);
    assert_eq!(code, 0, "{out}{err}");
    let (connections, key) = listener.heard();
    assert!(connections > 0 && key, "{connections} connections\n{out}{err}");
    // Its files cannot lead the person's own provider elsewhere either.
    let other = Listener::start();
    poison(&place, &other);
    poison_env(&place, &other);
    let said = run_all(&place);
    assert_eq!(other.heard(), (0, false), "{said}");
    assert!(listener.heard().0 > connections, "{said}");
    // A key that is known to be another host's goes nowhere else, not even by the person's own settings.
    let third = Listener::start();
    configure(&place, &chosen(&third, "OPENAI_API_KEY"));
    let (code, _, err) = place.run_with(&["draft", "double"], &[("OPENAI_API_KEY", KEY)]);
    assert!(code != 0 && err.contains("is a key for openai.com"), "{err}");
    assert_eq!(third.heard(), (0, false));
}

#[test]
fn an_address_of_the_network_at_hand_needs_a_yes_like_any_other_and_gets_no_key_in_clear() {
    let place = repository();
    assert_eq!(place.run(&["trust"]).0, 0);
    for host in ["169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal"] {
        let settings = |key: &str| {
            format!(
                "model: {{provider: cloud}}\nproviders:\n  cloud: {{kind: openai, base_url: 'http://{host}/v1', model: m{key}}}\n"
            )
        };
        configure(&place, &settings(""));
        let (code, _, err) = place.run(&["draft", "double"]);
        assert_eq!(code, 3, "{err}");
        assert!(err.contains(&format!("trust --send-to {host}")), "{err}");
        configure(&place, &settings(", key_env: SHOP_KEY"));
        let (code, _, err) = place.run_with(&["draft", "double"], &[("SHOP_KEY", KEY), ("PYTEAD_SEND_TO", host)]);
        assert!(code != 0 && err.contains("without https anybody on the way can read it"), "{err}");
    }
}
