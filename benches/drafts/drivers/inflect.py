"""Uses inflect as a program that writes messages does."""

import inflect

WORDS = [
    "lamp", "box", "city", "day", "man", "child", "mouse", "ox", "sheep", "knife", "hero", "photo", "analysis", "datum",
    "index", "radius", "bus", "quiz", "leaf", "person", "tooth", "goose", "series", "fish", "cactus", "criterion",
    "attorney general", "mother-in-law", "passer-by", "I", "this", "my", "was", "has", "runs", "Mary", "Jones",
]  # fmt: skip
PLURALS = ["lamps", "boxes", "cities", "men", "children", "mice", "oxen", "knives", "heroes", "analyses", "indices", "we"]


def plurals():
    engine = inflect.engine()
    for word in WORDS:
        engine.plural(word)
        engine.plural_noun(word)
    for word in PLURALS:
        engine.singular_noun(word)
    engine.singular_noun("lamp")
    engine.plural("error", 1), engine.plural("error", 0), engine.plural("error", 3)
    engine.plural_verb("was"), engine.plural_verb("runs", 2), engine.plural_verb("is", 1)
    engine.plural_adj("my"), engine.plural_adj("cat's"), engine.plural_adj("a", 1)
    engine.present_participle("runs"), engine.present_participle("loves"), engine.present_participle("is")


def articles():
    engine = inflect.engine()
    for word in ("lamp", "apple", "hour", "unicorn", "FBI agent", "8-bit game", "euro", "X-ray", "honest man", "URL", ""):
        try:
            engine.a(word)
            engine.an(word)
        except Exception:
            pass
    engine.a("cat", 3), engine.a("cat", "two")
    engine.no("cat", 0), engine.no("cat", 1), engine.no("cat", 4)


def compared():
    engine = inflect.engine()
    engine.compare("index", "indices"), engine.compare("indexes", "indices"), engine.compare("cat", "dog")
    engine.compare("box", "box"), engine.compare_nouns("index", "indices"), engine.compare_verbs("run", "runs")
    engine.compare_adjs("my", "our")
    engine.classical(all=True)
    engine.plural("index"), engine.plural("formula")
    engine.classical(all=False)
    engine.plural("index"), engine.plural("formula")
    engine.gender("feminine")
    engine.singular_noun("they")
    try:
        engine.gender("unknown")
    except inflect.BadGenderError:
        pass
    engine.num(3)
    engine.plural("cat")
    engine.num()
    engine.defnoun("kin", "kine")
    engine.plural("kin")
    engine.defverb("will", "shall", "will", "will", "will", "will")
    engine.defadj("hir", "their")
    engine.defa("h.*")
    engine.defan("horrendous.*")


def numbers():
    engine = inflect.engine()
    for number in (0, 1, 7, 12, 21, 100, 101, 1234, 1_000_000, -5, "3.14", "0042"):
        engine.number_to_words(number)
        engine.ordinal(str(number))
    engine.number_to_words(1234, andword=""), engine.number_to_words(1234, group=1), engine.number_to_words(1234, group=2)
    engine.number_to_words(555_1202, group=1, zero="oh"), engine.number_to_words(1234, wantlist=True)
    engine.number_to_words(12, threshold=10), engine.number_to_words(2021, group=3)
    engine.ordinal("one"), engine.ordinal("twenty-two")
    engine.join(["apple"]), engine.join(["apple", "pear"]), engine.join(["apple", "pear", "fig"])
    engine.join(["a", "b", "c"], final_sep=""), engine.join(["a", "b,c", "d"], conj="or"), engine.join([])
    engine.inflect("The plural of cat is plural('cat') and there were no('error', 0)")
    engine.inflect("num(2,0)I saw plural('dog'), singular_noun('mice'), a('apple'), number_to_words('5')")


def main():
    plurals()
    articles()
    compared()
    numbers()


if __name__ == "__main__":
    main()
