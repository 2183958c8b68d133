"""Which names are secret, and what stands for redacted values. The forms of tokens are Rust's affair."""

from pytead_tui.recorder import secret_names
from pytead_tui.recorder.own import __builtins__, os

_OBJECTS = secret_names.AMBIGUOUS.split() + secret_names.OBJECTS.split()
_NAMES = secret_names.NAMES.replace("-", "").split()
WORDS = {*_NAMES, *_OBJECTS}
# Plurals of the words → the words: names of several secrets (`passwords`), under which a number is how many there are.
MANY = {word + "s": word for word in sorted(WORDS) if word not in secret_names.NO_PLURAL.split()}
PROOFS = frozenset([name for word in secret_names.PROOFS.split() for name in (word, word + "s")])
LOOSE = PROOFS.union([word + "s" for word in _OBJECTS])  # often words of a text: what looks random alone is secret
OBJECTS = LOOSE.union(_OBJECTS)
ABOUT = frozenset(secret_names.ABOUT.split())
_ENDS = tuple(secret_names.ENDS.split())
ROLES = {
    **dict.fromkeys(secret_names.NAME_KEYS.split(), "name"),
    **dict.fromkeys(secret_names.VALUE_KEYS.split(), "value"),
    **dict.fromkeys(secret_names.USER_KEYS.split(), "user"),
    **dict.fromkeys(secret_names.PERHAPS.split(), "perhaps"),
    **dict.fromkeys(secret_names.CHALLENGE_KEYS.split(), "challenge"),
    **dict.fromkeys(secret_names.ANSWER_KEYS.split(), "answer"),
}
_VALUES = "value", "perhaps", "answer"  # what another item of the container can make secret
_VALUE_ENDS = tuple([key for key, what in ROLES.items() if what in _VALUES])
BESIDE = ""  # in place of a word: what can make the value secret is another item of its container, or its own look

SHORTEST = 6  # a shorter text is no secret where it has no secret name
NAME = 64  # more bytes are no name
PIN = 1000  # a smaller number says how long or how many, also under a secret name
CARD_CHECK = {"cvv": 100, "cvc": 100}

known: dict = {}  # names → the word that makes them secret, None or `BESIDE`
known_bytes: dict = {}  # so for names in bytes: where `-bb` is given, one dict must not hold both
roles: dict = {}  # names → what is beside what, see `role`
ROOTS = "key", "pass", "sess", "srf", "cv"
stems: list = []  # every secret name has one of them in it
_ordinals: dict = {}
texts: dict = {}  # hashes of redacted texts that look like secrets → word
inside: dict = {}  # the redacted texts themselves → word: those that are looked for inside other texts
fresh: list = []  # the redacted texts that were met last: what was told just before may hold them
names: set = set()  # of classes: they stand in the source, and are no secrets where something secret is called the same
numbers: dict = {}  # redacted numbers that look like secrets → word; while there is one, it is among the texts, too
LONG = 8  # a shorter text may be inside another by chance
DIGITS_MOST = 64  # more digits are not looked for
SCALARS = str, bytes, int, float
SWITCHES = frozenset("true false yes no none null on off 0 1".split())
REFERENCES = "$", "{{", "%(", "<", "[R"  # how texts begin that say where a value is
MADE_UP = frozenset(secret_names.MADE_UP.split())
asked: set = set()  # words of `PYTEAD_REDACT`: under these everything is secret
FLAT = 16  # more items in the place of one value are no secrets
MOST = 32
WORD = 16  # more letters are no word

# What a text says beyond what anybody would say by chance, in bits: a word, a letter, one of both cases, a digit, a sign.
BITS = 24
OF_WORD, OF_LETTER, OF_CASE, OF_DIGIT, OF_SIGN = 11.0, 4.7, 5.7, 2.4, 5.0
OF_SERIES = 3.0  # `123`, `0000`
DIGITS = "01234567890", "09876543210"

# Types of redacted values, and how long they are: none, up to 7, up to 31 and more characters or digits.
TYPES = {str: "str", bytes: "bytes", int: "int", float: "float"}


