"""Made-up secrets in the shapes in which programs meet them. They are put together here, so that no file holds one.

`tests/it/corpus.rs` makes the same cores, and looks for each of them in all that was written.
"""

import enum
import functools
import http.cookiejar
import http.cookies
import urllib.parse
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
HEX = "0123456789abcdef"
EACH = 2  # secrets of each shape
COUNTS = 230, 10, 14  # of SHAPES, PARAMETERS and LITERALS: corpus.rs looks for so many


def core(number, alphabet, length):
    """Makes the part of a secret that nothing else has."""
    state, text = 40_503 * (number + 1) + len(alphabet), ""
    for _ in range(length):
        state = (state * 1_103_515_245 + 12_345) % (1 << 31)
        text += alphabet[(state >> 8) % len(alphabet)]
    return text


def join(*parts):
    return "".join(parts)


@dataclass
class Account:
    user: str
    password: str


class Client:
    def __init__(self, key):
        self.base = "https://api.test"
        self.api_key = key


class Field(enum.Enum):
    NAME = 1
    PASSWORD = 2


Login = namedtuple("Login", "user passphrase")
Setting = namedtuple("Setting", "key value")


def call(url, api_key=None):
    return url


def cookies(c):
    jar = http.cookies.SimpleCookie()
    jar["visit"] = c
    return jar


def kept_cookie(c):
    return http.cookiejar.Cookie(0, "visit", c, None, False, "a.test", True, False, "/", True, False, None, True, None, None, {})


