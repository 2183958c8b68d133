//! Drafts for functions that were given secrets, or made them.

use crate::harness::Place;

const CLIENT: &str = r#"
class Client:
    def __init__(self, base, token):
        self.base, self.token = base, token

    def url(self, path):
        return f"{self.base}/{path}"

    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}


def login(user, password):
    return f"{user}:{len(password)}"
"#;

/// R5: where a call was given a secret, a test gives a placeholder, if that does as well; a person looks at it first.
#[test]
fn a_placeholder_stands_where_a_secret_was() {
    let place = Place::empty();
    place.save("lib.py", CLIENT);
    place.save(
        "main.py",
        "from lib import Client, login\n\nclient = Client(\"https://api.test\", \"tok-8f3a9c2e71d0\")\nclient.url(\"users\"), \
         client.headers(), login(\"ann\", \"hunter2-hunter2\")\n",
    );
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert!(out.contains("    client = Client(base=\"https://api.test\", token=\"[REDACTED:token]\")"), "{out}{err}");
    assert!(out.contains("    assert client.url(\"users\") == \"https://api.test/users\""), "{out}");
    assert!(out.contains("Left for you to look at: #3 lib:Client.url: holds a redacted value."), "{out}");
    assert!(!place.root().join("tests/pytead/test_pytead_lib.py").exists(), "{out}");
    assert!(out.contains("  redacted  1 function, 1 call\n"), "{out}");
    // Of a secret that a call makes, a test says what is known: its type, and about how long it is.
    let headers = "    result = client.headers()\n    assert list(result) == [\"Authorization\"]\n    \
                   assert type(result[\"Authorization\"]) is str\n    assert 8 <= len(result[\"Authorization\"]) < 32\n";
    assert!(out.replace("\n+", "\n").contains(headers), "{out}");
    assert!(!out.contains("hunter2") && !out.contains("8f3a9c2e"), "{out}");
}

const HASHING: &str = r#"
import hashlib


def hashed(word, salt, iterations=1000):
    digest = hashlib.pbkdf2_hmac("sha256", word.encode(), salt.encode(), iterations).hex()
    return f"pbkdf2_sha256${iterations}${salt}${digest}"


def account(name, word):
    return {"name": name.strip().lower(), "stored": hashed(word, name.strip()), "tries": len(word) % 3}
"#;

/// R5: what a test can say of a hash of a password without having it is asserted, and the hash is nowhere.
#[test]
fn a_function_that_makes_a_password_hash_has_a_test_of_what_is_known_of_it() {
    let place = Place::empty();
    place.save("lib.py", HASHING);
    place.save("main.py", "from lib import account, hashed\n\nhashed(\"abc\", \"pepper\")\naccount(\" Ann \", \"abcd\")\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen"]);
    let out = out.replace("\n+", "\n");
    assert!(out.contains("    assert type(result) is str\n    assert len(result) >= 32\n"), "{out}{err}");
    assert!(out.contains("    assert type(result[\"stored\"]) is str\n    assert len(result[\"stored\"]) >= 32\n"), "{out}");
    assert!(out.contains("result[\"name\"] == \"ann\"") && out.contains("result[\"tries\"] == 1"), "{out}");
    assert!(!out.contains("pbkdf2_sha256$"), "{out}");
}
