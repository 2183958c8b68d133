"""Made-up secrets in the shapes in which programs meet them. They are put together here, so that no file holds one.

`tests/it/corpus.rs` makes the same cores, and looks for each of them in all that was written.
"""

import enum
import functools
import http.cookiejar
import http.cookies
import urllib.parse
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
HEX = "0123456789abcdef"
EACH = 4  # secrets of each shape


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
SHAPES = {**NAMED, **TYPED, **FORMED, **SAID, **LAID}
# By the name of a parameter, as a text and as a number.
PARAMETERS = ["password", "encryption_key", "signing_key", "jwt", "pin_code", "clientSecret", "db_passwd", "otp"]


def program():
    """Gives the source of the functions that are called: one for each shape, and one for each parameter."""
    lines = []
    for at, name in enumerate(SHAPES):
        gives = ("return value", "return 1", "yield value", "raise ValueError(value)")[at % 4]
        lines.append(f'def s{at}(value):\n    """Takes {name}."""\n    {gives}\n\n')
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
    lines.append(f"def in_dict(x):\n    return len({{'{name}': {c[5]!r}}}) + x\n")
    return "\n".join(lines)


def main(lib):
    for at, make in enumerate(SHAPES.values()):
        for n in range(EACH):
            number = at * EACH + n
            try:
                given = getattr(lib, f"s{at}")(make(core(number, LETTERS, 24), core(number, HEX, 32)))
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
    lib.local(1), lib.default(2), lib.Settings().size(3), lib.by_place(4), lib.in_dict(5)
