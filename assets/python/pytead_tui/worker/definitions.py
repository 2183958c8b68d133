"""Defines a function or a class from its lines, for an evaluation that has no statements: what a test defines in its own body.

Owns what the lines see, the names of the expression and what the function closes over; what is compared is the recorder's affair.
"""


def define(space: dict, text: str, module: str, qualname: str, held: dict) -> object:
    """Defines a function or a class by its lines, below variables with these names and values; it gets the module and name that
    were recorded.
    """
    body = "".join("    " + line for line in text.splitlines(keepends=True))
    name = qualname.rpartition(".")[2]
    source = f"def around({', '.join(held)}):\n{body}\n    return {name}\n"
    names: dict = {}
    exec(compile(source, f"<definition of {qualname}>", "exec"), space, names)
    space["__name__"] = module  # a class takes its module from there
    try:
        made = names["around"](**held)
    finally:
        del space["__name__"]
    made.__module__, made.__qualname__ = module, qualname
    return made
