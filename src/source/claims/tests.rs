use super::*;
use crate::base::paths::RelPath;
use crate::source::parse::parse;

const SHOP: &str = "def total(x): ...\n\nclass Cart:\n    def total(self): ...\n    @property\n    def size(self): ...\n    @classmethod\n    def of(cls, x): ...\n";

/// What a text claims of a function of the shop.
fn told_of(qualname: &str, text: &str) -> Vec<String> {
    let module = parse(&RelPath::new("shop.py").unwrap(), SHOP.as_bytes(), "shop", "");
    let function = module.functions.iter().find(|function| function.id.qualname() == qualname).unwrap();
    let list = |args: &Args| {
        let arg = |(name, value): &(Option<String>, Value)| match name {
            Some(name) => format!("{name}={}", value.summary(60)),
            None => value.summary(60),
        };
        args.iter().map(arg).collect::<Vec<_>>().join(", ")
    };
    let say = |claim: Claim| {
        let on = match &claim.on {
            On::Module => String::new(),
            On::Class => "class".to_owned(),
            On::Object(object) => {
                let since = object.since.iter().map(|(name, args)| format!(" {name}({})", list(args)));
                format!("object({}){}", list(&object.args), since.collect::<String>())
            }
        };
        let expected = match claim.expected {
            Expected::Value(value) => value.summary(60),
            Expected::Error(error) => error,
        };
        format!("{}: {on}({}) {expected}", claim.test, list(&claim.args))
    };
    claims(text, function).into_iter().map(say).collect()
}

fn told(text: &str) -> Vec<String> {
    told_of("total", text)
}

#[test]
fn what_was_done_with_an_object_before_is_told_with_it() {
    let text = "def test_a():\n    cart = shop.Cart('Ann')\n    cart.add(2, price=3)\n    assert cart.total() == 6\n    taken = cart.take(1)\n    assert cart.total() == 3\n    with pytest.raises(Empty):\n        cart.total()\n    assert Cart('Bob').total() == 0\n";
    assert_eq!(
        told_of("Cart.total", text),
        [
            "test_a: object('Ann') add(2, price=3)() 6",
            "test_a: object('Ann') add(2, price=3) total() take(1)() 3",
            "test_a: object('Ann') add(2, price=3) total() take(1) total()() Empty",
            "test_a: object('Bob')() 0",
        ]
    );
    let text = "def test_a():\n    cart = Cart([1])\n    assert cart.size == 1\n    assert Cart.of(2) == 3\n    size = cart.size\n    assert size == 2\n    assert cart.of(4) == 5\n";
    assert_eq!(told_of("Cart.size", text), ["test_a: object([1])() 1", "test_a: object([1]) size()() 2"]);
    assert_eq!(told_of("Cart.of", text)[..1], ["test_a: class(2) 3"]);
    assert_eq!(told_of("total", text), [""; 0]);
}

#[test]
fn an_object_that_something_else_may_have_changed_is_told_no_more() {
    for line in [
        "assert cart.total() == 1",
        "cart = Cart(x)\n    assert cart.total() == 1",
        "cart = Cart()\n    fill(cart)\n    assert cart.total() == 1",
        "cart = Cart()\n    other = fill(cart)\n    assert cart.total() == 1",
        "cart = Cart()\n    other = cart\n    assert cart.total() == 1",
        "cart = Cart()\n    cart.rate = 2\n    assert cart.total() == 1",
        "cart = Cart()\n    cart.add(x)\n    assert cart.total() == 1",
        "cart = Cart()\n    assert fill(cart)\n    assert cart.total() == 1",
        "cart = Other()\n    assert cart.total() == 1",
        "Cart = fake()\n    assert Cart().total() == 1",
    ] {
        assert_eq!(told_of("Cart.total", &format!("def test_a():\n    {line}\n")), [""; 0], "{line}");
    }
}

#[test]
fn plain_calls_are_read_however_they_are_written() {
    let text = "import pytest\n\ndef test_a():\n    \"\"\"Doc.\"\"\"\n    assert total([1, -2.5], rate='x') == {'a': (None, True)}\n    assert 3 == shop.total(b'\\x01')\n    assert (await total(1)) is None  # so\n    assert asyncio.run(total(2)) == 4\n\n\nclass TestB:\n    def test_c(self):\n        prices = [1, 2]\n        result = total(prices)\n        assert result == 3\n\n    def test_d(self):\n        with pytest.raises(errors.Bad, match='x') as caught:\n            total(None)\n";
    assert_eq!(
        told(text),
        [
            "test_a: ([1, -2.5], rate='x') {'a': (None, True)}",
            "test_a: (b'\\x01') 3",
            "test_a: (1) None",
            "test_a: (2) 4",
            "TestB::test_c: ([1, 2]) 3",
            "TestB::test_d: (None) Bad",
        ]
    );
}

#[test]
fn each_row_of_a_test_is_a_claim() {
    let text = "@pytest.mark.parametrize('n', [1, 2])\n@pytest.mark.parametrize(('a', 'e'), [([1], 2), pytest.param([], 0, id='none'), ([x], 1)])\ndef test_a(a, e, n):\n    assert total(a, n) == e\n";
    assert_eq!(told(text), ["test_a: ([1], 1) 2", "test_a: ([], 1) 0", "test_a: ([1], 2) 2", "test_a: ([], 2) 0"]);
}

#[test]
fn what_is_not_certain_is_no_claim() {
    for line in [
        "assert total(x) == 1",
        "assert total(*[1]) == 1",
        "assert total(f'{x}') == 1",
        "assert total(1) != 1",
        "assert 0 < total(1) == 1",
        "assert other(1) == 1",
        "assert a().total(1) == 1",
        "assert total(1) == total(2)",
        "x = [1]\n    x.append(2)\n    assert total(x) == 3",
        "x = [1]\n    for i in x:\n        x = i\n    assert total(x) == 3",
        "with pytest.raises((A, B)):\n        total(1)",
        "with open('x'):\n        total(1)",
        "x = [1]\n    x[0] = 2\n    assert total(x) == 3",
        "x = [1]\n    y = grow(x)\n    assert total(x) == 3",
        "x = [1]\n    assert grow(x)\n    assert total(x) == 3",
        "shop.rate = 2\n    assert total(1) == 3",
        "monkeypatch.setattr(shop, 'rate', 2)\n    assert total(1) == 3",
        "total = fake()\n    assert total(1) == 3",
        "cart = make()\n    assert cart.total(1) == 3",
    ] {
        assert_eq!(told(&format!("def test_a():\n    {line}\n")), [""; 0], "{line}");
    }
    for head in [
        "def test_a(shop_with_rate):",
        "@patch('shop.rate', 2)\ndef test_a():",
        "@pytest.mark.usefixtures('rate')\ndef test_a():",
    ] {
        assert_eq!(told(&format!("{head}\n    assert total(1) == 2\n")), [""; 0], "{head}");
    }
    assert_eq!(told("@pytest.mark.slow\ndef test_a(tmp_path):\n    assert total(1) == 2\n"), ["test_a: (1) 2"]);
    let deep = format!("def test_a():\n    assert total({}{}) == 1\n", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(told(&deep), [""; 0]);
    assert_eq!((value("-1_000"), value("x"), value("1; 2")), (Some(Value::Int(-1000)), None, Some(Value::Int(1))));
}
