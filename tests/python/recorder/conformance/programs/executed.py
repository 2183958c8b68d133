"""Executed source: of no file, of a project file, and evaluated."""

SOURCE = """
def nameless(x):
    return x
nameless(1)
"""

PLUGIN = """
def plug(x):
    def inner():
        return x + 1
    return inner()

class Plugged:
    def method(self):
        return "plugged"

RESULT = plug(1), Plugged().method()
"""


def helper(x):
    return x


def main():
    space = {"helper": helper}
    exec(SOURCE, space)
    eval("helper(2) + [helper(n) for n in (3,)][0]", space)
    exec("def made(): return helper(4)\nmade()", space)
    with open("plugin.py", "w") as stream:
        stream.write(PLUGIN)
    plugin = {"__name__": "plugin"}
    with open("plugin.py") as stream:
        exec(compile(stream.read(), "plugin.py", "exec"), plugin)
    print(plugin["RESULT"])


main()
