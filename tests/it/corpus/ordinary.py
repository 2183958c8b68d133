"""Six hundred values that are no secrets, and look a little like some."""

import datetime
import decimal
import hashlib
import pathlib
import urllib.parse
import uuid

WORDS = """test secret password token admin root guest hello raclette ada lovelace shop cart item order customer address street
invoice payment card number total price discount author authority authentic monkey keyboard passenger secretary tokenize
cookies session sessions certificate compass passage bypass trespass keynote donkey turkey whiskey primary foreign unique
index table column row field value label title body header footer page section chapter verse line word letter digit""".split()

VALUES = [
    *WORDS,
    *(f"{word}{n}" for n, word in enumerate(WORDS[:60])),
    *({"name": word, "size": n} for n, word in enumerate(WORDS[:50])),
    *((word, n) for n, word in enumerate(WORDS[:40])),
    *(n * 7_919 for n in range(50)),
    *(n / 7 for n in range(1, 50)),
    *(decimal.Decimal(n) / 7 for n in range(1, 10)),
    *(datetime.date(2026, 1, n) for n in range(1, 10)),
    *(datetime.datetime(2026, 1, n, 8, 36, 17, 123456).isoformat() for n in range(1, 10)),
    *(str(uuid.UUID(int=n * 340282366920938463463)) for n in range(1, 20)),
    *(hashlib.sha1(word.encode()).hexdigest() for word in WORDS[:20]),
    *(hashlib.sha256(word.encode()).hexdigest() for word in WORDS[:20]),
    *(f"https://{word}.example.com:8080/{word}?page={n}&sort=name#top" for n, word in enumerate(WORDS[:20])),
    *(urllib.parse.urlsplit(f"https://example.com/{word}") for word in WORDS[:10]),
    *(f"{word}@example.com" for word in WORDS[:20]),
    *(f"/var/lib/{word}/{word}.txt" for word in WORDS[:20]),
    *(pathlib.PurePosixPath("/tmp") / word for word in WORDS[:10]),
    *(f"def {word}(self):\n    return self.{word}\n" for word in WORDS[:10]),
    # About secrets, and none of them.
    {"token_type": "bearer", "expires_in": 3600},
    {"password_min_length": 12, "password_field": "username", "password_reset_timeout": 259200},
    {"tokenUrl": "https://example.com/token", "token_endpoint": "/oauth/token"},
    {"tokens": 1500, "tokens_used": 12345, "max_tokens": 4096, "prompt_tokens": 300},
    {"tokens": ["the", "state-of-the-art", "getUserById"], "cookies": {"theme": "dark"}, "token_count": 12, "api_keys": 5000},
    "tokens=['the', 'monkeys'], max_tokens=256, keys=['a', 'b']", {"passwords": 3, "sessions": ["spring", "autumn"]},
    {"author": "Ada Lovelace", "authors": ["Ada", "Grace"], "authored": True},
    {"primary_key": "id", "foreign_key": "order_id", "public_key_path": "/etc/ssl/id.pub", "key": "value", "keys": ["a", "b"]},
    {"csrf_cookie_age": 31449600, "session_cookie_domain": "example.com", "cookie_samesite": "Lax"},
    {"compassion": "full", "passed": 12, "passing": "yes", "bypass": "no"},
    {"pin": "12", "pins": [1, 2, 3], "pinned": "yes"},
    {"secret_name": "prod/database", "credentials_file": "/etc/app/credentials.json"},
    {"sessions": ["spring", "autumn"], "session": None, "token": None, "password": None, "is_secret": True},
    [("password", "Password"), ("token", "Token"), ("email", "E-mail")],
    [("token", "NAME"), ("token", "NUMBER"), ("cookie", "oatmeal")],
    ("token", "identifier"), ["password", "required"], ("secret", "santa"), ("session", "opening"),
    {"name": "password", "value": "Password"}, {"key": "forgot_password", "value": "Forgot your password?"},
    [{"name": "token", "value": "NAME"}, {"name": "token", "value": 1500}, {"key": "secret", "value": "santa"}],
    {"name": "REQUIRE_PASSWORD", "value": "true"}, {"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"},
    {"header_name": "password", "value": "a1-b2"}, {"name": "password_policy", "value": "min-12-chars"}, ("forgot_password", "Forgot it?"),
    '{"name": "password", "value": "Password"}', "- name: PATH\n  value: /bin-12x\n- name: password\n", "value=1 name=token",
    "mailto:ada2x9@example.com", "author:ada.lovelace7@example.com", "nginx:1.25@sha256:0123456789abcdef", "npm:left-pad@1.3.0",
    "git@github.com:org/repo.git", "pkg:pypi/django@1.11.1", "x: a1b2 @decorator", "see:ada@example.com/about", 1_764_256_471_123,
    "the password must be long", "--token TOKEN  the token of the API", "docker login --password-stdin registry.example.com",
    ["tool", "--token", "--verbose"], ["docker", "run", "-u", "1000:1000", "image"], "git push -u origin:main", "sort -u name:1",
    "<password>Your password</password>", "at 10:30:12:a:b1", "passwords:\n  - must be long\n  - must have 8 digits\n",
    "tokens: [the, state-of-the-art, getUserById]", "npm_config_global_registry_and_user_agent", "a token of thanks",
    ["--token-file", "/run/x1y2z3"], "the password 'admin' is weak", "api_keys:\n  ada: ${ADA_KEY}\n",
    "the password: must be long", "Invalid token: unexpected end", "tokens_used=12345", "secret santa",
    "author=Ada Lovelace", "Basic authentication is required", "Bearer of good news", "key-value store", "sk-short",
    "SKU1234567890", "ACME Corporation", "EAAA", "SG.1", "AC/DC", "xoxo", "npm_install", "hf_hub", "sig=1", "$1.50", "$6",
    "eyJust", "AKIN", "password=None", "token = parse(text)", "4111 1111 1111 1112", "2026-11-22 08:36:17.123456",
    "task-force", "AIzawa", "md5$x", "scrypt: a function", "bcrypt$", "{SSHA}", "C'est la vie", "a:b@c", "12:30@office",
    "if self.password is None:", "request.headers['Authorization']", "os.environ['API_KEY']", "password = getpass()",
    "name,email\nada,ada-17@example.com\n", "name;city\nAda;x17-b\n", "| name | size |\n|---|---|\n| a-1 | 17b |\n",
    "title: |\n  a text of 2 lines\n  and-another1\n", "password:\n  type: string\n  minLength: 8\n", "key: &x a-17\nother: *x\n",
    "token_type: >-\n  bearer-2\n", "INSERT INTO t (name, size) VALUES ('a-17', 'b-18')", '<entry key="colour">red-17</entry>',
    "<key>name</key><string>a-17b</string>", '<label for="password">Your password</label>',
    {"password_changed_at": "2026-01-02T03:04:05", "csrf_exempt": "all-views-17"}, "ls -p a17b-c", "mkdir -p src-17/a2", "grep -pa17",
    "d41d8cd98f00b204e9800998ecf8427e-us", "pathlib_and_other_modules_of_the_library_have_names_with_many_words_that_are_written_so", "pul-up",
    [2.8571428571428568, 4.516705679377284, 4111111111111111.5], list(range(50)), {"a": {"b": {"c": ["d", "e"]}}},
    b"GET / HTTP/1.1", b"\x89PNG\r\n\x1a\n", b"token", [(b"host", b"example.com"), (b"accept", b"*/*")], "", b"", 0, None, True,
]

