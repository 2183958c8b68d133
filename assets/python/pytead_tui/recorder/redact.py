"""Which names are secret, and the ordinals of redacted values. Value patterns are Rust's affair."""

from pytead_tui.recorder.own import __builtins__

WORDS = {
    "password", "passwd", "passphrase", "secret", "token", "apikey", "auth", "authorization",
    "credential", "credentials", "privatekey", "session", "cookie", "pwd", "passcode", "csrf", "otp", "cvv", "cvc", "ssn",
    "iban", "bearer", "accesskey",
}  # fmt: skip

# Parsers, tests and databases use these words for objects of their own; a text under them is a secret all the same.
AMBIGUOUS = {"token", "session", "cookie", "auth"}

SHORTEST = 6  # a shorter text is no secret where it has no secret name

known: dict = {}  # names → the word that makes them secret, or None
_ordinals: dict = {}
texts: dict = {}  # hashes of redacted texts that look like secrets → word
inside: dict = {}  # the redacted texts themselves → word: those that are looked for inside other texts
LONG = 8  # a shorter text may be inside another by chance
MOST = 32
WORD = 16  # more letters are no word
WORDS_MOST = 2  # more words in one text are a phrase that nobody says by chance
PHRASE = 12
NUMBER = 12  # digits of a text that is no short number


def configure(words: str) -> None:
    """Adds the words of `PYTEAD_REDACT`, one a line."""
    for word in words.split("\n"):
        plain = "".join(c for c in word.lower() if c.isalnum())
        if plain:
            WORDS.add(plain)
    known.clear()


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
    """Gives the word that makes a name secret, or None."""
    if type(name) is not str or len(name) > 200:
        return None
    try:
        return known[name]
    except KeyError:
        pass
    parts = tokens(name)
    word = None
    for i, part in enumerate(parts):
        pair = part + parts[i + 1] if i + 1 < len(parts) else part
        word = part if part in WORDS else pair if pair in WORDS else None
        if word:
            break
    if len(known) < 20_000:
        known[name] = word
    return word


def ordinal(word: str, raw: object) -> int:
    """Numbers a raw value of an exact scalar type: the same value has the same number."""
    key = hash((type(raw).__name__, raw))
    number = _ordinals.setdefault(key, len(_ordinals) + 1)
    if (type(raw) is str or type(raw) is bytes) and len(raw) >= SHORTEST and looks_secret(raw):
        texts[hash(raw)] = word
        if word not in AMBIGUOUS and len(raw) >= LONG and len(inside) < MOST:
            inside[raw] = word
    return number


def looks_secret(raw: object) -> bool:
    """Whether a redacted text is a secret by its look, too: a common word or a short number means elsewhere what it says."""
    text = raw.decode("latin-1") if type(raw) is bytes else raw
    if len(text) > 200:
        return True
    parts = [""]
    for c in text:
        if c.isalnum():
            parts[-1] += c
        elif c in "-_. @/":
            parts.append("")
        else:
            return True
    parts = [part for part in parts if part]
    if not all(_is_common(part) for part in parts):
        return True
    return len(parts) > WORDS_MOST and len(text) >= PHRASE


def _is_common(part: str) -> bool:
    """Whether a run of letters and digits is a short number or a word."""
    if part.isdigit():
        return len(part) < NUMBER
    if not part.isalpha() or len(part) > WORD or not (part.islower() or part.isupper() or part[1:].islower()):
        return False
    if not part.isascii():
        return True
    run = 0  # consonants beside each other: nobody speaks more than five
    for c in part.lower():
        run = 0 if c in "aeiouy" else run + 1
        if run > 5:
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
