"""What Django keeps with a model is recorded as the name that leads to it, and nothing is asked for that."""

import pytest

pytest.importorskip("django")

MODELS = """
    import django
    from django.conf import settings

    settings.configure(INSTALLED_APPS=["app"], USE_I18N=False)
    django.setup()

    from django.db import models

    class Named(models.Model):
        class Meta:
            abstract = True
            app_label = "app"

        name = models.CharField(max_length=9)
        fresh = models.Manager()

    class Author(Named):
        class Meta:
            app_label = "app"

    class Book(models.Model):
        class Meta:
            app_label = "app"

        author = models.ForeignKey(Author, models.CASCADE)

    def f(value):
        return 1

    def main():
        f({made})
"""


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ("Author._meta", "Author._meta"),
        ('Author._meta.get_field("name")', "Author.name.field"),
        ('Book._meta.get_field("author")', "Book.author.field"),
        ("Book.objects", "Book.objects"),
        ("Author.fresh", "Author.fresh"),
    ],
)
def test_a_name_leads_to_it(program, made, name):
    spool = program.main(MODELS.replace("{made}", made))
    assert spool.calls("f")[0][0].args[0][1:] == ("name", "app", name)


@pytest.mark.parametrize("made", ["models.CharField(max_length=3)", 'Book.objects.db_manager("other")'])
def test_what_no_name_leads_to_is_no_name_of_a_model(program, made):
    spool = program.main(MODELS.replace("{made}", made))
    tree = spool.calls("f")[0][0].args[0]
    assert tree[1] != "name" or tree[2] != "app"