def configure(words: str) -> None:
    """Adds the words of `PYTEAD_REDACT`, one a line."""
    for word in words.split("\n"):
        plain = "".join(c for c in word.lower() if c.isalnum())
        if plain:
            WORDS.add(plain)
            asked.add(plain)
    known.clear()
    known_bytes.clear()
    rare = [word for word in WORDS.union(PROOFS) if not any(root in word for root in ROOTS)]
    stems[:] = [*ROOTS, *(word for word in rare if not any(other != word and other in word for other in rare))]


def tokens(name: str) -> list:
    """Splits a name at anything but letters and digits, and where the case changes."""
    found: list = []
    word = ""
    for i, c in enumerate(name):
        if not c.isalnum():
            if word:
                found.append(word)
            word = ""
            continue
        if c.isupper() and word:
            lower_before = not name[i - 1].isupper()
            lower_after = i + 1 < len(name) and name[i + 1].islower()
            if lower_before or lower_after:
                found.append(word)
                word = ""
        word += c
    if word:
        found.append(word)
    return [w.lower() for w in found]


def secret_word(name: object) -> "str | None":
    """Gives the word that makes a name secret, or None; for the name of several secrets that of one."""
    word = word_or_beside(name)
    return None if word in LOOSE else MANY.get(word, word) or None


def word_of_all(name: object) -> "str | None":
    """Gives the word that makes all that a value of this name holds secret, or None."""
    return word_or_beside(name) or None


def word_or_beside(name: object) -> "str | None":
    """Does so; gives `BESIDE` for the key of a value that a name beside it may make secret."""
    if type(name) is bytes:
        return _secret_bytes(name)
    if type(name) is not str or len(name) > 200:
        return None
    try:
        return known[name]
    except KeyError:
        pass
    word = _word_in(name) if _may_be(name) else None
    if word is None and name.lower().rstrip("_").endswith(_VALUE_ENDS) and role(name)[1] in _VALUES:
        word = BESIDE
    if len(known) < 20_000:
        known[name] = word
    return word


def _secret_bytes(name: bytes) -> "str | None":
    if len(name) > NAME:
        return None
    try:
        return known_bytes[name]
    except KeyError:
        pass
    text = name.decode("latin-1")
    word = _word_in(text) if _may_be(text) else None
    if len(known_bytes) < 20_000:
        known_bytes[name] = word
    return word


def _may_be(name: str) -> bool:
    """Whether a name may be secret, at a fraction of what telling it takes."""
    plain = name.lower().replace("_", "")
    if not plain.isalnum():
        plain = plain.replace("-", "").replace(".", "").replace(" ", "")
        if not plain.isalnum():
            return True
    for stem in stems:
        if stem in plain:
            return True
    return False


def _word_in(name: str) -> "str | None":
    parts = tokens(name)
    if parts and parts[-1] in ABOUT:
        return None
    for i, part in enumerate(parts):
        pair = part + parts[i + 1] if i + 1 < len(parts) else part
        for word in (part, pair):
            if word in WORDS or word in MANY:
                return word
        if part.endswith(_ENDS):
            return next(end for end in _ENDS if part.endswith(end))
    return next((part for part in parts if part in PROOFS), None)


def pair_word(items: object) -> "str | None":
    """Gives the word that makes the second of two items secret, where the first one is its name, as in a header."""
    name, held = items
    kind = type(name)
    if kind is str:
        if known.get(name, name) is None:
            return None  # as nearly always
    elif kind is not bytes:
        return None
    if len(name) > NAME:
        return None
    kind = type(held)
    if (kind is not str and kind is not bytes) or len(held) < SHORTEST:
        return None
    word = word_of_all(name)
    if word in LOOSE:
        return word if word in PROOFS and is_random(held) else None
    word = MANY.get(word, word)
    # `("password", "Password")` is a field and its label, and ["SessionAuthentication", …] a list of classes.
    return word if word is not None and _is_of_a_pair(name) and looks_secret(held) and not is_said(held) else None


