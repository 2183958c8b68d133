"""What has a secret name is not recorded, and what only says something of a secret is."""

S = StopIteration


SECRETS = """
    class Account:
        def __init__(self, user, api_key):
            self.user = user
            self.apiKey = api_key
            self.nested = {"Authorization": "Bearer x", "items": {"db_password": b"raw", "size": 1}}

    def login(user, password, token=None, tokenizer="plain", pin="12", session=()):
        return {"password": password, "user": user}

    def codename(project_falcon):
        return project_falcon

    def main():
        login("u", "tr0ub4dor9", 5)
        login("u", "other", None, session=["tr0ub4dor9", 1])
        Account("u", "tr0ub4dor9")
        codename("tr0ub4dor9")
"""


def test_common_words_are_secrets_under_their_name_alone(program):
    spool = program.main(
        """
        def login(user, password):
            return user == password

        def slug(text):
            return text.lower()

        def main():
            for password in ["raclette", "hunter2", "12345678", b"swordfish"] + ["zQ8!kd-20fh", b"tr0ub4dor9"]:
                login("u", password)
                slug(password)
        """
    )
    given = [start.args for start, _ in spool.calls("login")]
    assert all(args[1][:3] == (S, "secret", "password") for args in given) and len(given) == 6
    told = [start.args[0] for start, _ in spool.calls("slug")]
    assert told[:4] == ["raclette", "hunter2", "12345678", b"swordfish"]
    assert all(secret[:2] == (S, "secret") for secret in told[4:])


def test_secrets_do_not_reach_the_spool(program):
    spool = program.main(SECRETS, PYTEAD_REDACT="falcon")
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for secret in (b"tr0ub4dor9", b"other", b"Bearer", b"raw"):
        assert secret not in raw
    (one, end), (two, _) = spool.calls("login")
    assert spool.functions()["login"][7] == 0b100110
    hunter = one.args[1]
    assert hunter[:3] == (S, "secret", "password") and one.args[2][:3] == (S, "secret", "token")
    assert one.args[3:5] == ("plain", "12") and one.args[0] == "u"
    assert end.value["password"] == hunter
    assert two.args[1] != hunter and two.args[2] is None
    assert two.args[5][0][3] == hunter[3] and two.args[5][1] == 1
    fields = spool.one("Account.__init__")[1].changed["self"][-1]
    assert fields["user"] == "u" and fields["apiKey"][:2] == (S, "secret")
    assert fields["nested"]["Authorization"][:3] == (S, "secret", "authorization")
    assert fields["nested"]["items"]["db_password"][1] == "secret"
    assert spool.one("codename")[0].args[0][:3] == (S, "secret", "falcon")


def test_the_working_folder_of_a_shell_is_no_password(program):
    source = """
        import os
        def start(env, root, pwd): return root
        def main():
            folder = os.path.dirname(os.path.abspath(__file__))
            start({"PWD": folder, "OLDPWD": os.fsencode(folder)}, folder, "/no/such/folder-x9")
        """
    spool = program.main(source)
    call, _ = spool.one("start")
    env, root, pwd = call.args
    assert env["PWD"] == root and type(root) is str
    assert env["OLDPWD"] == root.encode()
    assert pwd[1] == "secret"


def test_a_value_that_says_that_it_is_none_is_no_secret_unless_its_name_was_asked_for(program):
    source = """
        def login(password, token): return {"password": password}
        def open_vault(falcon): return falcon
        def main():
            login("password", b"Secret")
            login("password1", "zQ8kd-20fh7x")
            open_vault("test")
        """
    spool = program.main(source, PYTEAD_REDACT="falcon")
    (made_up, end), (kept, _) = spool.calls("login")
    assert made_up.args == ("password", b"Secret") and end.value == {"password": "password"}
    assert [arg[1] for arg in kept.args] == ["secret", "secret"]
    assert spool.one("open_vault")[0].args[0][1] == "secret"


SECRETS_BESIDE_NAMES = """
    from collections import namedtuple

    Login = namedtuple("Login", "user passphrase")

    def take(value):
        return 1

    def main():
        secret = "tr0ub" + "4dor9"
        take({b"password": secret.encode(), "n": 1})
        take([(b"host", b"h"), (b"authorization", b"Bearer " + secret.encode())])
        take(("token", secret))
        take([["api_key", secret], ["page", "2"]])
        take({"pin_code": 4711, "cvv": 123, "otp": 12, "passwords": 3000, "secret_size": 4096, "session": 5000})
        take([("password", "Password"), ("token", "NAME"), ("email", "e-mail")])
        take({"token_type": "bearer", "tokenUrl": "https://h/token", "password_min_length": 1200})
        take(Login("u", secret))
"""