# Close to what names of columns, statements, commands and tables tell.
VALUES += [
    {"pass": True}, {"pass": 3}, {"pass": "yes"}, {"pass": "boarding"}, {"pass": 1200, "fail": 3}, {"pass": None, "user": "ada"},
    {"user": "ada", "pass": 1200, "fail": 3}, {"first_pass": "renders the shadows", "pass_count": 2}, {"pass": "2-of-3"},
    {"passes": ["first", "second"]}, {"passed": "12-of-14", "bypass": "rule-17b"}, "pass=3 fail=1", "PASS: 12 of 14", "two-pass=fast",
    {"type": "password"}, {"type": "password", "name": "field-1", "required": True}, {"type": "password", "value": ""},
    {"type": "password", "value": "Required"}, {"type": "text", "value": "a17-b2"}, {"kind": "token", "value": "NAME"},
    {"label": "Password", "data": ["Must have 8 letters."]}, {"type": "token", "default": "identifier"}, {"kind": "x17", "data": "a1-b2"},
    {"column": "size", "value": "a17-b2"}, {"label": "Secret santa", "value": "list-17"}, {"type": "api_key", "value": "${KEY}"},
    (["username", "password"], ["TextInput", "PasswordInput"]), (["name", "size"], ["a17-b2c", "zQ8kd20f"]),
    {"fields": ["user", "password"], "types": ["varchar(20)", "varchar(60)"]}, {"fields": ["user", "password"], "max_length": [150, 128]},
    {"required": ["password"], "missing": ["email"]}, {"names": ["token", "text"], "values": ["NAME", "STRING"]},
    [["user", "password"], ["ada", "required"], ["bo", "********"]], [("name", "password"), ("min_length", "max_length")],
    {"columns": ["id", "password_hint"], "rows": [[1, "a17-b2-c3"]]}, {"columns": ["id", "token_type"], "rows": [[1, "bearer-17"]]},
    {"names": ["password", "email"], "labels": ["Your password", "Your e-mail"]}, [["key", "value"], ["size", "x17-b2"]],
    (["password"], ["This password is too short."]), (["password"], ["too_short"]), (["secret"], ["santa"]), {"a": ["password"], "b": [8]},
    {"order": ["name", "token"], "widths": [1200, 3000]}, {"choices": [("password", "Password"), ("sms", "SMS")]},
    ("UPDATE u SET name = ? WHERE id = ?", ("a17-b2-c3", 1)), ("SELECT password FROM u WHERE id = ?", ("a17-b2-c3",)),
    ("INSERT INTO t (name, size) VALUES (?, ?)", ("zQ8-b2-c3", 12)), ("SELECT 1 FROM u WHERE password IS NULL AND id = ?", ["a17-b2-c3"]),
    ("UPDATE u SET password = ?", ("${PASSWORD}",)), ("UPDATE u SET password_changed_at = ?", ("2026-01-02T03:04:05",)),
    ("SELECT token FROM t WHERE kind = :k", {"k": "b17-c2-d3"}), ("UPDATE t SET token = ?", ("NAME",)), "SELECT id, password FROM u",
    ("DELETE FROM sessions WHERE age > %s", (86400,)), "UPDATE u SET password = ? WHERE id = ?", "update the password, please?",
    ["docker", "run", "-p", "8080:80", "image-17b"], ["docker", "login", "registry-17.example.com"], ["ls", "-p", "src-17/a2"],
    ["git", "push", "-u", "origin", "main-17"], ["python", "-m", "pytest", "-p", "no:cacheprovider"], ["python", "-W", "error::a17"],
    ["ssh", "-p", "2222", "ada@a17.test"], ["mkdir", "-p", "build-17/x86"], ["mysql", "-P", "3306", "shop17"], ["tar", "-k", "a17b.tar"],
    ["redis-cli", "-p", "6379", "ping"], ["curl", "-u", "ada", "https://a17.test/b2"], ["net", "use", "x17"], ["tool", "--password-stdin"],
    ["unzip", "-d", "out-17b", "a.zip"], ["openssl", "version", "-a"], ["cmd", "--pass-through", "x17-b2c"], "mysql -h db-17 shop",
    "docker run -p 8080:80 image-17b", "ssh -p 2222 ada@a17.test", "ldapsearch -x -b dc=a17", "7z x a17b.7z", "zip -r a17b.zip src",
    "net user ada", "rabbitmqctl list_users", "openssl x509 -in a17.pem", "chpasswd is a program", "redis-cli -p 6379 get a17b",
    "pk_users", "pk_order_17_items", "users_pk_12", "sdk-17", "api-v2-users-17", "api-gateway-17b.example.com", "patch-na1-17", "oy2k",
    "sk.en", "AT-17", "napi_get_value_bool", "jina_reader", "fc-17", "y0_axis", "tr_dev", "{SHA}", "SCRAM-SHA-256", "$P", "$S$", "a:1001:x:y:::",
    "name   size\nada    a17-b2c\n", "NAME    READY   AGE\npod-1   1/1     3d17h\n", "user password\n==== ========\nada  required\n",
    "user      name of the user\npassword  the password of the user\ntoken     the 2nd token-17\n", "Name  Password\nada   secret\n",
    "| Field | Type |\n|---|---|\n| password | varchar(60) |\n", "+----+------+\n| id | name |\n+----+------+\n| 12 | a17b-c |\n+----+------+\n",
    " name | password \n------+----------\n ada  | required\n", "password\trequired\n", "usage: x [-p PORT] [-u USER]\n  -p  the port, 8080\n",
    '{"columns": ["user", "password"], "types": ["varchar(20)", "varchar(60)"]}', "{'kty': 'RSA', 'e': 'AQAB', 'n': 'zQ8kd20fh17'}",
    {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8v"}, {"d": "2026-01-02", "k": "b17-c2", "p": 8080}, {"auth": None}, '{"auth": "basic"}',
    "jdbc:oracle:thin:@db17.test:1521:shop", "sqlplus / as sysdba", "npm i @org17/pkg2@1.3.0", "see a17/b2@1.3.0", "https://a.test/@ada17/x2",
    "Private-Key: none", "-----BEGIN CERTIFICATE-----\nMIIB17\n-----END CERTIFICATE-----\n", "LS0tLS1CRUdJTi", {"preshared": "yes-17"},
    {"response": "ok"}, {"response": "d41d8cd98f00b204e9800998ecf8427e"}, "response=ok", 'response="200 OK"', {"nonce": "a1", "response": "ok"},
    {"signature": "ok"}, {"signature": "(self, x: int = 17, *, key=None) -> str"}, {"signature": "Ada Lovelace"}, "signature=none",
    {"method_signature": "total(items, rate17=2)"}, ("signature", "(x17: int) -> int"), "signature: def total(a1, b2): ...", "sig=SIGTERM",
    {"sig": "SIGTERM-15"}, {"sig_figs": 3}, {"signature": b""}, {"signatures": ["f(x)", "g(y17)"]}, "the signature is valid", {"signature": None},
    {"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "code_challenge_method=S256", {"verifier": "x17-b2"},
    "SET PASSWORD", "CREATE USER 'ada17'@'localhost'", "ALTER USER ada17 WITH LOGIN", "set password for 'bob'@'localhost'",
    "net use z: \\\\server17\\share", "net use", ["net", "use", "\\\\server17\\share", "/user:ada17"], "schtasks /run /tn task-17b",
    "xfreerdp /v:host-17b /u:ada17", ["cl", "/p:on17b2"], "identified by its number '17-b2'", "v1=2",
]


FUNCTIONS = 64  # of each, few inputs of one kind are recorded


def main(lib):
    assert len(VALUES) >= 620, len(VALUES)
    for at, value in enumerate(VALUES):
        getattr(lib, f"o{at % FUNCTIONS}")(value)


def program():
    return "\n\n".join(f"def o{at}(value):\n    return value\n" for at in range(FUNCTIONS))