def beside(pairs: list, key: str, held: object) -> "str | None":
    """Gives the word that makes the value under a key secret, for a name that stands under another key beside it."""
    if type(held) not in SCALARS and type(held) not in (list, tuple):
        return None
    around, what = role(key)
    if what == "perhaps":
        return _perhaps(pairs, around, held)
    if what == "answer":
        return "digest" if _is_asked(pairs, around) and type(held) in (str, bytes) and is_random(held) else None
    for other, name in pairs:
        if type(other) is not str or (type(name) is not str and type(name) is not bytes) or len(other) > NAME:
            continue
        if role(other) == (around, "name"):
            word = _named(name, held)
            if word is not None:
                return word
    return None


def role(name: str) -> tuple:
    """Gives the words of a key before its last one, and what stands under it by that: a name, a value, who logs in."""
    found = roles.get(name)
    if found is None:
        parts = tokens(name)
        found = tuple(parts[:-1]), ROLES.get(parts[-1]) if parts else None
        if len(roles) < 20_000:
            roles[name] = found
    return found


def _is_asked(pairs: list, around: tuple) -> bool:
    """Whether another item of the container is the challenge."""
    return any([type(other) is str and len(other) <= NAME and role(other) == (around, "challenge") for other, _ in pairs])


def _perhaps(pairs: list, around: tuple, held: object) -> "str | None":
    """Gives the word that makes secret what is under a key such as `pass`, which may say that a test passed."""
    kind = type(held)
    if (kind is not str and kind is not bytes) or _is_told(held.decode("latin-1") if kind is bytes else held):
        return None
    if not is_random(held):
        users = [other for other, name in pairs if type(other) is str and type(name) is str and len(other) <= NAME]
        if all([role(other) != (around, "user") for other in users]):
            return None
    return "password"


def _named(name: object, held: object) -> "str | None":
    """Gives the word of a name that makes what it is said to be the name of secret."""
    word = secret_word(name) if 2 < len(name) <= NAME else None
    if word is None:
        return None
    text = name.decode("latin-1") if type(name) is bytes else name
    if not _ends_secret(text):
        return None
    kind = type(held)
    if kind is list or kind is tuple:
        fit = 0 < len(held) <= FLAT and all([_is_value(text, word, one) for one in held[: FLAT + 1]])
    else:
        fit = _is_value(text, word, held)
    return word if fit else None


def _is_value(name: str, word: str, held: object) -> bool:
    """Whether something is the value of a secret that goes by this name, and no label, switch or reference."""
    kind = type(held)
    if kind is int or kind is float:
        return is_number(word, held)
    if (kind is not str and kind is not bytes) or not held:
        return False
    text = held.decode("latin-1") if kind is bytes else held
    if _is_told(text):
        return False
    if name.isupper() and "_" in name or looks_secret(text):
        return True  # a variable of the environment holds no label
    return word not in OBJECTS and len(text) > 3 and not text.isalpha()


def _is_told(text: str) -> bool:
    """Whether a text is nothing, a switch, a reference, a label, or a row of signs in the place of a secret."""
    if len(text) > 3 and not text[0].isalnum() and text == text[0] * len(text):
        return True
    return not text or text.lower() in SWITCHES or is_made_up(text) or text.startswith(REFERENCES) or is_said(text)


def is_made_up(raw: object) -> bool:
    """Whether a text says that it is no secret: `password="test"`."""
    return len(raw) <= WORD and (raw.decode("latin-1") if type(raw) is bytes else raw).lower() in MADE_UP


def is_said(raw: object) -> bool:
    """Whether a text is what somebody says to somebody, as labels are: a sentence, or words beginning with a capital."""
    text = raw.decode("latin-1") if type(raw) is bytes else raw
    if len(text) > 200 or " " not in text:
        return False
    if not text[:1].isupper() and text[-1:] not in ".:?!…":
        return False
    for piece in text.replace("-", " ").replace("/", " ").split():
        piece = piece.strip(".,:;?!…()\"'`’")
        piece = piece.replace("'", "").replace("’", "")
        if len(piece) > 2 and not (piece.isalpha() and _is_word(piece)):
            return False
    return True