def test_a_name_beside_a_secret_hides_it_in_any_container(program):
    """So does one in bytes, or as the first of two items; what is about secrets stays."""
    spool = program.main(SECRETS_BESIDE_NAMES, PYTEAD_LIMIT="100")
    assert b"tr0ub4dor9" not in b"".join(p.read_bytes() for p in program.spool.iterdir())
    key, header, pair, listed, numbers, labels, about, named = [start.args[0] for start, _ in spool.calls("take")]
    assert key[b"password"][:3] == (S, "secret", "password") and key[b"password"][4:] == ("bytes", 2) and key["n"] == 1
    assert header[0] == (b"host", b"h") and header[1][1][:3] == (S, "secret", "authorization") and header[1][1][4:] == ("bytes", 2)
    assert pair[0] == "token" and pair[1][:3] == (S, "secret", "token") and listed[0][1][3] == pair[1][3]
    assert listed[1] == ["page", "2"] and named[-1][1][3] == pair[1][3]
    assert numbers["pin_code"][2:] == ("pincode", numbers["pin_code"][3], "int", 1) and numbers["cvv"][1] == "secret"
    assert (numbers["otp"], numbers["passwords"], numbers["secret_size"], numbers["session"]) == (12, 3000, 4096, 5000)
    assert labels == [("password", "Password"), ("token", "NAME"), ("email", "e-mail")]
    assert about == {"token_type": "bearer", "tokenUrl": "https://h/token", "password_min_length": 1200}


WORDS_OF_A_PARSER = """
    class Token:
        def __init__(self, value, password=None):
            self.value = value
            self.password = password

    def match(token, floor_token, token_list, api_token):
        return token

    def parse(sql):
        return sql

    def main():
        match(Token("SELECT", "hunter2"), "<", [Token("FROM tab")], "raw-token")
        parse("SELECT")
"""


def test_two_names_of_classes_are_no_header(program):
    listed = ["framework.authentication.SessionAuthentication", "framework.authentication.BasicAuthentication"]
    source = f"""
        def f(*values):
            return None

        def main():
            f({listed!r}, ("SessionAuthentication", "BasicAuthentication"), ("X-Auth-Token", "q7Zx2Lm9Rt4" "Vb8Kp1Ws6"))
    """
    program.write("app.py", source)
    program.write("main.py", "import app\napp.main()\n")
    ((call, _),) = program.record("main.py").calls("f")
    (values,) = call.args
    assert values[0] == listed and values[1] == ("SessionAuthentication", "BasicAuthentication")
    assert values[2][1][1] == "secret", values


def test_a_parsers_token_is_no_secret(program):
    spool = program.main(WORDS_OF_A_PARSER)
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    assert b"hunter2" not in raw and b"raw-token" not in raw
    token, floor, listed, api = spool.one("match")[0].args
    assert token[-1]["value"] == "SELECT" and token[-1]["password"][:3] == (S, "secret", "password")
    assert floor == "<" and listed[0][-1]["value"] == "FROM tab"
    assert api[:3] == (S, "secret", "token")
    assert spool.one("parse")[0].args == ("SELECT",)


NAMES_AND_VALUES = """
    from collections import namedtuple
    from types import SimpleNamespace

    Setting = namedtuple("Setting", "key value")

    class Header:
        def __init__(self, header_name, header_value):
            self.header_name = header_name
            self.header_value = header_value

    def take(value):
        return value

    def set_variable(name, value):
        return None

    def main():
        secret = ["zQ8-kd" + "2x0%d" % n + "fhW" for n in range(13)].__getitem__
        take({"name": "DB_PASSWORD", "value": secret(1)})
        take({"value": secret(2), "name": "api_key", "type": "text"})
        take([{"name": "PATH", "value": "/bin"}, {"name": "SMTP_PASSWD", "value": secret(3)}])
        take(Setting("spring.datasource.password", secret(4)))
        take(Header("X-Api-Key", secret(5)))
        take(SimpleNamespace(id="client_secret", value=secret(6)))
        take({"ParameterKey": "MasterPassword", "ParameterValue": secret(7)})
        take({b"k": 1, "Name": "jwt", "Value": secret(8).encode()})
        take({"key": "credentials", "value": [secret(9), secret(10)]})
        take({"name": "pin_code", "value": 471147})
        take({"name": "password", "value": "hunter2"})
        take({"name": "DB_PASSWORD", "value": "raclette"})
        set_variable("API_TOKEN", secret(11))
        set_variable("LANG", "de_CH.UTF-8")
        take({"name": "password", "value": "Password"})
        take([{"key": "forgot_password", "value": "Forgot your password?"}, {"key": "token", "value": "NAME"}])
        take({"name": "REQUIRE_PASSWORD", "value": "true", "default": "no"})
        take({"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"})
        take({"name": "token", "value": 1500, "content": "plain"})
        take({"name": "size", "value": secret(12)})
        take(("forgot_password", "Forgot your password?"))
"""


