//! Stubs of modules: what stays, what goes, and where it stands.

use super::*;

struct Given;

impl Known for Given {
    fn function(&self, def_line: u32) -> Option<Hints> {
        let params = |names: &[(&str, &str)]| names.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned())).collect();
        Some(match def_line {
            9 => Hints { params: params(&[("name", "str"), ("rest", "int"), ("more", "float")]), ..Hints::default() },
            14 => Hints { params: params(&[("x", "int"), ("y", "int | None")]), returns: Some("str".into()), ..Hints::default() },
            22 => Hints { returns: Some("AsyncIterator[int]".into()), yields_asynchronously: true, ..Hints::default() },
            _ => return None,
        })
    }

    fn attribute(&self, class: &str, name: &str) -> Option<String> {
        (class == "Cart" && name == "items").then(|| "list[str]".into())
    }

    fn spelled(&self, _: &str, name: &str) -> String {
        name.into()
    }
}

const SOURCE: &str = "\"\"\"Doc.\"\"\"\nimport os\nfrom a import b  # why\n\nRATE = 1\nprint(RATE)\n\nclass Cart(Base, metaclass=M):\n    def __init__(self, name, *rest, **more):\n        self.items = []\n        self.name: str = name\n        self.name, self.other = name, 2\n    @property\n    def total(self, x, y=None): return str(x)\n    kind = 'k'\n    class Inner:\n        'doc'\n\n@deco(1)\ndef plain(a: int) -> int:\n    def inner(): pass\nasync def gen():\n    yield 1\nif os.name == 'nt':\n    print('x')\nelse:\n    def only(): return 1\nfor x in b:\n    pass\nif __name__ == '__main__':\n    plain(1)\n";

#[test]
fn bodies_go_and_types_come() {
    let stub = stub(SOURCE, &Given).unwrap();
    let expected = "import os\nfrom a import b  # why\n\nRATE: int\n\nclass Cart(Base, metaclass=M):\n    items: list[str]\n    name: str\n    other: Any\n    def __init__(self, name: str, *rest: int, **more: float): ...\n    @property\n    def total(self, x: int, y: int | None = None) -> str: ...\n    kind: str\n    class Inner:\n        ...\n\n@deco(1)\ndef plain(a: int) -> int: ...\ndef gen() -> AsyncIterator[int]: ...\ndef only(): ...\n";
    assert_eq!(stub, expected);
}

/// What can follow a docstring, in a class and in a module.
const FOLLOWERS: &[(&str, &str)] = &[
    ("LIMIT = 3", "LIMIT: int"),
    ("def f(self): return 1", "def f(self): ..."),
    ("@deco\ndef f(self):\n    return 1", "@deco\ndef f(self): ..."),
    ("class B:\n    'doc'\n    x = 1", "class B:\n    x: int"),
    ("# only a comment\nLIMIT = 3  # and one more", "LIMIT: int"),
    ("x = 1; y = 'a'", "x: int\ny: str"),
    ("if sys.version_info > (3,):\n    x = 1", "if sys.version_info > (3,):\n    x: int"),
];

#[test]
fn what_follows_a_docstring_stands_where_its_block_does() {
    let indented = |text: &str, by: &str| text.lines().map(|line| format!("{by}{line}\n")).collect::<String>();
    for (source, expected) in FOLLOWERS {
        for gap in ["", "\n", "# why\n"] {
            for (indent, end) in [("    ", "\n"), ("\t", "\n"), ("  ", "\r\n")] {
                let body = format!("\"\"\"Doc.\n\nMore.\"\"\"\n{gap}{source}\n").replace("    ", indent);
                let module = body.replace('\n', end);
                assert_eq!(stub(&module, &Given).unwrap(), format!("{expected}\n"), "{module}");
                let class = format!("class A:\n{}", indented(&body, indent)).replace('\n', end);
                let wanted = format!("class A:\n{}", indented(expected, "    "));
                assert_eq!(stub(&class, &Given).unwrap(), wanted, "{class}");
            }
        }
    }
}

#[test]
fn a_name_stands_with_its_type_and_what_checkers_read_stays_written() {
    for (source, expected) in [
        ("__all__ = ['a']\n__all__ += ['b']", "__all__ = ['a']\n__all__ += ['b']\n"),
        (
            "T = TypeVar('T')\nget = fetch\nN = int | list[str] | None",
            "T = TypeVar('T')\nget = fetch\nN = int | list[str] | None\n",
        ),
        ("TABLE = str.maketrans('a', 'b')", "TABLE: Any\n"),
        ("WORDS = [\n    'a',  # one\n    'b',\n]\nMIXED = {'a': 1, 'b': 's'}", "WORDS: list[str]\nMIXED: dict[str, Any]\n"),
        ("a, b = 1, 'x'\nc = d = -2\ne, *f = g()", "a: int\nb: str\nc: int\nd: int\ne: Any\nf: list[Any]\n"),
        ("DAY = 24 * 60\nHALF = 1 / 2\nPAIR = (1, 'a')", "DAY: int\nHALF: float\nPAIR: tuple[int, str]\n"),
        ("WORD = re.compile(r'\\w+')\nZERO = Decimal('0')\nNONE = None", "WORD: Pattern[str]\nZERO: Decimal\nNONE: Any | None\n"),
        ("LIMIT: Final = 3\nX: int = f()\nJ: TypeAlias = 'list[J]'", "LIMIT: Final = 3\nX: int\nJ: TypeAlias = 'list[J]'\n"),
        ("x = []  # type: list[int]\ny = f()  # type: ignore", "x: list[int]\ny: Any\n"),
        ("app.config['a'] = 1\nx = 1\nx = 2\ndel x", "x: int\n"),
    ] {
        assert_eq!(stub(source, &Given).unwrap(), expected, "{source}");
    }
}

#[test]
fn members_of_enumerations_and_defaults_of_fields_stay() {
    let source = "class Color(enum.Enum):\n    RED = 1\n    BLUE = make()\nclass Hue(Color):\n    X = 'x'\n@dataclass\nclass P:\n    x: int = 3\n    y: list = field(default_factory=list)\n    z: P = other\n";
    let expected = "class Color(enum.Enum):\n    RED = 1\n    BLUE = ...\n\nclass Hue(Color):\n    X = 'x'\n\n@dataclass\nclass P:\n    x: int = 3\n    y: list = field(default_factory=list)\n    z: P = ...\n";
    assert_eq!(stub(source, &Given).unwrap(), expected);
}

#[test]
fn the_first_of_names_that_blocks_make_counts() {
    let source = "try:\n    import json5\nexcept ImportError:\n    json5 = None\nif DEBUG:\n    X = 1\nelse:\n    X = 2\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): return a\nwith open('x') as file:\n    Y = 1\n";
    let expected = "import json5\n\nX: int\n\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\n\nY: int\n";
    assert_eq!(stub(source, &Given).unwrap(), expected);
}

#[test]
fn defaults_are_short_literals_or_left_out() {
    let source = "def f(a, b=1, *, c=Decimal('0'), d: str='x', e=None, g=-1, **h): pass\ndef k(a, /, b, *c): pass\n";
    let expected = "def f(a, b=1, *, c=..., d: str = 'x', e=None, g=-1, **h): ...\ndef k(a, /, b, *c): ...\n";
    assert_eq!(stub(source, &Given).unwrap(), expected);
}

#[test]
fn a_text_that_does_not_parse_has_no_stub() {
    assert_eq!(super::stub("def f(:\n", &Given), None);
}