# By the name beside them, in any container; c is of letters and digits, h of hexadecimal digits.
NAMED = {
    "a dict": lambda c, h: {"user": "ada", "password": c},
    "a key in bytes": lambda c, h: {b"password": c.encode()},
    "deep in lists": lambda c, h: [{"a": [({"Client-Secret": c},)]}],
    "an ordered dict": lambda c, h: OrderedDict(refresh_token=c),
    "a pair": lambda c, h: ("token", c),
    "a pair in a list": lambda c, h: [["api_key", c], ["page", "2"]],
    "headers in bytes": lambda c, h: [(b"host", b"a.test"), (b"authorization", join("Bear", "er ", c).encode())],
    "headers in text": lambda c, h: [("X-Api-Key", c), ("Accept", "*/*")],
    "a cookie header in bytes": lambda c, h: [(b"cookie", join("sessionid=", c).encode())],
    "a dataclass": lambda c, h: Account("ada", c),
    "an object": lambda c, h: Client(c),
    "a named tuple": lambda c, h: Login("ada", c),
    "a partial": lambda c, h: functools.partial(call, api_key=c),
    "bytes that change": lambda c, h: {"signing_key": bytearray(c.encode())},
    "camel case": lambda c, h: {"accessToken": c, "encryptionKey": h},
    "a set under a name": lambda c, h: {"passwords": [], "credentials": {c}},
    "several under a name": lambda c, h: {"passwords": [c, (h,)]},
    "several by who has them": lambda c, h: {"apiKeys": {"ada": c, "grace": {"now": h, "from": 1700000000}}},
    "several that may be words": lambda c, h: {"tokens": ["the", c], "session_ids": {h}},
    "a name and its value": lambda c, h: {"name": "DB_PASSWORD", "value": c},
    "a value and its name": lambda c, h: {"value": c, "type": "text", "key": "api_key"},
    "names and values in a list": lambda c, h: [{"name": "PATH", "value": "/bin"}, {b"a": 1, "Name": "jwt", "Value": c.encode()}],
    "a name and its value in a tuple": lambda c, h: Setting("spring.datasource.password", c),
    "a name and its value as attributes": lambda c, h: SimpleNamespace(header_name="X-Api-Key", header_value=c),
    "the values of a name": lambda c, h: {"ParameterKey": "credentials", "ParameterValue": [c, h]},
    "a text before its name": lambda c, h: {"note": join("uses ", c), "again": c, "client_secret": c},
}
# By their type.
TYPED = {
    "an address that was split": lambda c, h: urllib.parse.urlsplit(join("https://u:", c, "@h.test/")),
    "one in bytes": lambda c, h: urllib.parse.urlparse(join("https://u:", c, "@h.test/").encode()),
    "a cookie": lambda c, h: cookies(c),
    "a kept cookie": lambda c, h: kept_cookie(c),
}
# By their form, alone or in a text.
FORMED = {
    "an address": lambda c, h: join("postgres://ada:", c, "@db/shop"),
    "a query": lambda c, h: join("https://a.test/?page=2&access_token=", c),
    "a header": lambda c, h: join("Authorization: Bear", "er ", c),
    "a scheme": lambda c, h: join("Bear", "er ", c),
    "JSON": lambda c, h: join('{"user": "ada", "pass', 'word": "', c, '"}'),
    "a repr in bytes": lambda c, h: join("{'client_sec", "ret': '", c, "'}").encode(),
    "several in a repr": lambda c, h: join("login(pass", "words=['", c, "', '", h, "'], 3)"),
    "several in JSON": lambda c, h: join('{"to', 'kens": {"ada": "', c, '"}, "api_', 'keys": ["', h, '"]}'),
    "a log line": lambda c, h: join("login failed, pass", "word=", c, " for ada"),
    "cookies": lambda c, h: join("theme=dark; csrftoken=", c, "; Path=/"),
    "a login": lambda c, h: join("ada:", c, "@db.example.com"),
    "a login at a port": lambda c, h: join("dsn=ada:", c, "@db:5432/shop"),
    "a login in bytes": lambda c, h: join("connect to 'root:", c, "@10.0.0.7'").encode(),
    "a name and its value in JSON": lambda c, h: join('[{"name": "DB_PASS', 'WORD", "value": "', c, '"}]'),
    "a name and its value in YAML": lambda c, h: join("env:\n- name: SMTP_PASS", "WD\n  value: ", c, "\n"),
    "a name and its value in XML": lambda c, h: join('<add value="', c, '" key="Api', 'Key"/>'),
    "GitHub": lambda c, h: join("gh", "p_", c, "a1B2c3D4e5F6g7"),
    "GitLab": lambda c, h: join("gl", "pat-", c),
    "OpenAI": lambda c, h: join("s", "k-proj-", c, "a1B2"),
    "Stripe": lambda c, h: join("s", "k_live_", c),
    "AWS": lambda c, h: join("AK", "IA", c[:16].upper(), " and ", "AK", "IA", c, "0"),
    "Slack": lambda c, h: join("xo", "xb-12-", c),
    "Slack app": lambda c, h: join("xa", "pp-1-A012-0123-", c),
    "Slack webhook": lambda c, h: join("https://hooks.sl", "ack.com/services/T0/B0/", c),
    "Discord webhook": lambda c, h: join("https://discord.c", "om/api/webhooks/1234/", c, "abcdefgh"),
    "SendGrid": lambda c, h: join("S", "G.", c[:22], ".", c, "a1B2"),
    "Google OAuth": lambda c, h: join("ya", "29.", c, "a1B2"),
    "Google": lambda c, h: join("AI", "za", c, "a1B2c3D4e5F"),
    "Azure": lambda c, h: join("DefaultEndpointsProtocol=https;AccountName=a;Account", "Key=", c, "==;EndpointSuffix=x"),
    "an Azure signature": lambda c, h: join("https://a.test/x?sv=2&si", "g=", c, c[:12], "%3D"),
    "DigitalOcean": lambda c, h: join("do", "p_v1_", h, "0123456789abcdef"),
    "Docker": lambda c, h: join("dck", "r_pat_", c),
    "Shopify": lambda c, h: join("shp", "at_", h),
    "Square": lambda c, h: join("sq0", "atp-", c[:22], " sq0", "csp-", c),
    "Twilio": lambda c, h: join("S", "K", h),
    "Mailgun": lambda c, h: join("ke", "y-", h),
    "Vault": lambda c, h: join("hv", "s.", c, "a1B2"),
    "npm": lambda c, h: join("np", "m_", c, "a1B2c3D4e5F6"),
    "a crypt hash": lambda c, h: join("root:$", "6$saltsalt$", c, "a1B2" * 15),
    "bcrypt": lambda c, h: join("$2", "b$12$", c, "a1B2" * 7),
    "a hash of Django": lambda c, h: join("pbkdf2_sha", "256$600000$salt$", c, "="),
    "argon2": lambda c, h: join("$argon", "2id$v=19$m=65536,t=3,p=4$", c, "$", c),
    "a JWT": lambda c, h: join("ey", "J", "hbGciOiJIUzI1NiJ9.ey", "J", c, ".", c),
    "a private key": lambda c, h: join("-----BEGIN PRI", "VATE KEY-----\n", c, "\n-----END PRI", "VATE KEY-----\n"),
}
# Behind a word, in an element, in a list of bare items.
SAID = {
    "an option": lambda c, h: join("tool --tok", "en ", c, " --verbose"),
    "an option in a list": lambda c, h: ["tool", "--api-key", c, "--password", h],
    "a user and a password": lambda c, h: join("curl -u ada:", c, " https://a.test"),
    "both in a tuple": lambda c, h: ("curl", "--user", join("ada:", c)),
    "netrc": lambda c, h: join("machine a.test login ada pass", "word ", c),
    "pgpass": lambda c, h: join("# hosts\ndb.test:5432:shop:ada:", c, "\n"),
    "SQL": lambda c, h: join("ALTER USER ada WITH PASS", "WORD '", c, "'"),
    "SQL of others": lambda c, h: join("CREATE USER ada IDENTIFIED BY '", c, "'"),
    "an element": lambda c, h: join("<cfg><pass", "word>", c, "</pass", "word></cfg>"),
    "a hidden input": lambda c, h: join('<input type="hidden" name="csrfmiddleware', 'token" value="', c, '">'),
    "items of YAML": lambda c, h: join("pass", "words:\n  - ", c, "\n  - ", h, "\nname: x\n"),
    "a list of YAML": lambda c, h: join("api_tok", "ens: [", c, ", ", h, "]\n").encode(),
    "a member of an enum": lambda c, h: {Field.PASSWORD: c, Field.NAME: "ada"},
    "a name in German": lambda c, h: {"passwort": c},
    "a name in French": lambda c, h: {"mot_de_passe": c},
    "Doppler": lambda c, h: join("dp.", "st.prd.", c, c),
    "Terraform": lambda c, h: join("a1B2c3D4e5F6g7.atlas", "v1.", c, c),
    "Telegram": lambda c, h: join("12345", "6789:AA", c, "a1B2c3D4e"),
    "a digest": lambda c, h: join('Digest username="ada", resp', 'onse="', h, '"'),
}
# By their place in a layout.
LAID = {
    "a block of YAML": lambda c, h: join("db:\n  pass", "word: |\n    ", c, "\n  name: ada\n"),
    "a folded block": lambda c, h: join("- api_", "key: >-\n    ", c, "\n    ", h, "\n"),
    "behind a tag": lambda c, h: join("pass", "word: !vault ", c, "\n"),
    "behind an anchor": lambda c, h: join("pass", "word: &pw '", c, "' # ours\n"),
    "below its name": lambda c, h: join("pass", "word:\n  ", c, "\n"),
    "a key of its own": lambda c, h: join("? pass", "word\n: ", c, "\n"),
    "CDATA": lambda c, h: join("<cfg><pass", "word><![CDATA[", c, "]]></pass", "word></cfg>"),
    "an element by its attribute": lambda c, h: join('<map><entry key="api_', 'key">', c, "</entry></map>"),
    "a property list": lambda c, h: join("<dict><key>client", "Secret</key>\n<string>", c, "</string></dict>"),
    "CSV": lambda c, h: join("name,pass", "word\nada,", c, "\ngrace,", h, "\n"),
    "CSV with tabs": lambda c, h: join("name\tapi ", "key\nada\t", c, "\n"),
    "CSV with quotes": lambda c, h: join('"name";"pass', 'word"\r\n"a; b";"', c, '"\r\n'),
    "a table": lambda c, h: join("| name | pass", "word |\n|---|---|\n| ada | ", c, " |\n"),
    "values of SQL": lambda c, h: join("INSERT INTO u (name, pass", "word) VALUES ('ada', '", c, "'), ('bo', '", h, "')"),
    "sshpass": lambda c, h: join("sshpass -p ", c, " ssh ada@a.test"),
    "a login by an option": lambda c, h: join("docker login -u ada -p ", c),
    "mysql": lambda c, h: join("mysql -u root -p", c, " shop"),
    "Pulumi": lambda c, h: join("pu", "l-", h, "01234567"),
    "Mailchimp": lambda c, h: join(h, "-us", "12"),
    "Discord": lambda c, h: join("M", "T", c, ".GaB1cD.", c, "a1B2c3"),
    "Tailscale": lambda c, h: join("tsk", "ey-auth-k1-", c, "a1B2"),
    "Facebook": lambda c, h: join("EA", "AC", c, c, c, c),
    "Airtable": lambda c, h: join("pa", "t", c[:14], ".", h, h),
    "recovery codes": lambda c, h: {"recovery_codes": [c, h]},
}
# By what stands beside them: names of columns, a statement, a program.
UPDATE = "UPDATE u SET password = ? WHERE id = ?"
BESIDE = {
    "two lists": lambda c, h: {"names": ["user", "password"], "values": ["bob", c]},
    "two lists in a tuple": lambda c, h: (["user", "api_key"], ["bob", c]),
    "a list of one name": lambda c, h: (["password"], [c]),
    "a heading and rows": lambda c, h: [["user", "password"], ["ada", c], ["bo", h]],
    "a heading and tuples": lambda c, h: [("name", "token"), ("ada", c)],
    "columns and rows": lambda c, h: {"columns": ["user", "password"], "rows": [("ada", c), ("bo", h)]},
    "what a cursor tells": lambda c, h: {"description": [("user", None), ("password", None)], "rows": [("ada", c)]},
    "described columns": lambda c, h: {"fields": [{"name": "user"}, {"name": "password"}], "data": [["ada", c]]},
    "the rows of a deque": lambda c, h: {"head": ("user", "password"), "rows": deque([("ada", c)])},
    "a statement": lambda c, h: (UPDATE, (c, 1)),
    "a statement with formats": lambda c, h: ("UPDATE u SET name = %s, api_key=%s", ["ada", c]),
    "a statement with names": lambda c, h: {"sql": "UPDATE u SET password = :p WHERE id = :i", "params": {"p": c, "i": 1}},
    "a statement in Python's format": lambda c, h: ("UPDATE u SET password = %(p)s", {"p": c}),
    "an insert": lambda c, h: ("INSERT INTO u (name, password) VALUES (?, ?)", ("ada", c)),
    "an insert of many": lambda c, h: ("INSERT INTO u (name, password) VALUES (%s, %s)", [("ada", c), ("bo", h)]),
    "an insert of dicts": lambda c, h: ("INSERT INTO u (name, password) VALUES (:n, :p)", [{"n": "ada", "p": c}]),
    "a statement and its items": lambda c, h: ["SELECT 1 FROM u WHERE token = $1", c],
    "a statement in a partial": lambda c, h: functools.partial(call, UPDATE, (c, 1)),
    "a hashed parameter": lambda c, h: ("UPDATE u SET password = crypt(?, gen_salt('bf'))", [c]),
    "two arguments": lambda c, h: (UPDATE, (c, 1)),
    "two arguments with names": lambda c, h: ("SELECT id FROM u WHERE name = :n AND password = :p", {"n": "ada", "p": c}),
    "two arguments of lists": lambda c, h: (["user", "password"], [["ada", c], ["bo", h]]),
    "a pass beside a user": lambda c, h: {"user": "ada", "pass": c},
    "a pass alone": lambda c, h: {"pass": c},
    "a type and its value": lambda c, h: {"type": "password", "value": c},
    "a kind and its value": lambda c, h: [{"kind": "secret", "data": c}, {"label": "API key", "value": h}],
    "a type in an object": lambda c, h: SimpleNamespace(type="password", value=c),
    "docker": lambda c, h: ["docker", "login", "-u", "ada", "-p", c],
    "mysql in a list": lambda c, h: ["mysql", "-u", "root", join("-p", c)],
    "curl in a list": lambda c, h: ["curl", "-u", join("ada:", c), "https://a.test"],
    "sshpass in a tuple": lambda c, h: ("sshpass", "-p", c, "ssh", "ada@a.test"),
    "words in bytes": lambda c, h: [b"mysql", join("-p", c).encode()],
    "keytool in a list": lambda c, h: ["keytool", "-list", "-storepass", c],
    "openssl in a list": lambda c, h: ["openssl", "rsa", "-passin", join("pass:", c)],
    "a header of curl": lambda c, h: ["curl", "-H", join("Authorization: Bear", "er ", c)],
    "redis": lambda c, h: join("redis-cli -h h -a ", c, " ping"),
    "ldap": lambda c, h: join("ldapsearch -x -D cn=ada -w ", c),
    "samba": lambda c, h: join("smbclient //h/x -U ada%", c),
    "an archive": lambda c, h: join("7z x -p", c, " a.7z && zip -P ", h, " a.zip a"),
    "an account": lambda c, h: join("rabbitmqctl add_user ada ", c, "\nnet user bo ", h, " /add"),
    "read from a pipe": lambda c, h: join("echo 'ada:", c, "' | sudo chpasswd"),
    "PowerShell": lambda c, h: join("ConvertTo-SecureString '", c, "' -AsPlainText"),
    "Oracle": lambda c, h: join("jdbc:oracle:thin:ada/", c, "@db.test:1521/shop"),
    "sqlplus": lambda c, h: join("sqlplus -s ada/", c, "@shop @run.sql"),
}
# In texts that hold such values, in tables, in more forms.
WRITTEN = {
    "a log of a statement": lambda c, h: join("[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: ('ada', '", c, "')]"),
    "columns in JSON": lambda c, h: join('{"columns": ["user", "pass', 'word"], "rows": [["ada", "', c, '"]]}'),
    "two lists in a repr": lambda c, h: join("zip(['user', 'pass", "word'], ['ada', '", c, "'])"),
    "a command in a repr": lambda c, h: join("Popen(['docker', 'login', '-p', '", c, "'])"),
    "a call in a text": lambda c, h: join("execute('", UPDATE, "', ('", c, "', 1))"),
    "a key in JSON": lambda c, h: join('{"kty": "oct", "k": "', c, '"}'),
    "a key as a dict": lambda c, h: {"kty": "RSA", "n": "AQAB", "d": c, "dp": h},
    "a login in base64": lambda c, h: join('{"auths": {"a.test": {"auth": "', c, '"}}}'),
    "a pass in a query": lambda c, h: join("https://a.test/?user=ada&pass=", c),
    "a field of a form": lambda c, h: join('<input type="password" name="field" value="', c, '">'),
    "a table with spaces": lambda c, h: join("name   password\nada    ", c, "\nbo     secret\n"),
    "a table of kubectl": lambda c, h: join("NAME    TOKEN   AGE\nada     ", c, "   3d\n"),
    "a table with rules": lambda c, h: join("user password\n==== ====================\nada  ", c, "\n"),
    "a table of psql": lambda c, h: join(" name | password \n------+----------\n ada  | ", c, "\n(1 row)\n"),
    "a table in a box": lambda c, h: join("+----+----------+\n| id | password |\n+----+----------+\n| 12 | ", c, " |\n+----+----------+\n"),
    "a drawn box": lambda c, h: join("┏━━━━┳━━━━━━━━━━┓\n┃ id ┃ password ┃\n┡━━━━╇━━━━━━━━━━┩\n│ 12 │ ", c, " │\n└────┴──────────┘"),
    "a record of psql": lambda c, h: join("-[ RECORD 1 ]------\nname     | ada\npassword | ", c, "\n"),
    "settings in a table": lambda c, h: join("| Setting | Value |\n|---|---|\n| db_password | ", c, " |\n"),
    "names and tabs": lambda c, h: join("host\ta.test\napi_key\t", c, "\n"),
    "WireGuard": lambda c, h: join("[Peer]\nPreshared", "Key = ", c, "abcd=\n"),
    "PuTTY": lambda c, h: join("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-", "Lines: 2\n", c, "\n", h, "\nPrivate-", "MAC: 0123abcd\n"),
    "a key of SSH2": lambda c, h: join("---- BEGIN SSH2 ENCRYPTED PRI", "VATE KEY ----\n", c, "\n"),
    "a key behind a certificate": lambda c, h: join(
        "-----BEGIN CERTI", "FICATE-----\nMIIB\n-----END CERTI", "FICATE-----\n-----BEGIN PRI", "VATE KEY-----\n", c, "\n"),
    "a key in base64": lambda c, h: join("client-data: LS0tLS1CRUdJ", "TiBSU0EgUFJJVkFURSBLRVkt", c, "abcd" * 10),
    "ClickUp": lambda c, h: join("p", "k_1234567_", c[:16].upper(), "A1B2C3D4E5F6G7H8"),
    "HubSpot": lambda c, h: join("pa", "t-na1-01234567-89ab-cdef-0123-456789abcdef", c),
    "Mapbox": lambda c, h: join("s", "k.ey", "J", c, ".", c, c),
    "Bitbucket": lambda c, h: join("AT", "BB", c, "a1B2C3D4"),
    "Trello": lambda c, h: join("AT", "TA", c, c, "a1B2c3D4e5F6"),
    "NuGet": lambda c, h: join("oy", "2", c, "a1b2c3d4e5f6g7h8i9j0"),
    "Braintree": lambda c, h: join("access_token$produc", "tion$", c[:16], "$", h),
    "Pinecone": lambda c, h: join("pc", "sk_", c, c, "a1B2"),
    "a GitLab agent": lambda c, h: join("gla", "gent-", c, "a1B2c3D4e5F6g7"),
    "SCRAM": lambda c, h: join("SCRAM-SHA-", "256$4096:", c, "==$", c, "abcd=:", c, "abcd="),
    "a hash of LDAP": lambda c, h: join("{SH", "A}", c, "abc="),
    "hashes of Windows": lambda c, h: join("ada:1001:", h, ":", h, ":::"),
    "a hash of WordPress": lambda c, h: join("$", "P$B", c, "abcdefg"),
    "a row of Redis": lambda c, h: join("requirepass ", c, "\n"),
    "a file of Ansible": lambda c, h: join("h ansible_user=ada ansible_become_pass=", c),
}
# What a login sends in answer, what a statement or a command of Windows takes, and signatures.
SENT = {
    "a digest with spaces": lambda c, h: join('Digest username="ada", resp', 'onse = "', h, '"'),
    "a digest without quotes": lambda c, h: join("Digest username=ada, nonce=17, resp", "onse=", h, ", qop=auth"),
    "a digest of SHA-256": lambda c, h: join('Digest username="ada", resp', 'onse="', h, h, '"'),
    "a digest in a dict": lambda c, h: {"Authorization": join('Digest username="ada", resp', 'onse="', h, '"')},
    "a digest in a pair": lambda c, h: [("Authorization", join('Digest username="ada", resp', 'onse="', h, '"'))],
    "a digest that was split": lambda c, h: {"username": "ada", "realm": "x", "nonce": "a1", "response": h},
    "a digest in JSON": lambda c, h: join('{"head": "Digest username=\\"ada\\", resp', 'onse=\\"', h, '\\""}'),
    "a split digest in JSON": lambda c, h: join('{"username": "ada", "resp', 'onse": "', h, '", "nonce": "a1"}'),
    "a password of an account": lambda c, h: join("SET PASS", "WORD FOR 'bob'@'localhost' = '", c, "'"),
    "a password in a function": lambda c, h: join("SET PASS", "WORD FOR 'bob'@'%' = PASS", "WORD('", c, "')"),
    "a password in small letters": lambda c, h: join("alter role ada with login pass", "word '", c, "'"),
    "a password of a plugin": lambda c, h: join("CREATE USER ada Identified With mysql_native_pass", "word By '", c, "'"),
    "a share": lambda c, h: join("net use Z: \\\\server\\share ", c, " /user:bob"),
    "a share in a list": lambda c, h: ["net", "use", "\\\\server\\share", c, "/user:bob"],
    "a task": lambda c, h: join("schtasks /create /tn x /ru bob /rp ", c),
    "a task in a list": lambda c, h: ["schtasks.exe", "/create", "/ru", "bob", "/RP", c],
    "a desktop": lambda c, h: join("xfreerdp /v:host /u:bob /p:", c),
    "a desktop in a list": lambda c, h: ["xfreerdp", "/u:bob", join("/p:", c)],
    "PuTTY's password": lambda c, h: join("plink -ssh ada@h -pw ", c, " ls"),
    "a verifier": lambda c, h: {"grant_type": "authorization_code", "code_verifier": c},
    "a verifier in a form": lambda c, h: join("grant_type=authorization_code&code_", "verifier=", c),
    "an assertion": lambda c, h: {"client_assertion": c},
    "an assertion in a form": lambda c, h: join("https://a.test/?client_", "assertion=", c, "&x=1"),
    "a signature": lambda c, h: {"X-Signature": join("t=1492774577,v1=", h, h)},
    "a signature in a header": lambda c, h: join("X-Sig", "nature: t=1492774577,v1=", h, h),
    "a signature in a pair": lambda c, h: [("X-Hub-Signature", join("sha1=", h, "01234567"))],
    "a signature in bytes": lambda c, h: [(b"x-signature", h.encode())],
    "a signature in a query": lambda c, h: join("https://a.test/x?e=17&signature=", c),
    "a short signature in a query": lambda c, h: join("https://a.test/x?e=17&sig=", c),
    "a signature deep in lists": lambda c, h: [{"a": [{"headers": {"Stripe-Signature": join("t=17,v1=", h, h)}}]}],
}
SHAPES = {**NAMED, **TYPED, **FORMED, **SAID, **LAID, **BESIDE, **WRITTEN, **SENT}
# In the source of a function; `@` is the secret.
LITERALS = [
    f'cursor = [x]; cursor.append(("{UPDATE}", ("@", 1)))',
    'log = ("INSERT INTO u (name, password) VALUES (%s, %s)", ["ada", "@"])',
    'sql = "UPDATE u SET password = ? WHERE id = ?"\n    params = ["@", 1]',
    'pairs = dict(zip(["user", "password"], ["bob", "@"]))',
    'names = ["user", "password"]\n    values = ["bob", "@"]',
    'rows = [("user", "api_key"), ("ada", "@")]',
    'command = ["docker", "login", "-u", "ada", "-p", "@"]',
    'command = ["mysql", "-u", "root", "-p@"]',
    'field = {"type": "password", "value": "@"}',
    'login = {"user": "ada", "pass": "@"}',
    'login = dict(user="ada", passphrase_="@")',
    'key = {"kty": "oct", "k": "@"}',
    'command = "sshpass -p @ ssh ada@a.test"',
    'url = "jdbc:oracle:thin:ada/@@db.test:1521/shop"',
]
# By the name of a parameter, as a text and as a number.
PARAMETERS = ["password", "encryption_key", "signing_key", "jwt", "pin_code", "clientSecret", "db_passwd", "otp", "code_verifier", "client_assertion"]