def test_a_name_and_a_value_side_by_side_are_a_secret_and_its_name(program):
    """In a mapping, as attributes, as arguments, in lists of such; labels, switches and references are none."""
    spool = program.main(NAMES_AND_VALUES, PYTEAD_LIMIT="100")
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for n in range(1, 12):
        assert b"zQ8-kd2x0%dfhW" % n not in raw, n
    assert b"zQ8-kd2x012fhW" in raw and b"hunter2" not in raw and b"raclette" not in raw and b"de_CH" in raw
    given = [start.args[0] for start, _ in spool.calls("take")]
    assert given[9]["value"][2:5:2] == ("pincode", "int")
    assert given[12:] == [
        {"name": "password", "value": "Password"},
        [{"key": "forgot_password", "value": "Forgot your password?"}, {"key": "token", "value": "NAME"}],
        {"name": "REQUIRE_PASSWORD", "value": "true", "default": "no"},
        {"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"},
        {"name": "token", "value": 1500, "content": "plain"},
        {"name": "size", "value": "zQ8-kd2x012fhW"},
        ("forgot_password", "Forgot your password?"),
    ]


MAYBE = """
    class Login:
        def __init__(self, login, pass_):
            self.login = login
            self.pass_ = pass_

    def take(value):
        return value

    def enter(user, pass_):
        return None

    def grade(name, pass_):
        return None

    def main():
        secret = ["zQ8-kd" + "2x0%d" % n + "fhW" for n in range(9)].__getitem__
        take({"pass": secret(1)})
        take({"user": "ada", "pass": "raclette"})
        take({"smtp_user": "ada", "smtp_host": "h", "smtpPass": "hunter2"})
        take(Login("ada", "raclette"))
        take([{"type": "password", "value": secret(2)}, {"kind": "secret", "data": secret(3)}, {"label": "API key", "value": secret(4)}])
        enter("ada", "hunter2")
        grade("ada", "2-of-3")
        take({"pass": True, "fail": "x"})
        take({"pass": "boarding", "name": "ada", "first_pass": "2-of-3"})
        take({"user": "ada", "pass": 1200})
        take({"type": "password", "value": "Required"})
        take({"type": "password", "label": "Your password", "default": ""})
"""


def test_a_pass_is_a_password_where_it_looks_random_or_stands_beside_who_logs_in(program):
    """So is the value beside a type, a kind or a label; a test that passed and a field without a value are none."""
    spool = program.main(MAYBE, PYTEAD_LIMIT="100")
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for secret in [b"zQ8-kd2x0%dfhW" % n for n in range(1, 5)] + [b"raclette", b"hunter2"]:
        assert secret not in raw, secret
    assert spool.one("grade")[0].args == ("ada", "2-of-3") and spool.one("enter")[0].args[1][1] == "secret"
    given = [start.args[0] for start, _ in spool.calls("take")]
    assert given[5:] == [
        {"pass": True, "fail": "x"},
        {"pass": "boarding", "name": "ada", "first_pass": "2-of-3"},
        {"user": "ada", "pass": 1200},
        {"type": "password", "value": "Required"},
        {"type": "password", "label": "Your password", "default": ""},
    ]


NUMBERS = """
    class Card:
        def __init__(self, n):
            self.n = n

    def take(*values):
        return values

    def enter(pin_code, otp):
        return take(pin_code, [1, pin_code], {pin_code: 2}, Card(pin_code), (pin_code, 3), {pin_code}, str(pin_code), f"<{pin_code}>")

    def main():
        pin, otp = 90_417_362_858 + 0, "6620194" + "837455"
        take({"note": f"uses {pin}", "n": pin, "password": pin})
        enter(pin, otp)
        take(int(otp), [int(otp)], 4711, [4711, 20_261_127], True, 3.5)
        enter(4711, "12")
        take(4711, 12, [4711])
"""