def _is_of_a_pair(name: object) -> bool:
    """Whether a name is a plain one that ends with a secret word: what stands before its value."""
    text = name.decode("latin-1") if type(name) is bytes else name
    return "." not in text and _ends_secret(text)


def _ends_secret(name: str) -> bool:
    parts = tokens(name)
    for word in (parts[-1], "".join(parts[-2:])):
        if word in WORDS or word in MANY:
            return True
    return False


def is_number(word: str, v: object) -> bool:
    """Whether a number right under a secret name is a secret."""
    return type(v) is int and word not in OBJECTS and word not in MANY and not -PIN < v < CARD_CHECK.get(word, PIN)


def is_number_of_many(word: "str | None", v: object) -> bool:
    """Whether a number among several secrets, in a list or under a key, is one."""
    return word in MANY and is_number(MANY[word], v)


def hides(word: str, raw: object) -> bool:
    """Whether a text under a secret name is a secret."""
    if word in LOOSE:
        return is_random(raw)
    if (is_made_up(raw) or word == "pwd" and _is_folder(raw)) and word not in asked:
        return False
    return len(raw) > 0 and (len(raw) >= SHORTEST or word not in OBJECTS)


def _is_folder(raw: object) -> bool:
    """Whether a text is a folder that is there, as the working folder under a shell's `PWD`, and no password."""
    return raw.startswith("/" if type(raw) is str else b"/") and len(raw) < 4096 and os.path.isdir(raw)


def placeholder(word: str, raw: object) -> tuple:
    """Gives what stands for a raw value of an exact scalar type: equal ones are equal, and of what type and length."""
    word = MANY.get(word, word)
    kind = type(raw)
    if kind is str or kind is bytes:
        length = len(raw)
    else:
        length = 1 if kind is float or -10_000_000 < raw < 10_000_000 else 8 if -(10**31) < raw < 10**31 else 32
    size = 0 if not length else 1 if length < 8 else 2 if length < 32 else 3
    return (StopIteration, "secret", word, ordinal(word, raw), TYPES[kind], size)


def stand_in(word: str, number: int, kind: str, size: int) -> object:
    """Gives a value to use in the place of a redacted one, of its type and about its length; the number tells it from others.

    `src/domain/secret.rs` makes the same."""
    if kind == "int" or kind == "float":
        made = (0, 1000, 10**8, 10**32)[size] + number
        return made + 0.5 if kind == "float" else made
    mark = "" if number == 1 else "#%d" % number
    text = ("", "[R#%d]" % number, "[REDACTED:%s%s]" % (word, mark), "[REDACTED:%s%s]" % (word, mark))[size]
    if size == 2 and len(text) > 31:
        text = "[REDACTED:#%d]" % number
    if size == 3:
        text = text.ljust(40, "-")
    return text.encode() if kind == "bytes" else text


def ordinal(word: str, raw: object) -> int:
    """Numbers a raw value of an exact scalar type: the same value has the same number."""
    key = hash((type(raw).__name__, raw))
    number = _ordinals.get(key)
    if number is None:
        number = _ordinals[key] = len(_ordinals) + 1
        _look_out(MANY.get(word, word), raw)
    return number


def _look_out(word: str, raw: object) -> None:
    """Notes a value that looks too random to occur twice by chance: equal texts and numbers are redacted, too."""
    kind = type(raw)
    if kind is float or (kind is int and not 0 < raw < 10**DIGITS_MOST):
        return
    text = str(raw) if kind is int else raw
    if len(text) < SHORTEST or text in names or not looks_secret(text) or is_said(text):
        return
    texts[hash(text)] = word
    if word in OBJECTS:
        return
    if len(text) >= LONG:
        fresh.append(text)
        del fresh[:-MOST]
        if len(inside) < MOST:
            inside[text] = word
    if len(text) < DIGITS_MOST and text.isdigit() and text.isascii() and text[:1] not in ("0", b"0"):
        numbers[int(text)] = word


