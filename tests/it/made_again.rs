//! Objects that know how they were made, and that are numbered in the order of their making: the tests of their methods make them
//! by the same arguments, whatever was made before.

use crate::applications::{passes, project};

const FIELDS: &str = r#"class Field:
    made = 0

    def __new__(cls, *args, **kwargs):
        field = super().__new__(cls)
        field._args, field._kwargs = args, kwargs
        return field

    def __init__(self, label="", needed=True):
        self._serial = Field.made
        Field.made += 1
        self.title = label.title()
        self.messages = {"needed": f"{self.title} is needed"} if needed else {}

    def missing(self):
        return self.messages.get("needed")


class Number(Field):
    def __init__(self, *limits, **kwargs):
        super().__init__(**kwargs)
        self.steps = [limit * 2 for limit in limits]

    def fits(self, amount):
        return any(step >= amount for step in self.steps)


class Form:
    def longest(self):
        return max(len(title) for title in self.titles)
"#;

const TESTS: &str = r#"import pytest

from shop import fields


@pytest.mark.parametrize("most", range(1, 9))
def test_fits(most):
    field = fields.Number(1, most, label="amount")
    assert field.fits(3) == (most >= 2)


@pytest.mark.parametrize("needed", [True, False])
def test_missing(needed):
    assert bool(fields.Field("first name", needed=needed).missing()) == needed


def test_longest():
    form = fields.Form()
    form.titles = ["Name", "Town"]
    assert form.longest() == 4
"#;

/// R3, R10: an object that keeps its arguments is made by them, and the number that it got is no part of what it is.
#[test]
fn numbered_objects_that_keep_their_arguments_are_made_by_them() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/fields.py", FIELDS),
        ("tests/test_fields.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in ["Field.__init__", "Field.missing", "Number.__init__", "Number.fits", "Form.longest"] {
        assert!(out.contains(&format!("shop.fields:{function}  ready")), "{function}: {out}{err}");
    }
    let text = place.read("tests/pytead/test_pytead_shop__fields.py");
    assert!(text.contains("Number(1, 2, label=\"amount\")") && text.contains("Field(\"first name\", needed=True)"), "{text}");
    assert!(
        text.contains("    form = Form()\n    form.titles = [\"Name\", \"Town\"]\n    assert form.longest() == 4\n"),
        "{text}"
    );
    assert!(!text.contains("_serial"), "{text}");
    passes(&place, &python, &[]);
    place.edit("shop/fields.py", "limit * 2", "limit * 3");
    let mut pytest = std::process::Command::new(&python);
    let done =
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead"]).current_dir(place.root()).output().unwrap();
    assert!(!done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

const PAGES: &str = r#"from pathlib import PurePath


class Named:
    def __init__(self, name=None):
        self.label = name or "?"


class Option(Named):
    def __init__(self, limit, /, needed=True, **more):
        super().__init__(**more)
        self._most = limit
        self.must = needed

    def told(self, amount):
        word = "needed" if self.must else "wanted"
        return f"{self.label} {word}: {amount <= self._most}"


class Page:
    def __init__(self, path, *, depth=0):
        self.src_path = path
        self._depth = depth

    @property
    def src_path(self):
        return self.src

    @src_path.setter
    def src_path(self, value):
        self.src = PurePath(value).as_posix()

    def link(self):
        return "../" * self._depth + self.src


class Draft(Page):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.status = "draft"

    def state(self):
        return f"{self.status}: {self.src}"


class Pages:
    def __init__(self, pages):
        self._by_name = {page.src: page for page in pages}

    def links(self):
        return [page.link() for page in self._by_name.values()]


class Menu(dict):
    def __init__(self, title):
        super().__init__()
        self.title = title

    def shown(self):
        return [f"{self.title}: {name}" for name in self]


def folder(path):
    return path.rpartition("/")[0]


def listing(path):
    return {name: f"{path}/{name}/index.md" for name in sorted("home about news team shop help jobs press terms contact".split())}


def kind(title):
    return type("Kind", (Named,), {"title": title})


def heading(named):
    return f"{named.title} {named.label}"
"#;

const RESTORED: &str = r#"import tempfile

from site_map import pages


def restored(cls, **state):
    made = cls.__new__(cls)
    vars(made).update(state)
    return made


def test_told():
    option = restored(pages.Option, label="amount", _most=7, must=False)
    assert [option.told(7), option.told(8)] == ["amount wanted: True", "amount wanted: False"]


def test_links():
    first, second = restored(pages.Page, src="a.md", _depth=0), restored(pages.Page, src="b/c.md", _depth=2)
    assert restored(pages.Pages, _by_name={"a.md": first, "b/c.md": second}).links() == ["a.md", "../../b/c.md"]


def test_shown():
    menu = restored(pages.Menu, title="Top")
    menu["tea"] = 1
    menu["cake"] = 2
    assert menu.shown() == ["Top: tea", "Top: cake"]


def test_state():
    assert restored(pages.Draft, src="d.md", _depth=3, status="draft").state() == "draft: d.md"


def test_heading():
    assert pages.heading(pages.kind("Mrs")("Ada")) == "Mrs Ada"


def test_folder():
    made = tempfile.mkdtemp()
    assert pages.folder(f"{made}/docs/index.md") == f"{made}/docs"
    assert len(pages.listing(made)) == 10
"#;

/// R3: of an object that nobody saw being made, the text of its constructor tells which attribute keeps which argument: under
/// another name, in a base class, behind a property, or as the items of a collection. A temporary folder of the program is the test's.
#[test]
fn objects_whose_making_was_not_seen_are_made_as_their_constructors_text_tells() {
    let files = [
        ("site_map/__init__.py", ""),
        ("site_map/pages.py", PAGES),
        ("tests/test_pages.py", RESTORED),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_site_map__pages.py");
    for made in [
        "Option(7, needed=False, name=\"amount\")",
        "Pages(pages=[Page(path=\"a.md\"), Page(path=\"b/c.md\", depth=2)])",
        "expected = { \"about\": str(tmp_path / \"about/index.md\"),",
        "draft = Draft(depth=3, path=\"d.md\")",
        "menu = Menu(title=\"Top\") menu[\"tea\"] = 1 menu[\"cake\"] = 2 assert menu.shown()",
        "assert folder(str(tmp_path / \"docs/index.md\")) == str(tmp_path / \"docs\")",
    ] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(made), "{made}\n{text}");
    }
    passes(&place, &python, &[]);
    let why = "Kind cannot be imported from site_map.pages: the program makes it while it runs";
    assert!(out.contains("site_map.pages:heading") && out.contains(why), "{out}");
}

/// pytest imports a file below a folder without `__init__.py` from that folder, under a name that no other program has for it.
#[test]
fn classes_of_a_file_that_pytest_imports_from_its_own_folder_get_tests() {
    let queue = "class Queue:\n    def __init__(self):\n        self.places = 0\n\n    def place(self, many):\n        \
                 self.places += many\n        return self.places\n";
    let test = "from queues import Queue\n\n\ndef test_places():\n    queue = Queue()\n    assert queue.place(2) == 2\n    \
                assert queue.place(3) == 5\n";
    let (place, python) = project(&[("lib/queues.py", queue), ("lib/test_queues.py", test)]);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert!(code == 0 && out.contains("Accepted Queue.place"), "{out}{err}");
    passes(&place, &python, &["lib", "tests"]);
}