def test_a_long_secret_number_is_hidden_elsewhere_and_a_short_one_is_not(program):
    """As a number, in texts, as a text that is the number; also where it stands before the secret in one record."""
    for journey in ({}, {"PYTEAD_MODE": "journey"}):
        for old in program.spool.iterdir():
            old.unlink()
        spool = program.main(NUMBERS, PYTEAD_LIMIT="100", **journey)
        raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
        assert str(90_417_362_858).encode() not in raw and b"6620194837455" not in raw
        if not journey:
            trees = str([(start.args, end and end[3]) for start, end in spool.calls("take")])
            assert "90417362858" not in trees and "6620194837455" not in trees, trees
            assert "4711" in trees and "20261127" in trees and "3.5" in trees


SEVERAL = """
    class Vault:
        def __init__(self, api_keys, tokens):
            self.apiKeys = api_keys
            self.tokens = tokens

    def take(value):
        return 1

    def login(passwords, api_keys, tokens, max_tokens, passwords_tried=2000):
        return api_keys

    def main():
        one, two = "tr0ub" + "4dor9", "zQ8-" + "kd2x09"
        login([one, "swordfish", 471147], {"ada": one, "grace": [two]}, {"a": two, "b": "the"}, 256)
        take({"passwords": {"ada": {"old": one, "when": 1700000000}, "grace": 90807060}, "n": 1})
        take({b"access_tokens": [one.encode()], "refreshTokens": (two,), "sessions": {two: "ada"}})
        take(Vault([one], [two]))
        take([{"name": "DB_PASSWORDS", "value": [one, two]}])
        ordinary = ["keys", "a"], ["get_user_by_id", "(", "state-of-the-art", "internationalization", "getUserById", "covid19"]
        take({"keys": ordinary[0], "tokens": ordinary[1], "token_count": 4096, "max_tokens": 256, "prompt_tokens": 1800,
              "passwords": 3000, "api_keys": None, "cookies": {"theme": "dark-blue-one"}, "primary_keys": ["order_id"]})
        take({"tokens": [101, 7592, 2088, 102], "tokens_used": {"a": 1500}, "password_rules": ["min-12-chars", "one-d1git"],
              "sessions": ["spring opening session", "autumn closing session"], "authorizations": ["read-orders", "write-orders"]})
"""


def test_a_name_of_several_secrets_hides_each_of_them_at_any_depth(program):
    spool = program.main(SEVERAL, PYTEAD_LIMIT="100")
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for secret in (b"tr0ub4dor9", b"zQ8-kd2x09", b"swordfish"):
        assert secret not in raw, secret
    passwords, keys, tokens, most, tried = spool.one("login")[0].args
    assert [one[:3] for one in passwords] == [(S, "secret", "password")] * 3 and passwords[2][4] == "int"
    assert keys["ada"][2] == "apikey" and keys["ada"][3] == passwords[0][3] and keys["grace"][0][1] == "secret"
    assert tokens["a"][:3] == (S, "secret", "token") and tokens["b"] == "the" and (most, tried) == (256, 2000)
    nested, listed, vault, beside, *_ = [start.args[0] for start, _ in spool.calls("take")]
    ada = nested["passwords"]["ada"]
    assert ada["old"][1] == "secret" and ada["when"] == 1700000000 and nested["passwords"]["grace"][4] == "int"
    assert listed[b"access_tokens"][0][4] == "bytes" and listed["refreshTokens"][0][1] == "secret"
    assert [(key[1], held) for key, held in listed["sessions"].items()] == [("secret", "ada")]
    assert vault[-1]["apiKeys"][0][1] == "secret" and vault[-1]["tokens"][0][1] == "secret"
    assert [one[1] for one in beside[0]["value"]] == ["secret", "secret"]


def test_a_name_that_sounds_like_several_secrets_hides_nothing_else(program):
    spool = program.main(SEVERAL, PYTEAD_LIMIT="100")
    *_, words, numbers = [start.args[0] for start, _ in spool.calls("take")]
    assert words == {
        "keys": ["keys", "a"],
        "tokens": ["get_user_by_id", "(", "state-of-the-art", "internationalization", "getUserById", "covid19"],
        "token_count": 4096, "max_tokens": 256, "prompt_tokens": 1800, "passwords": 3000, "api_keys": None,
        "cookies": {"theme": "dark-blue-one"}, "primary_keys": ["order_id"],
    }  # fmt: skip
    assert numbers == {
        "tokens": [101, 7592, 2088, 102], "tokens_used": {"a": 1500}, "password_rules": ["min-12-chars", "one-d1git"],
        "sessions": ["spring opening session", "autumn closing session"], "authorizations": ["read-orders", "write-orders"],
    }  # fmt: skip


