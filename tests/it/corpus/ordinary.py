"""Five hundred values that are no secrets, and look a little like some."""

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


FUNCTIONS = 64  # of each, few inputs of one kind are recorded


def main(lib):
    assert len(VALUES) >= 500, len(VALUES)
    for at, value in enumerate(VALUES):
        getattr(lib, f"o{at % FUNCTIONS}")(value)


def program():
    return "\n\n".join(f"def o{at}(value):\n    return value\n" for at in range(FUNCTIONS))
