"""Large containers of plain data: settings and documents that many calls accept are recorded completely, at low cost."""

SETTINGS = """
import copy

SETTINGS = {"KEY_%d" % i: i if i % 3 else "text %d" % i for i in range(90)}
SETTINGS.update(LIST=["a", ["b"]], DEEP={"x": {"y": [1.5, None]}}, PAIRS=[("a", 1), ("b", True)])
"""


def test_settings_that_many_functions_are_given_are_told_whole(program):
    many = range(60)
    source = SETTINGS + "".join("\ndef f%d(settings, n):\n    return settings['DEEP']\n" % i for i in many)
    source += "\ndef main():\n    for n in range(20):\n        own = copy.deepcopy(SETTINGS)\n        own['N'] = n % 4\n"
    source += "".join("        f%d(own, n)\n" % i for i in many)
    spool = program.main(source)
    held = {}
    exec(SETTINGS, held)
    told = 0
    for i in many:
        calls = spool.calls("f%d" % i)
        assert len(calls) >= 2
        for call, end in calls:
            settings, n = call.args
            wanted = {**held["SETTINGS"], "N": n % 4}
            assert settings == wanted and list(settings) == list(wanted) and type(settings["PAIRS"][1][1]) is bool
            assert end.value == held["SETTINGS"]["DEEP"]
            told += 1
    assert told > 4 * len(many), "more than the first calls"


def test_what_is_in_them_is_still_told_from_its_equal_and_by_its_name(program):
    spool = program.main(SETTINGS + """
class Box:
    pass

def take(settings, part, box):
    settings["KEY_1"] = 5
    return part

def main():
    for n in range(4):
        own = copy.deepcopy(SETTINGS)
        box = Box()
        box.held = own["DEEP"]["x"]
        own["BOX"] = box
        own["password"] = "hunter2-%d-Qx7!" % n
        own["NESTED"] = {"api_key": "sk-live-%d-0123456789abcdef" % n}
        take(own, own["LIST"][1], box)
""")
    calls = spool.calls("take")
    assert len(calls) == 4
    for call, end in calls:
        settings, part, box = call.args
        assert settings["LIST"][1][1] == "mut" and part == (StopIteration, "ref", settings["LIST"][1][2])
        assert settings["DEEP"]["x"][1] == "mut" and box[1] == "ref"
        assert settings["BOX"][-1]["held"] == (StopIteration, "ref", settings["DEEP"]["x"][2])
        assert settings["password"][1] == "secret" and settings["NESTED"]["api_key"][1] == "secret"
        assert end.changed["settings"]["KEY_1"] == 5 and end.changed["settings"]["KEY_2"] == 2
    raw = b"".join(p.read_bytes() for p in program.spool.iterdir())
    assert b"hunter2" not in raw and b"sk-live" not in raw


def test_a_secret_that_comes_to_be_known_is_no_longer_told_by_the_bytes_before(program):
    spool = program.main(SETTINGS + """
def take(settings):
    return len(settings)

def login(password):
    return len(password)

def main():
    SETTINGS["GREETING"] = "Zq8-kkw1-Pa55-vv"
    for n in range(3):
        take(dict(SETTINGS, N=n // 2))
    login("Zq8-kkw1-Pa55-vv")
    for n in range(4, 7):
        take(dict(SETTINGS, N=n // 10))
""")
    late = [call.args[0]["GREETING"] for call, _ in spool.calls("take")][-1]
    assert late[1] == "secret"


def test_nothing_of_the_program_runs_to_look_at_a_container(program):
    spool = program.main(SETTINGS + """
RAN = []

class Meta(type):
    def __hash__(cls):
        RAN.append("hash")
        return 1

    def __eq__(cls, other):
        RAN.append("eq")
        return cls is other

class Odd(metaclass=Meta):
    @property
    def __class__(self):
        RAN.append("class")
        return dict

class Own(dict):
    def __len__(self):
        RAN.append("len")
        return 1

    def items(self):
        RAN.append("items")
        return []

    def __iter__(self):
        RAN.append("iter")
        return iter(())

def take(n, settings, rows, own, part):
    return len(RAN)

def main():
    for n in range(3):
        rows = [[i, Odd()] for i in range(30)]
        own = Own(SETTINGS, ODD=Odd())
        take(n, dict(SETTINGS, ODD=Odd()), rows, own, dict.__getitem__(own, "LIST"))
""")
    calls = spool.calls("take")
    assert [end.value for _, end in calls] == [0] * len(calls) and len(calls) >= 2
    assert all(call.args[3][5]["KEY_1"] == 1 for call, _ in calls)
