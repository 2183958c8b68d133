"""Objects that a module holds by name: what is written of them, and what their walk leaves behind."""


def test_an_object_that_a_module_holds_costs_nothing_but_its_name(program):
    """The walk of its state is not used: no reference leads there, and the end of a call looks as its start did."""
    program.write("registry.py", """
        class Entry:
            def __init__(self, number):
                self.number = number

        class Registry:
            def __init__(self):
                self.entries = [Entry(n) for n in range(900)]
                self.lock = object()

        REGISTRY = Registry()
        FIRST = REGISTRY.entries[0]
    """)  # fmt: skip
    spool = program.main("""
        import registry

        class Request:
            def __init__(self):
                self.registry = registry.REGISTRY
                self.entry = registry.REGISTRY.entries[1]
                self.rest = [registry.Entry(n) for n in range(1500)]

        def handle(request):
            return None

        def main():
            for _ in range(2):
                handle(Request())
    """, PYTEAD_MODE="every", PYTEAD_TARGETS="*:handle")  # fmt: skip
    trees = []
    for call, end in spool.calls("handle"):
        assert end.changed == {}
        fields = call.args[0][-1]
        assert fields["registry"][1:] == ("name", "registry", "REGISTRY")
        assert fields["entry"][1] == "obj", "no reference to what is written nowhere"
        trees.append(type(fields["rest"]))
    assert trees == [list, list]