def test_what_an_object_under_a_secret_name_says_of_itself_is_hidden_there_alone(program):
    """The object's class has the name that its field holds: its record is kept, and other values with that text, too."""
    spool = program.main(
        """
        class CSRFTokenField:
            def __init__(self, value):
                self.type = "CSRFTokenField"
                self.errors = ["The session has ended."]
                self.value = value

            def shown(self):
                return len(self.value)

        def names(fields):
            return list(fields)

        def label(text):
            return text.upper()

        def main():
            field = CSRFTokenField("zQ8!kd-20fh")
            names({"csrf_token": field})
            field.shown()
            label("CSRFTokenField")
            label("The session has ended.")
            label("zQ8!kd-20fh")
        """
    )
    [(start, _)] = spool.calls("names")
    field = start.args[0]["csrf_token"]
    assert field[1] == "obj" and "CSRFTokenField" in field
    assert [one.args[0][:2] for one, _ in spool.calls("CSRFTokenField.shown")] == [(S, "obj")]
    said, sentence, secret = [one.args[0] for one, _ in spool.calls("label")]
    assert (said, sentence) == ("CSRFTokenField", "The session has ended.")
    assert secret[:2] == (S, "secret")


ANSWERS_AND_SIGNATURES = """
    def take(value):
        return 1

    def check(url, signature, code_verifier):
        return url

    def main():
        secret = ["zQ8-kd" + "2x0%d" % n + "fhWx" for n in range(13)].__getitem__
        take({"username": "ada", "realm": "x", "nonce": "a1", "response": secret(1)})
        take({"items": [{"grant_type": "x", "code_verifier": secret(2), "client_assertion": secret(3).encode()}]})
        take({"X-Signature": "t=1492774577,v1=" + secret(4)})
        take([("X-Hub-Signature-256", "sha256=" + secret(5)), (b"x-signature", secret(6).encode())])
        take({"headers": [{"signatures": {"sig": secret(7)}}]})
        check("https://a.test", secret(8), secret(9))
        take({"signature_secret": "raclette"})
        take({"response": secret(10), "url": "/a1"})
        take([{"signature": "ok"}, {"signature": "(self, x: int = 17) -> str"}, ("signature", "(x17: int)"), {"sig": "SIGTERM-15"}])
        take([{"nonce": "a1", "response": "ok"}, {"signature_algorithm": secret(11)}, {"signature": 1500, "sig": 170000}])
"""


def test_answers_to_challenges_and_signatures_are_secrets_where_they_look_random(program):
    """A plain answer, the signature of a function and the name of a signal stay."""
    spool = program.main(ANSWERS_AND_SIGNATURES, PYTEAD_LIMIT="100")
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for n in range(1, 10):
        assert b"zQ8-kd2x0%dfhWx" % n not in raw, n
    assert b"raclette" not in raw and b"zQ8-kd2x010fhWx" in raw and b"zQ8-kd2x011fhWx" in raw
    taken = [start.args[0] for start, _ in spool.calls("take")]
    assert taken[0]["response"][:3] == (S, "secret", "digest") and taken[0]["username"] == "ada"
    assert taken[2]["X-Signature"][:3] == (S, "secret", "signature")
    plain = [{"signature": "ok"}, {"signature": "(self, x: int = 17) -> str"}, ("signature", "(x17: int)"), {"sig": "SIGTERM-15"}]
    assert taken[-2] == plain
    assert taken[-1][0] == {"nonce": "a1", "response": "ok"} and taken[-1][2] == {"signature": 1500, "sig": 170000}


def test_a_function_under_a_secret_name_hides_the_texts_that_it_holds_and_nothing_of_what_it_works_with(program):
    """A framework puts a function that makes a token into the request that the function looks at."""
    spool = program.main("""
        class Text(str):
            pass

        def put(scope):
            made = "zQ8-kd2x01fhWx"
            others = ["zQ8-kd2x03fhWx", bytearray(b"zQ8-kd2x04fhWx"), Text("zQ8-kd2x05fhWx")]

            def inner():
                return others

            def csrftoken():
                return scope["headers"][0][1] + made + inner()[0]

            scope["csrftoken"] = csrftoken
            return scope

        def accepted(kind):
            return kind

        def main():
            put({"headers": [("accept-encoding", "gzip, deflate9")], "api_key": "zQ8-kd2x02fhWx"})
            accepted("gzip, deflate9")
    """)  # fmt: skip
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    for n in range(1, 6):
        assert b"zQ8-kd2x0%dfhWx" % n not in raw, n
    assert [start.args[0] for start, _ in spool.calls("accepted")] == ["gzip, deflate9"]
    assert "('accept-encoding', 'gzip, deflate9')" in repr(spool.calls("put")[0][1].value)
