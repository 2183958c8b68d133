"""What Django computes later is recorded as the call that makes it, and nothing is computed for that."""

import pytest

pytest.importorskip("django")

SETTINGS = """
    from django.conf import settings

    settings.configure(USE_I18N=False, ROOT_URLCONF="app")
    urlpatterns = []
"""


@pytest.mark.parametrize(
    ("made", "module", "name", "args", "named"),
    [
        ('gettext_lazy("Name")', "django.utils.translation", "gettext_lazy", ("Name",), {}),
        ('pgettext_lazy("a shop", "Name")', "django.utils.translation", "pgettext_lazy", ("a shop", "Name"), {}),
        ('reverse_lazy("home", args=[1])', "django.urls.base", "reverse_lazy", ("home",), {"args": [1]}),
        (
            'ngettext_lazy("%d item", "%d items", 3)',
            "django.utils.translation",
            "ngettext_lazy",
            (),
            {"singular": "%d item", "plural": "%d items", "number": 3},
        ),
    ],
)
def test_a_lazy_call_is_the_call_of_its_name(program, made, module, name, args, named):
    spool = program.main(
        SETTINGS
        + f"""
    from django.urls import reverse_lazy
    from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext_lazy

    def f(label):
        return [label]

    def main():
        f({made})
    """
    )
    (call, end) = spool.calls("f")[0]
    assert call.args[0][1:] == ("new", module, name, args, named)
    assert end[3] == [call.args[0]]


def test_one_without_a_name_is_no_call(program):
    spool = program.main(
        SETTINGS
        + """
    from django.utils.functional import lazy

    def shout(text):
        raise RuntimeError("nobody asked for it")

    later = lazy(shout, str)

    def f(label):
        return 1

    def main():
        f(later("x"))
    """
    )
    assert spool.calls("f")[0][0].args[0][1] != "new"
