use std::path::Path;

use super::*;

const FILES: &[(&str, &str)] = &[
    ("shop/__init__.py", "from .cart import Cart\n"),
    ("shop/money.py", "CENT = 1\n\ndef _round_up(x):\n    return x\n\ndef cents(x):\n    return _round_up(x) * CENT\n"),
    (
        "shop/cart.py",
        "from shop import money\nfrom shop.money import cents as to_cents\n\nclass Cart:\n    rate = 1\n    def __init__(self): self.items = []\n    def total(self):\n        def one(x): return to_cents(x)\n        return one(1)\n    def lonely(self): return 1\n\ndef use():\n    return money.cents(2)\n",
    ),
    ("shop/order.py", "from shop import Cart\n\ndef order():\n    return Cart().total()\n"),
    ("shop/gate.py", "def send(gateway):\n    return gateway.post()\n"),
    ("shop/net.py", "class Gateway:\n    def post(self): return 1\n"),
    (
        "shop/main.py",
        "from shop.order import order\n\ndef main():\n    return order()\n\nif __name__ == '__main__':\n    main()\n",
    ),
];

fn index(root: &Path, files: &[(&str, &str)]) -> Index {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Index::build(root, &[], &|_, _| {})
}

fn id(text: &str) -> FunctionId {
    FunctionId(text.into())
}

fn resting(reach: &Reach, changed: &[&str], modules: &[&str]) -> String {
    let changed: Vec<Subject> = changed.iter().map(|text| Subject::from_text(text)).collect();
    let modules: Vec<RelPath> = modules.iter().map(|text| RelPath::new(text).unwrap()).collect();
    reach
        .resting_on(&changed, &modules)
        .into_iter()
        .map(|id| id.0.trim_start_matches("shop.").to_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn what_uses_a_helper_rests_on_it_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let reach = Reach::new(&index(folder.path(), FILES), []);
    assert_eq!(
        resting(&reach, &["shop.money:_round_up"], &[]),
        "cart:Cart.total cart:Cart.total.<locals>.one cart:use main:main money:_round_up money:cents order:order"
    );
    assert_eq!(resting(&reach, &["shop.cart:Cart.lonely"], &[]), "cart:Cart.lonely");
    assert_eq!(resting(&reach, &["shop.main:main"], &[]), "main:main", "a main guard runs nothing on import");
}

#[test]
fn recorded_edges_know_what_names_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), FILES);
    assert_eq!(resting(&Reach::new(&index, []), &["shop.net:Gateway.post"], &[]), "net:Gateway.post");
    let edge = |callee: &str| (Subject::from_text("shop.gate:send"), Subject::from_text(callee));
    let edges = [edge("shop.net:Gateway.post"), edge("shop.net:gone")];
    let reach = Reach::new(&index, &edges);
    assert_eq!(resting(&reach, &["shop.net:Gateway.post"], &[]), "gate:send net:Gateway.post");
    assert!(resting(&reach, &["shop.net:gone"], &[]).contains("gate:send"));
}

#[test]
fn import_time_code_and_classes_reach_their_readers() {
    let folder = tempfile::tempdir().unwrap();
    let reach = Reach::new(&index(folder.path(), FILES), []);
    let resting = resting(&reach, &[], &["shop/money.py"]);
    for function in ["money:cents", "cart:Cart.total", "order:order"] {
        assert!(resting.contains(function), "{function} in {resting}");
    }
    assert!(!resting.contains("gate:send"), "{resting}");
}

#[test]
fn a_key_changes_with_all_it_covers_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let key = |path: &str, from: &str, to: &str, function: &str| {
        let files: Vec<(&str, String)> = FILES
            .iter()
            .map(|(name, text)| (*name, if *name == path { text.replacen(from, to, 1) } else { (*text).to_owned() }))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        Reach::new(&index(folder.path(), &files), []).code_key(&id(function))
    };
    let order = key("", "", "", "shop.order:order");
    for (path, from, to) in [
        ("shop/money.py", "return x\n", "return x + 1\n"),
        ("shop/money.py", "CENT = 1", "CENT = 2"),
        ("shop/cart.py", "rate = 1", "rate = 2"),
        ("shop/cart.py", "self.items = []", "self.items = [1]"),
    ] {
        assert_ne!(key(path, from, to, "shop.order:order"), order, "{to}");
    }
    for (path, from, to) in [
        ("shop/money.py", "return x\n", "return x  # why\n"),
        ("shop/gate.py", "post()", "put()"),
        ("shop/cart.py", "def lonely(self): return 1", "def lonely(self): return 2"),
    ] {
        assert_eq!(key(path, from, to, "shop.order:order"), order, "{to}");
    }
}

#[test]
fn modules_that_pass_everything_on_in_circles_are_followed_once() {
    let folder = tempfile::tempdir().unwrap();
    let stars: String = (0..12).map(|n| format!("from m{n} import *\n")).collect();
    let files: Vec<(String, String)> =
        (0..12).map(|n| (format!("m{n}.py"), format!("{stars}def f{n}(): return f{}()\n", (n + 1) % 12))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let reach = Reach::new(&index(folder.path(), &files), []);
    assert_eq!(reach.resting_on(&[id("m3:f3").into()], &[]).len(), 12);
}

#[test]
fn a_method_name_that_many_classes_have_reaches_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<(String, String)> =
        (0..12).map(|n| (format!("m{n}.py"), format!("class C{n}:\n    def run(self): return {n}\n"))).collect();
    let imports: String = (0..12).map(|n| format!("import m{n}\n")).collect();
    files.push(("user.py".into(), format!("{imports}\ndef use(x): return x.run()\n")));
    files.push(("lonely.py".into(), "def use(x): return x.run()\n".into()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let reach = Reach::new(&index(folder.path(), &files), []);
    assert_eq!(resting(&reach, &["m7:C7.run"], &[]), "m7:C7.run user:use");
    assert_eq!(reach.reached_from(&id("user:use")).len(), 13);
}

#[test]
fn a_new_override_reaches_those_who_call_the_base() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("base.py", "class Base:\n    def run(self): return self.step()\n    def step(self): return 1\n"),
        ("sub.py", "from base import Base\n\nclass Sub(Base):\n    def step(self): return 2\n"),
    ];
    let reach = Reach::new(&index(folder.path(), &files), []);
    assert!(resting(&reach, &["sub:Sub.step"], &[]).contains("base:Base.run"));
}
