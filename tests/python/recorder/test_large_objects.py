"""How little is copied of objects that are too large to be made again."""


def test_little_is_copied_of_objects_whose_class_is_known_to_be_too_large(program):
    """Twenty functions are given one, each for the first time; all of it would be copied for each of them."""
    source = """
class View:
    def __init__(self):
        self.rows = [[str(i), {"k": (i, [i])}] for i in range(900)]

class Small:
    def __init__(self):
        self.rows = [[str(i)] for i in range(90)]
"""
    source += "".join("\ndef f%d(view, n):\n    return n\n\ndef g%d(small):\n    return 1\n" % (i, i) for i in range(20))
    source += "\ndef main():\n    view, small = View(), Small()\n"
    source += "".join("    f%d(view, %d)\n    g%d(small)\n" % (i, i, i) for i in range(20))
    spool = program.main(source)
    rows = [len(repr(spool.one("f%d" % i)[0].args[0])) for i in range(20)]
    assert min(rows[:3]) > 40 * max(rows[3:]), rows
    assert [spool.one("f%d" % i)[0].args[1] for i in range(20)] == [*range(20)], "the argument behind it is whole"
    small = {repr(spool.one("g%d" % i)[0].args[0][3:]) for i in range(20)}
    assert len(small) == 1 and "cut" not in small.pop()