def program():
    """Gives the source of the functions that are called: one for each shape, and one for each parameter."""
    lines = []
    for at, name in enumerate(SHAPES):
        gives = ("return value", "return 1", "yield value", "raise ValueError(value)")[at % 4]
        takes = "first, value" if name.startswith("two arguments") else "value"
        lines.append(f'def s{at}({takes}):\n    """Takes {name}."""\n    {gives}\n\n')
    for at, name in enumerate(PARAMETERS):
        lines.append(f"def p{at}({name}):\n    size = len(str({name}))\n    return {{'given': {name} if isinstance({name}, str) else size}}\n\n")
    lines.append("def set_variable(name, value):\n    return [value, {'name': name, 'value': value}]\n\n")
    lines.append("def elsewhere(value):\n    return value\n\n")
    c = [core(5_000 + at, LETTERS, 24) for at in range(6)]
    name = join("pass", "word")
    lines.append(f"{name.upper()} = {c[0]!r}\n\n\n")
    lines.append(f"def local(x):\n    {name} = {c[1]!r}\n    return x + len({name})\n\n\n")
    lines.append(f"def default(x, api_{'key'}={c[2]!r}):\n    return x\n\n\n")
    lines.append(f"class Settings:\n    {name}: str = {c[3]!r}\n\n    def size(self, x):\n        return x + len(self.{name})\n\n\n")
    lines.append(f"def by_place(x):\n    return p0({c[4]!r})['given'] and x\n\n\n")
    lines.append(f"def in_dict(x):\n    return len({{'{name}': {c[5]!r}}}) + x\n\n\n")
    for at, source in enumerate(LITERALS):
        secret = core(7_000 + at, LETTERS, 24)
        lines.append(f"def l{at}(x):\n    {source.replace('@', secret, 1)}\n    return x\n\n")
    return "\n".join(lines)


def main(lib):
    assert COUNTS == (len(SHAPES), len(PARAMETERS), len(LITERALS))
    for at, make in enumerate(SHAPES.values()):
        for n in range(EACH):
            number = at * EACH + n
            try:
                value = make(core(number, LETTERS, 24), core(number, HEX, 32))
                function = getattr(lib, f"s{at}")
                given = function(*value) if function.__code__.co_argcount == 2 else function(value)
                for _ in given if at % 4 == 2 else ():
                    pass
            except ValueError:
                pass
    for at in range(len(PARAMETERS)):
        getattr(lib, f"p{at}")(core(4_000 + at, LETTERS, 24))
        number = int(core(4_000 + at, "123456789", 12))
        getattr(lib, f"p{at}")(number)
        lib.elsewhere(([number], {number: str(number)}, Client(number), number))
    for at in range(2):
        lib.set_variable("API_TOKEN", core(6_000 + at, LETTERS, 24))
    for at in range(len(LITERALS)):
        getattr(lib, f"l{at}")(at)
    lib.local(1), lib.default(2), lib.Settings().size(3), lib.by_place(4), lib.in_dict(5)