def add_name(name: str) -> None:
    """Notes the name of a class: equal texts are not redacted for being equal to a secret any more.

    A program may call a class as a secret, with `type(token, …)`: a name that no words make up stays one."""
    if is_random(name):
        return
    names.add(name)
    texts.pop(hash(name), None)
    inside.pop(name, None)
    if name in fresh:
        fresh.remove(name)


def looks_secret(raw: object) -> bool:
    """Whether a text says so much that it is found elsewhere by no chance: no word, no few of them, no short number."""
    text = raw.decode("latin-1") if type(raw) is bytes else raw
    if len(text) > 200:
        return True
    bits = 0.0
    run, kind = "", ""
    for c in text + " ":
        now = "letter" if c.isalpha() else "digit" if c.isdigit() else ""
        if now and now == kind:
            run += c
            continue
        bits += _bits(run, kind)
        if bits >= BITS:
            return True
        run, kind = (c, now) if now else ("", "")
        if not now and c not in "-_. @/":
            bits += OF_SIGN
    return False


def is_random(raw: object) -> bool:
    """Whether a text looks like a secret that no words make up."""
    text = raw.decode("latin-1") if type(raw) is bytes else raw
    if text.split() != [text] or not looks_secret(text):
        return False
    return len(text) > 200 or any([_is_odd(piece) for piece in "".join([c if c.isalnum() else " " for c in text]).split()])


def _is_odd(piece: str) -> bool:
    """Whether letters and digits are no word, also with a number behind it, and no few words in camel case."""
    runs = "".join([" " + c if i and c.isdigit() != piece[i - 1].isdigit() else c for i, c in enumerate(piece)]).split(" ")
    if len(runs) > 3 or len(runs) == 1 and piece.isdigit():
        return True
    for run in runs:
        parts = [] if run.isdigit() else tokens(run)
        if len([part for part in parts if len(part) < 3]) > 2:
            return True
        for part in parts:
            while len(part) > 2:
                if not _is_word(part[:WORD]):
                    return True
                part = part[WORD:]
    return False


def _bits(run: str, kind: str) -> float:
    """Gives what a run of letters or digits says."""
    if kind == "digit":
        series = len(run) > 2 and (len(set(run)) == 1 or any(run in digits for digits in DIGITS))
        return OF_SERIES if series else OF_DIGIT * len(run)
    if _is_word(run):
        return OF_WORD
    return (OF_LETTER if run.islower() or run.isupper() else OF_CASE) * len(run)


def _is_word(run: str) -> bool:
    """Whether letters can be said."""
    if not 2 < len(run) <= WORD or not (run.islower() or run.isupper() or run[1:].islower()):
        return False
    if not run.isascii():
        return True
    beside = 0  # consonants beside each other: nobody speaks more than five
    for c in run.lower():
        beside = 0 if c in "aeiouy" else beside + 1
        if beside > 5:
            return False
    return True


def renumber() -> None:
    """Begins to number anew: what a journey tells does not depend on the ones before it."""
    _ordinals.clear()


def word_of(text: object) -> "str | None":
    """Gives the word of a text that was redacted elsewhere under its name, or that holds such a text; or None."""
    word = texts.get(hash(text))
    if word is None and inside:
        kind = type(text)
        for raw in inside:
            if type(raw) is kind and raw in text:
                return inside[raw]
    return word


def without(tree: object) -> object:
    """Gives a tree without the secrets that were met after the walk had passed them: what stands before one may hold it."""
    kind = type(tree)
    if kind is tuple:
        return tree if tree[:2] == (StopIteration, "secret") else tuple(map(without, tree))
    if kind is list:
        tree[:] = map(without, tree)
        return tree
    if kind is dict:
        return {without(name): without(held) for name, held in tree.items()}
    if kind is set or kind is frozenset:
        return kind(map(without, tree))
    if kind is str or kind is bytes:
        word = word_of(tree)
        for raw in fresh if word is None else ():
            if type(raw) is kind and raw in tree:
                word = texts[hash(raw)]
    else:
        word = numbers.get(tree) if kind is int else None
    return tree if word is None else placeholder(word, tree)


configure("")
