//! Whole drafts from calls written by hand. That drafts of real recordings pass is proved by `tests/it/drafts.rs`.
//!
//! Over 600 lines because each rule has its calls written out, and all of them are of the one shop at the top.

mod naming;
mod past;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hash::{Digest, of};
use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId, Effect, GeneratorEnd, Outcome};
use crate::domain::function::{FunctionId, Module};
use crate::domain::proposal::Draft;
use crate::domain::reason::wording::reworded;
use crate::domain::reason::{Place, Reason, ReasonCode};
use crate::domain::samples;
use crate::domain::settings::Snapshots;
use crate::domain::touch::Touch;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::build::build;
use crate::generate::learned::Learned;
use crate::generate::plan::Plan;
use crate::generate::project::{AwaitBy, ClockBy, Definitions, Project};
use crate::generate::render::target;
use crate::generate::scope::Scope;
use crate::source::facades::Facades;
use crate::source::parse::parse;

const SHOP: &str = r#"
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Item:
    name: str
    price: Decimal


class Cart:
    def __init__(self, owner: str, limit: int = 10) -> None:
        self.owner = owner
        self.limit = limit
        self.items: list[Item] = []

    def add(self, item: Item) -> None:
        self.items.append(item)

    def rename(self, owner: str) -> "Cart":
        self.owner = owner
        return self

    def total(self, country: str) -> Decimal:
        return sum(item.price for item in self.items)

    @property
    def size(self) -> int:
        return len(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, name: str) -> bool:
        return any(item.name == name for item in self.items)

    @classmethod
    def empty(cls, owner: str) -> "Cart":
        return cls(owner)


class OutOfStock(Exception):
    pass


class _Hidden(OutOfStock):
    pass


class Tank:
    def __init__(self, litres):
        self.level = litres * 1000

    def fill(self, litres):
        self.level += litres * 1000

    def peek(self):
        return self.level


class Drip:
    def __init__(self, drops):
        self.source = iter(drops)

    def __next__(self):
        return next(self.source)


def apply_discount(price: Decimal, code: str | None = None) -> Decimal:
    return price


def find(items, name):
    return None


@overload
def pick(kind: int) -> int: ...


@overload
def pick(kind: str) -> str: ...


def pick(kind):
    return kind


def log(text):
    pass


def lines(count):
    yield "x"


async def stream(count):
    yield 1


async def quote(cart):
    return 1


def mean(numbers):
    return 0.0


def sort(items, reverse=False):
    items.sort()


def sum(numbers):
    return 0


def make(count):
    return []


def delivered(barrels):
    tank = Tank(barrels * 159)
    return [tank]


class Sheet:
    def __init__(self, rows, book):
        self.rows = list(rows)
        self.book = book

    def first(self):
        return self.rows[0]


class Book:
    def __init__(self, *sheets):
        self.sheets = sheets


def read(text):
    book = Book()
    book.text = text
    book.sheets = [Sheet(line.split(), book) for line in text.splitlines()]
    return book


def joined(first, *others, last=None):
    yield first
"#;

fn shop() -> Module {
    parse(&RelPath::new("shop/cart.py").unwrap(), SHOP.as_bytes(), "shop.cart", "")
}

fn decimal(text: &str) -> Value {
    Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![string(text)], kwargs: vec![] }
}

fn string(text: &str) -> Value {
    Value::Str(text.into())
}

fn fields(fields: &[(&str, Value)]) -> Vec<(String, Value)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn object(ordinal: u64, class: &str, kind: ObjectKind, held: &[(&str, Value)]) -> Value {
    Value::Object { ordinal, ty: TypeName::new("shop.cart", class), kind, fields: fields(held) }
}

fn item(ordinal: u64, name: &str, price: &str) -> Value {
    object(ordinal, "Item", ObjectKind::Dataclass, &[("name", string(name)), ("price", decimal(price))])
}

fn cart(ordinal: u64, owner: &str, items: Vec<Value>) -> Value {
    object(
        ordinal,
        "Cart",
        ObjectKind::Plain,
        &[("owner", string(owner)), ("limit", Value::Int(10)), ("items", Value::List(items))],
    )
}

fn exception(class: &str, module: &str, args: Vec<Value>) -> Outcome {
    let ty = TypeName::new(module, class);
    let mro = vec![format!("{module}:{class}"), "shop.cart:OutOfStock".into(), "builtins:Exception".into()];
    Outcome::Raised { exception: Value::Exception { ordinal: 90, ty, args, fields: vec![] }, mro }
}

/// Makes calls of one function, one after the other.
#[derive(Clone)]
struct Calls {
    function: &'static str,
    calls: Vec<Call>,
    /// What calls were seen to take and to notice.
    reached: BTreeMap<CallId, BTreeSet<u32>>,
    awaits: AwaitBy,
    snapshots: Snapshots,
    learned: Learned,
    /// What results say of themselves.
    says: BTreeMap<CallId, Vec<(String, Value)>>,
    /// The inputs of accepted tests.
    accepted: BTreeSet<Digest>,
}

impl Calls {
    fn of(function: &'static str) -> Self {
        Self {
            function,
            calls: Vec::new(),
            reached: BTreeMap::new(),
            learned: Learned::default(),
            awaits: AwaitBy::default(),
            snapshots: Snapshots::default(),
            says: BTreeMap::new(),
            accepted: BTreeSet::new(),
        }
    }

    fn call(mut self, args: &[(&str, Value)], outcome: Outcome) -> Self {
        let number = self.calls.len() as i64 + 1;
        let receiver = args.first().and_then(|(name, value)| match (*name, value) {
            ("self", Value::Object { ordinal, .. } | Value::Opaque { ordinal, .. }) => Some(*ordinal),
            _ => None,
        });
        self.calls.push(Call {
            id: CallId(number),
            caller: Some(FunctionId::new("shop.cart", "Cart.total")),
            caller_line: Some(41),
            receiver,
            start_ns: number * 1000,
            effect: Effect { outcome, changed: vec![] },
            ..samples::call(FunctionId::new("shop.cart", self.function), args, Value::None)
        });
        self
    }

    fn returns(self, args: &[(&str, Value)], value: Value) -> Self {
        self.call(args, Outcome::Returned(value))
    }

    fn last(mut self, change: impl FnOnce(&mut Call)) -> Self {
        change(self.calls.last_mut().unwrap());
        self
    }

    fn awaits(mut self, by: AwaitBy) -> Self {
        self.awaits = by;
        self
    }

    fn reaches(mut self, numbers: &[u32]) -> Self {
        let id = self.calls.last().unwrap().id;
        self.reached.insert(id, numbers.iter().copied().collect());
        self
    }

    fn changes(self, name: &str, after: Value) -> Self {
        self.last(|call| call.effect.changed.push((name.to_owned(), after)))
    }
}

fn with_plan<T>(calls: &Calls, life: &[Calls], read: impl FnOnce(&Plan, Option<Draft>) -> T) -> T {
    let module = shop();
    let find = |name: &str| (name == "shop.cart").then_some(&module);
    let history = |of: &Call, ordinal: u64| -> Vec<&Call> {
        let is_it = |value: &Value| matches!(value, Value::Object { ordinal: held, .. } if *held == ordinal);
        let told = |call: &Call| call.effect.changed.iter().any(|(_, after)| is_it(after));
        let mut found: Vec<&Call> = life
            .iter()
            .flat_map(|calls| &calls.calls)
            .filter(|call| (call.receiver == Some(ordinal) || told(call)) && call.start_ns <= of.start_ns)
            .collect();
        found.sort_by_key(|call| call.start_ns);
        found
    };
    let afterwards = |of: &Call, ordinal: u64| -> Vec<&Call> {
        let later = |call: &&Call| call.receiver == Some(ordinal) && call.start_ns > of.start_ns;
        life.iter().flat_map(|calls| &calls.calls).filter(later).collect()
    };
    let inner = |of: &Call| -> Vec<&Call> {
        let prefix = format!("{}.<locals>.", of.function.qualname());
        let defined = |call: &&Call| call.function.qualname().starts_with(&prefix) && call.start_ns > of.start_ns;
        life.iter().flat_map(|calls| &calls.calls).filter(defined).collect()
    };
    let mut learned = calls.learned.clone();
    life.iter().chain([calls]).flat_map(|calls| &calls.calls).for_each(|call| learned.see(call));
    let importable = |_: &str| true;
    let reached = |id: CallId| calls.reached.get(&id);
    let says = |id: CallId| calls.says.get(&id).map_or(&[][..], Vec::as_slice);
    let births = |_: &TypeName| -> Vec<&Call> {
        life.iter().filter(|calls| calls.function.ends_with(".__init__")).flat_map(|calls| &calls.calls).collect()
    };
    let makers = |of: &Call, ordinal: u64| -> Vec<&Call> {
        let holds = |call: &&Call| match &call.effect.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => {
                let mut found = false;
                value.walk(&mut |part| {
                    found |= matches!(part, Value::Object { ordinal: held, .. } | Value::Opaque { ordinal: held, .. }
                        | Value::Exception { ordinal: held, .. } if *held == ordinal);
                    !found
                });
                found && call.start_ns < of.start_ns
            }
            _ => false,
        };
        life.iter().flat_map(|calls| &calls.calls).filter(holds).collect()
    };
    let makers_of = |_: &TypeName| -> Vec<&Call> {
        let makes = |call: &&Call| !call.function.qualname().ends_with(".__init__");
        life.iter().flat_map(|calls| &calls.calls).filter(makes).collect()
    };
    let definitions = Definitions::default();
    let project = Project {
        definitions: &definitions,
        module: &find,
        history: &history,
        afterwards: &afterwards,
        inner: &inner,
        births: &births,
        makers: &makers,
        makers_of: &makers_of,
        reached: &reached,
        says: &says,
        stand_ins: &|_| &[],
        text: &|_, _| None,
        scenes: &|_| &[],
        mappings: &[],
        importable: &importable,
        learned: &learned,
        root: "/srv/ada/shop",
        facades: &Facades::default(),
        clock: ClockBy::default(),
        awaits: calls.awaits,
        snapshots: calls.snapshots,
    };
    let function = module.functions.iter().find(|function| function.id.qualname() == calls.function).unwrap();
    let listed: Vec<&Call> = calls.calls.iter().collect();
    let plan = Plan::new(function, &listed, project);
    let draft = plan.draft(function, project, &target("tests/pytead", "shop.cart").unwrap(), 6, &calls.accepted);
    read(&plan, draft)
}

fn text(calls: &Calls) -> String {
    with_plan(calls, &[], |plan, draft| match draft {
        Some(draft) => draft.standalone(),
        None => format!("{:?}", plan.left_out()),
    })
}

fn reasons(calls: &Calls) -> Vec<Reason> {
    with_plan(calls, &[], |plan, draft| {
        assert_eq!(draft, None);
        plan.left_out().into_iter().map(|left| left.reason).collect()
    })
}

/// R25, R14, R23, R24: rows of one shape are one test, named by what tells them apart, raising ones apart, digits of decimals matter.
#[test]
fn a_function_of_decimals() {
    let price = |text: &str| ("price", decimal(text));
    let calls = Calls::of("apply_discount")
        .returns(&[price("100.00"), ("code", string("TEN"))], decimal("90.00"))
        .last(|call| call.times = 4)
        .returns(&[price("100.00"), ("code", Value::None)], decimal("100.00"))
        .returns(&[price("19.99"), ("code", string("HALF"))], decimal("10.00"))
        .call(&[price("-1"), ("code", Value::None)], exception("ValueError", "builtins", vec![string("negative price (-1)")]));
    insta::assert_snapshot!(text(&calls));
    let draft = with_plan(&calls, &[], |_, draft| draft.unwrap());
    assert_eq!(draft.tests, ["test_apply_discount", "test_apply_discount_raises_value_error"]);
    assert_eq!(draft.calls.len(), 4);
    assert_eq!(draft.target.as_str(), "tests/pytead/test_pytead_shop__cart.py");
    assert_eq!(draft.import_roots, [""]);
}

/// R3, R10, R12: a receiver is made by its constructor, and what a method changed is asserted.
#[test]
fn methods_that_change_their_object() {
    let lamp = item(7, "lamp", "100.00");
    let add = Calls::of("Cart.add")
        .returns(&[("self", cart(3, "Ada", vec![])), ("item", lamp.clone())], Value::None)
        .changes("self", cart(3, "Ada", vec![lamp.clone()]));
    let rename = Calls::of("Cart.rename")
        .returns(&[("self", cart(3, "Ada", vec![])), ("owner", string("Bob"))], cart(3, "Bob", vec![]))
        .changes("self", Value::Ref(3));
    let len = Calls::of("Cart.__len__").returns(&[("self", cart(3, "Ada", vec![]))], Value::Int(0));
    let contains =
        Calls::of("Cart.__contains__").returns(&[("self", cart(3, "Ada", vec![])), ("name", string("mug"))], Value::Bool(false));
    let size = Calls::of("Cart.size").returns(&[("self", cart(3, "Ada", vec![]))], Value::Int(0));
    let init = Calls::of("Cart.__init__")
        .returns(
            &[("self", object(3, "Cart", ObjectKind::Plain, &[])), ("owner", string("Ada")), ("limit", Value::Int(3))],
            Value::None,
        )
        .changes("self", cart(3, "Ada", vec![]));
    let empty = Calls::of("Cart.empty")
        .returns(&[("cls", Value::Name(TypeName::new("shop.cart", "Cart"))), ("owner", string("Ada"))], cart(4, "Ada", vec![]));
    let all: Vec<String> = [add, rename, len, contains, size, init, empty].iter().map(text).collect();
    insta::assert_snapshot!(all.join("\n# ---\n"));
}

/// R11: an object whose state is no argument of its constructor is made by its recorded life.
#[test]
fn an_object_is_made_by_its_life() {
    let tank = |level| object(5, "Tank", ObjectKind::Plain, &[("level", Value::Int(level))]);
    let new = ("self", object(5, "Tank", ObjectKind::Plain, &[]));
    let birth = Calls::of("Tank.__init__").returns(&[new, ("litres", Value::Int(2))], Value::None).changes("self", tank(2000));
    let mut fill = Calls::of("Tank.fill")
        .returns(&[("self", tank(2000)), ("litres", Value::Int(1))], Value::None)
        .changes("self", tank(3000));
    let mut peek = Calls::of("Tank.peek").returns(&[("self", tank(3000))], Value::Int(3000));
    fill.calls[0].start_ns = 2_000;
    fill.calls[0].id = CallId(2);
    peek.calls[0].start_ns = 3_000;
    peek.calls[0].id = CallId(3);
    let life = [birth, fill, Calls { calls: peek.calls.clone(), ..Calls::of("Tank.peek") }];
    let source = with_plan(&peek, &life, |plan, draft| (plan.check_items().remove(0).source, draft.unwrap().text));
    assert_eq!(source.0, "((tank := Tank(2)), tank.fill(1), (tank,))[-1]");
    insta::assert_snapshot!(source.1);
    let reason = ReasonCode::ArgumentNotStored.of("Tank").with("litres");
    assert_eq!(reasons(&peek), [reason.at(Place::Receiver("Tank".into()))]);
}

/// R10: what a call did to an object that cannot be read is asserted by what the same caller asks it next.
#[test]
fn a_call_that_shows_nothing_is_asserted_by_what_is_asked_next() {
    let held = Value::Opaque { ordinal: 6, ty: TypeName::new("_thread", "lock") };
    let tank = || ("self", object(5, "Tank", ObjectKind::Plain, &[("level", held.clone())]));
    let birth = Calls::of("Tank.__init__")
        .returns(&[("self", object(5, "Tank", ObjectKind::Plain, &[])), ("litres", Value::Int(2))], Value::None);
    let fill = Calls::of("Tank.fill").returns(&[tank(), ("litres", Value::Int(1))], Value::None).last(|call| {
        call.start_ns = 2_000;
        call.id = CallId(2);
    });
    let peek = |caller: &'static str| {
        Calls::of("Tank.peek").returns(&[tank()], Value::Int(3000)).last(|call| {
            call.start_ns = 3_000;
            call.id = CallId(3);
            call.caller = Some(FunctionId::new("shop.cart", caller));
        })
    };
    let drafted = |peek: Calls| with_plan(&fill, &[birth.clone(), peek], |_, draft| draft.map(|draft| draft.text));
    let text = drafted(peek("Cart.total")).unwrap();
    assert!(text.contains("    tank = Tank(2)\n    tank.fill(1)\n    assert tank.peek() == 3000\n"), "{text}");
    assert_eq!(drafted(peek("log")), None, "somebody else may have done more with it before");
}

/// R11: equal inputs are kept once, so an object may have to be made like one that came out the same.
#[test]
fn an_object_is_made_like_one_of_the_same_state() {
    let tank = |ordinal, level| object(ordinal, "Tank", ObjectKind::Plain, &[("level", Value::Int(level))]);
    let new = ("self", object(5, "Tank", ObjectKind::Plain, &[]));
    let birth = Calls::of("Tank.__init__").returns(&[new, ("litres", Value::Int(2))], Value::None).changes("self", tank(5, 2000));
    let peek = Calls::of("Tank.peek").returns(&[("self", tank(6, 2000))], Value::Int(2000));
    let source = with_plan(&peek, &[birth], |plan, _| plan.check_items().remove(0).source);
    assert_eq!(source, "((tank := Tank(2)), (tank,))[-1]");
}

/// R11: what a function gave is made by that function, and by the way to it in the result.
#[test]
fn an_object_is_made_by_what_gave_it() {
    let tank = |ordinal| object(ordinal, "Tank", ObjectKind::Plain, &[("level", Value::Int(318_000))]);
    let given = Calls::of("delivered").returns(&[("barrels", Value::Int(2))], Value::List(vec![tank(5)]));
    let mut peek = Calls::of("Tank.peek").returns(&[("self", tank(5))], Value::Int(318_000));
    peek.calls[0].start_ns = 2_000;
    peek.calls[0].id = CallId(2);
    let source = with_plan(&peek, &[given], |plan, _| plan.check_items().remove(0).source);
    assert_eq!(source, "((tank := delivered(2)[0]), (tank,))[-1]");
}

/// R11: what hangs on an object that a function would give is made by asking it for one, as recorded calls did.
#[test]
fn a_part_of_an_object_is_made_with_the_whole() {
    let book = |first: u64, text: &str| {
        let words = text.lines().map(|line| Value::List(line.split(' ').map(string).collect()));
        let sheets = (1..)
            .zip(words)
            .map(|(at, rows)| object(first + at, "Sheet", ObjectKind::Plain, &[("rows", rows), ("book", Value::Ref(first))]));
        let sheets = Value::List(sheets.collect());
        object(first, "Book", ObjectKind::Plain, &[("text", string(text)), ("sheets", sheets)])
    };
    let known = Calls::of("read").returns(&[("text", string("a b\nc"))], book(5, "a b\nc"));
    let sheet = object(
        21,
        "Sheet",
        ObjectKind::Plain,
        &[
            ("rows", Value::List(vec![string("y")])),
            (
                "book",
                object(
                    20,
                    "Book",
                    ObjectKind::Plain,
                    &[("text", string("x\ny")), ("sheets", Value::List(vec![Value::None, Value::Ref(21)]))],
                ),
            ),
        ],
    );
    let first = Calls::of("Sheet.first").returns(&[("self", sheet)], string("y"));
    let sources =
        with_plan(&first, &[known], |plan, _| plan.check_items().into_iter().map(|item| item.source).collect::<Vec<_>>());
    let wanted = "((book := read(\"x\\ny\")), (sheet := book.sheets[1]), (sheet,))[-1]";
    assert!(sources.iter().any(|source| source == wanted), "{sources:?}");
}

/// R11: what an object became is set field by field when no recorded calls explain it.
#[test]
fn the_last_resort_sets_fields() {
    let tank = |ordinal, level| object(ordinal, "Tank", ObjectKind::Plain, &[("level", Value::Int(level))]);
    let new = ("self", object(5, "Tank", ObjectKind::Plain, &[]));
    let birth = Calls::of("Tank.__init__").returns(&[new, ("litres", Value::Int(2))], Value::None).changes("self", tank(5, 2000));
    let peek = Calls::of("Tank.peek").returns(&[("self", tank(6, 2750))], Value::Int(2750));
    let source = with_plan(&peek, &[birth], |plan, _| plan.check_items().remove(0).source);
    assert_eq!(source, "((tank := Tank(2)), setattr(tank, \"level\", 2750), (tank,))[-1]");
}

/// R7, R9, R14: generators, coroutines, hidden exceptions, and calls with nothing to assert.
#[test]
fn lazy_results_and_empty_ones() {
    let items = vec![string("a"), string("b")];
    let count = ("count", Value::Int(2));
    let whole = Outcome::Yielded { items: items.clone(), end: GeneratorEnd::Returned(Value::None) };
    let open = Outcome::Yielded { items: items.clone(), end: GeneratorEnd::Open };
    let key =
        Value::Exception { ordinal: 1, ty: TypeName::new("builtins", "KeyError"), args: vec![string("lamp")], fields: vec![] };
    let broken = Outcome::Yielded { items, end: GeneratorEnd::Raised(key) };
    let lines = Calls::of("lines")
        .call(&[count], whole)
        .call(&[("count", Value::Int(9))], open)
        .call(&[("count", Value::Int(5))], broken);
    let quote = Calls::of("quote").returns(&[("cart", cart(3, "Ada", vec![]))], Value::Int(1));
    let hidden = Calls::of("apply_discount").call(
        &[("price", decimal("1")), ("code", Value::None)],
        exception("_Hidden", "shop.cart", vec![string("item at 0x7f00 is gone")]),
    );
    let all: Vec<String> = [lines, quote, hidden].iter().map(text).collect();
    insta::assert_snapshot!(all.join("\n# ---\n"));
    let log = Calls::of("log").returns(&[("text", string("x"))], Value::None);
    assert_eq!(reasons(&log), [ReasonCode::NoEffect.into()]);
}

/// R7: coroutines are awaited as the project's own tests do it: under a mark, without one, or by `asyncio.run`.
#[test]
fn coroutines_are_awaited_in_the_projects_style() {
    let written = |by: AwaitBy| {
        let number = |n: i64| ("cart", Value::Int(n));
        let one = Calls::of("quote").returns(&[number(1)], Value::Int(2));
        let whole = Value::List(vec![Value::Int(1), item(1, "lamp", "5")]);
        let long = Calls::of("quote").returns(&[("cart", cart(3, "Ada", vec![item(1, "lamp", "5")]))], whole);
        let rows = Calls::of("quote")
            .returns(&[number(1)], Value::Int(2))
            .returns(&[number(2)], Value::Int(3))
            .returns(&[number(3)], Value::Int(4))
            .call(&[number(-1)], exception("ValueError", "builtins", vec![string("below zero")]));
        let end = GeneratorEnd::Returned(Value::None);
        let stream = Calls::of("stream").call(&[("count", Value::Int(1))], Outcome::Yielded { items: vec![Value::Int(1)], end });
        let all: Vec<String> = [one, long, rows, stream].into_iter().map(|calls| text(&calls.awaits(by))).collect();
        all.join("\n# ---\n")
    };
    insta::assert_snapshot!("awaited_by_asyncio_run", written(AwaitBy::Run));
    let marked = written(AwaitBy::Asyncio);
    insta::assert_snapshot!("awaited_under_a_mark", marked);
    assert_eq!(written(AwaitBy::Anyio), marked.replace("mark.asyncio", "mark.anyio"));
    let unmarked = written(AwaitBy::AsyncioAuto);
    assert!(!unmarked.contains("mark.asyncio"), "{unmarked}");
    for draft in unmarked.split("# ---") {
        assert!(draft.contains("async def test_") && !draft.contains("asyncio.run"), "{draft}");
        assert!(draft.contains("pytest.") || !draft.contains("import pytest"), "{draft}");
        assert!(!draft.contains("import asyncio"), "{draft}");
    }
}

/// R2, R10: one object met twice is one object; changed containers have names; floats have a tolerance.
#[test]
fn aliases_mutations_and_floats() {
    let rows = Value::Shared(8, Box::new(Value::List(vec![Value::Int(1)])));
    let find = Calls::of("find")
        .returns(&[("items", Value::List(vec![rows, Value::Ref(8)])), ("name", string("x"))], Value::Bool(true))
        .returns(
            &[("items", Value::List(vec![item(1, "lamp", "5"), Value::Ref(1)])), ("name", string("x"))],
            item(1, "lamp", "5"),
        )
        .returns(&[("items", Value::List(vec![])), ("name", string("x"))], Value::None);
    let sort = Calls::of("sort")
        .returns(&[("items", Value::List(vec![Value::Int(2), Value::Int(1)])), ("reverse", Value::Bool(false))], Value::None)
        .changes("items", Value::List(vec![Value::Int(1), Value::Int(2)]));
    let numbers = |items: &[f64]| ("numbers", Value::List(items.iter().map(|n| Value::Float(*n)).collect()));
    let mean = Calls::of("mean")
        .returns(&[numbers(&[1.0, 2.0])], Value::Float(1.5))
        .returns(&[numbers(&[0.1, 0.2])], Value::Float(0.150_000_000_000_000_02))
        .returns(&[numbers(&[f64::NAN])], Value::Float(f64::NAN));
    let sum = Calls::of("sum").returns(&[numbers(&[1.0])], Value::Int(1));
    let plain = vec![cart(11, "Ada", vec![]), cart(12, "Bob", vec![])];
    let make = Calls::of("make").returns(&[("count", Value::Int(2))], Value::List(plain));
    let all: Vec<String> = [find, sort, mean, sum, make].iter().map(text).collect();
    insta::assert_snapshot!(all.join("\n# ---\n"));
    let cycle = Value::Shared(8, Box::new(Value::List(vec![Value::Ref(8)])));
    let cycles = Calls::of("sum").returns(&[("numbers", cycle.clone())], Value::Int(1));
    assert_eq!(reasons(&cycles), [Reason::from(ReasonCode::CyclicValue).at(Place::Argument("numbers".into()))]);
    // Nor is a linked list made of lists followed without end: what is asserted of it ends.
    let arg = ("numbers", Value::List(vec![]));
    let linked = Value::Shared(8, Box::new(Value::List(vec![Value::Ref(8), Value::Ref(8), Value::None])));
    for cycle in [cycle, linked] {
        let reason = Reason::from(ReasonCode::CyclicValue).at(Place::Result);
        assert_eq!(reasons(&Calls::of("sum").returns(std::slice::from_ref(&arg), cycle)), [reason]);
    }
}

/// R5, R16, R18, R26: what no test is made of says why.
#[test]
fn what_is_left_out_says_why() {
    let arg = |value: Value| Calls::of("find").returns(&[("items", value), ("name", string("x"))], Value::Int(1));
    let touch = |kind: &str, detail: &str| {
        let touch = Touch::from_stored(kind, detail.to_owned());
        arg(Value::Int(1)).last(|call| call.touches.push(touch))
    };
    let items = |reason: Reason| reason.at(Place::Argument("items".into()));
    let machine_path = || items(ReasonCode::MachinePath.into());
    for (calls, reason) in [
        (arg(Value::Secret { kind: "password".into(), ordinal: 1, look: None }), items(ReasonCode::Redacted.of("password"))),
        (
            arg(Value::Opaque { ordinal: 1, ty: TypeName::new("_socket", "socket") }),
            items(ReasonCode::UnreadableArgument.of("socket")),
        ),
        (arg(string("/home/ada/shop")), machine_path()),
        (arg(string("in /srv/ada/shop/data: 3")), machine_path()),
        (arg(object(1, "make.<locals>.Row", ObjectKind::Plain, &[])), items(ReasonCode::UnknownConstructor.of("Row"))),
        (arg(object(1, "Tank", ObjectKind::Plain, &[])), items(ReasonCode::ArgumentNotStored.of("Tank").with("litres"))),
        (arg(Value::Name(TypeName::new("__main__", "go"))), items(ReasonCode::UnimportableScript.of("go"))),
        (touch("net", "api.pay.test:443"), ReasonCode::Network.with("api.pay.test:443")),
        (touch("file", "write /tmp/x"), ReasonCode::WritesFiles.with("write /tmp/x")),
        (touch("clock", "time.time"), ReasonCode::DependsOnClock.with("time.time")),
        (arg(Value::Int(1)).last(|call| call.effect.outcome = Outcome::Unfinished), ReasonCode::Unfinished.into()),
    ] {
        assert_eq!(reasons(&calls), [reason]);
    }
    let unstable = arg(Value::Int(1)).returns(&[("items", Value::Int(1)), ("name", string("x"))], Value::Int(2));
    assert_eq!(with_plan(&unstable, &[], |_, draft| draft), None);
}

/// What is drafted, and what is chosen, follows codes: with every message worded anew it is the same.
#[test]
fn no_draft_depends_on_the_wording_of_a_reason() {
    reworded(|| {
        what_is_left_out_says_why();
        nothing_is_drafted_whose_arguments_come_out_different();
        the_choice_covers_kinds_and_is_stable();
        a_long_case_that_only_the_project_made_is_left_out();
        values_too_long_to_read_are_left_out_with_their_length();
    });
}

/// R1: cases whose arguments come out different are dropped, and those that were not checked too.
#[test]
fn nothing_is_drafted_whose_arguments_come_out_different() {
    let calls = Calls::of("find").returns(&[("items", Value::Int(1)), ("name", string("x"))], Value::Int(1));
    let settled = |answer: Option<Result<Value, String>>| {
        with_plan(&calls, &[], |plan, _| {
            let mut plan = plan.clone();
            let items = plan.check_items();
            assert_eq!((items.len(), items[0].source.as_str()), (1, "(1, \"x\")"));
            plan.settle(&answer.into_iter().map(|answer| (items[0].key, answer)).collect(), Value::clone);
            plan.left_out().into_iter().map(|left| left.reason).collect::<Vec<_>>()
        })
    };
    let tuple = |first: Value| Some(Ok(Value::Tuple(vec![first, string("x")])));
    assert!(settled(tuple(Value::Int(1))).is_empty());
    assert_eq!(settled(tuple(Value::Bool(true))), [ReasonCode::ArgumentMismatch.with("[0]")]);
    assert_eq!(settled(Some(Err("NameError".into()))), [ReasonCode::ArgumentRaises.with("NameError")]);
    let missing = "ModuleNotFoundError: No module named 'x'";
    assert_eq!(settled(Some(Err(missing.into()))), [ReasonCode::ImportFails.with(missing)]);
    let unparsed = settled(Some(Err("SyntaxError: '(' was never closed".into())));
    assert_eq!(unparsed, [ReasonCode::SyntaxError.with("SyntaxError: '(' was never closed")]);
    assert_eq!(settled(None), [ReasonCode::NotEvaluated.into()]);
}

/// R20, R21, R28: kinds of outcomes come first, and the order of calls does not matter.
#[test]
fn the_choice_covers_kinds_and_is_stable() {
    let mut calls = Calls::of("find");
    for n in 1..20 {
        calls = calls.returns(&[("items", Value::Int(n)), ("name", string("x"))], Value::Int(n));
    }
    calls = calls.returns(&[("items", Value::Int(50)), ("name", string("x"))], Value::None);
    calls = calls.returns(&[("items", Value::Int(60)), ("name", string("x"))], Value::Int(0));
    let draft = with_plan(&calls, &[], |_, draft| draft.unwrap());
    assert_eq!(draft.calls.len(), 6);
    assert!(draft.calls.contains(&CallId(20)) && draft.calls.contains(&CallId(21)), "{:?}", draft.calls);
    assert_eq!(draft.left_out.iter().map(|left| left.calls).sum::<u64>(), 15);
    calls.calls.reverse();
    assert_eq!(with_plan(&calls, &[], |_, draft| draft.unwrap()), draft);
}

/// R20, R2: calls with the same input are one case that says how many they were; `1`, `True` and `1.0` are three.
#[test]
fn equal_calls_are_one_case() {
    let mut calls = Calls::of("find");
    for item in [Value::Int(1), Value::Int(1), Value::Bool(true), Value::Int(1), Value::Float(1.0)] {
        calls = calls.returns(&[("items", item), ("name", string("x"))], Value::Int(7));
    }
    let draft = with_plan(&calls, &[], |_, draft| draft.unwrap());
    assert_eq!(draft.text.matches("pytest.param(").count(), 3, "{}", draft.text);
    assert!(draft.text.contains("(5 calls)"), "{}", draft.text);
}

/// R21: what takes another way or notices another fault is shown, and nothing that others show already.
#[test]
fn what_a_case_alone_shows_makes_it_worth_showing() {
    let mut calls = Calls::of("find");
    for n in 1..=9 {
        let reached: &[u32] = if n > 4 { &[1, 2] } else { &[1, 2, 10, 11, 12][..n + 1] };
        let number = i64::try_from(n).unwrap();
        calls = calls.returns(&[("items", Value::Int(number)), ("name", string("x"))], Value::Int(number)).reaches(reached);
    }
    let shown = |calls: &Calls| with_plan(calls, &[], |_, draft| draft.unwrap().calls);
    assert_eq!(shown(&calls), [CallId(1), CallId(2), CallId(4)], "4 shows most, then there are three at least");
    let calls = calls.reaches(&[77]);
    assert!(shown(&calls).contains(&CallId(9)));
}

/// R21: of calls that run the same, the one whose arguments show most is the example.
#[test]
fn what_shows_more_signs_and_values_is_the_better_example() {
    let mut calls = Calls::of("find");
    for text in ["50", "1", "2 + 1 * 5 - 2 / 1", "7", &"1 + ".repeat(50)] {
        calls = calls.returns(&[("items", string(text)), ("name", string("x"))], Value::Int(1)).reaches(&[1, 2]);
    }
    let shown = with_plan(&calls, &[], |_, draft| draft.unwrap().calls);
    assert!(shown.contains(&CallId(3)) && !shown.contains(&CallId(5)), "{shown:?}: what is long is no example");
}

/// R21: where there is no room for what only one case shows, a case goes that shows nothing of its own.
#[test]
fn a_case_that_shows_nothing_of_its_own_makes_room() {
    let marks: [&[u32]; 6] = [&[1, 2, 3, 4, 5, 6], &[1, 2, 11, 12], &[3, 4, 13, 14], &[5, 6, 15, 16], &[17], &[18]];
    let mut calls = Calls::of("find");
    for (n, marks) in (1..).zip(marks) {
        calls = calls.returns(&[("items", Value::Int(n)), ("name", string("x"))], Value::Int(n)).reaches(marks);
    }
    let cases = with_plan(&calls, &[], |plan, _| plan.clone().cases());
    let first = BTreeSet::from([cases[0].input]);
    let shown = |accepted: &BTreeSet<_>| -> Vec<CallId> {
        crate::generate::choose::choose(cases.clone(), 1, accepted).0.iter().map(|case| case.call).collect()
    };
    assert_eq!(shown(&BTreeSet::new()), [CallId(2), CallId(3), CallId(4), CallId(5), CallId(6)]);
    assert!(shown(&first).contains(&CallId(1)), "what is accepted stays");
}

/// R21: a discount of nothing is nothing, whatever the rate.
#[test]
fn of_two_that_show_the_same_the_one_that_gives_something_is_shown() {
    let mut calls = Calls::of("find");
    for (n, returned) in [(1, 0), (2, 7), (3, 0), (40, 8), (5, 0), (6, 0)] {
        calls = calls.returns(&[("items", Value::Int(n)), ("name", string("x"))], Value::Int(returned)).reaches(&[1, 2]);
    }
    let shown = with_plan(&calls, &[], |_, draft| draft.unwrap().calls);
    assert_eq!(shown, [CallId(1), CallId(2), CallId(4)], "what gives nothing is another kind, of which one is shown");
}

/// R21: what nobody would read is not shown when a person's own code does not call it like that.
#[test]
fn a_long_case_that_only_the_project_made_is_left_out() {
    let long = ("items", Value::List((0..300).map(Value::Int).collect()));
    let find = || {
        Calls::of("find")
            .returns(&[("items", Value::Int(1)), ("name", string("x"))], Value::Int(1))
            .returns(&[long.clone(), ("name", string("x"))], Value::Int(2))
    };
    assert_eq!(with_plan(&find(), &[], |_, draft| draft.unwrap().calls.len()), 2);
    let by_a_script = find().last(|call| (call.direct, call.caller) = (false, Some(FunctionId("main:run".into()))));
    assert_eq!(with_plan(&by_a_script, &[], |_, draft| draft.unwrap().calls.len()), 2, "a script is a person's code");
    let inner = find().last(|call| call.direct = false);
    let draft = with_plan(&inner, &[], |_, draft| draft.unwrap());
    assert_eq!(draft.calls, [CallId(1)]);
    assert_eq!(draft.left_out[0].reason, ReasonCode::InternalAndLong.into());
}

/// R13, R25: a table has at most 25 rows; what is chosen beyond them is in another.
#[test]
fn a_table_that_is_too_long_to_read_is_two() {
    let mut calls = Calls::of("find");
    for n in 1..=40 {
        calls = calls
            .returns(&[("items", Value::Int(n)), ("name", string("x"))], Value::Int(n))
            .reaches(&[u32::try_from(n).unwrap()]);
    }
    let draft = with_plan(&calls, &[], |_, draft| draft.unwrap());
    assert_eq!((draft.calls.len(), draft.tests.len()), (30, 2));
    assert_eq!(draft.text.matches("pytest.param(").count(), 30);
}

/// R25: a row that does not fit on a line is broken, and the others stay as they are.
#[test]
fn a_long_row_of_a_table_is_broken() {
    let mut calls = Calls::of("find");
    for text in ["short", &"a longer text ".repeat(4), "also short"] {
        calls = calls.returns(&[("items", Value::Int(1)), ("name", string(text))], string(&format!("{text} found")));
    }
    let draft = with_plan(&calls, &[], |_, draft| draft.unwrap());
    assert_eq!(draft.tests.len(), 1, "{}", draft.text);
    assert!(draft.text.contains("        pytest.param(\"short\", \"short found\", id=\"short\"),\n"), "{}", draft.text);
    assert!(draft.text.contains("        pytest.param(\n            \"a longer text"), "{}", draft.text);
}

/// R27: what stands in accepted tests stays, however much is recorded beside it.
#[test]
fn cases_of_accepted_tests_stay() {
    let mut calls = Calls::of("find");
    for n in 1..=60 {
        calls = calls.returns(&[("items", Value::Int(n)), ("name", string("x"))], Value::Int(n));
    }
    let cases = with_plan(&calls, &[], |plan, _| plan.clone().cases());
    let accepted: BTreeSet<_> = [&cases[57], &cases[3]].map(|case| case.input).into();
    let chosen = |accepted: &BTreeSet<_>| -> BTreeSet<_> {
        crate::generate::choose::choose(cases.clone(), 1, accepted).0.into_iter().map(|case| case.input).collect()
    };
    assert!(!chosen(&BTreeSet::new()).contains(&cases[57].input));
    assert!(chosen(&accepted).is_superset(&accepted));
    assert!(chosen(&accepted).len() <= 5, "others find what room is left");
}

/// R4: values that nobody would read in a test are not written into one, and their size is the reason.
#[test]
fn values_too_long_to_read_are_left_out_with_their_length() {
    let long = Calls::of("log").returns(&[("text", string(&"word ".repeat(500)))], Value::Int(1));
    assert_eq!(reasons(&long), [ReasonCode::TooLong.with(2506)]);
    let short = Calls::of("log").returns(&[("text", string(&"word ".repeat(300)))], Value::Int(1));
    let written = text(&short);
    assert!(written.lines().all(|line| line.chars().count() <= 88), "a text is broken into lines");
    assert!(written.contains("\nGIVEN_LOG = (\n") && written.contains("\n    result = log(GIVEN_LOG)\n"), "{written}");
    let kept = Calls::of("log").returns(&[("text", string(&"word ".repeat(300)))], string(&"word ".repeat(300)));
    assert!(text(&kept).contains("assert log(GIVEN_LOG) == GIVEN_LOG\n"), "what comes back is not written twice");
    let few = Calls::of("log").returns(&[("text", string(&"word ".repeat(20)))], Value::Int(1));
    assert!(!text(&few).contains("GIVEN_"), "few lines stay in the test");
}

/// R10: where all that a call did is to take an attribute away, that is asserted.
#[test]
fn an_attribute_that_is_gone_is_asserted() {
    let tank = |held: &[(&str, Value)]| object(5, "Tank", ObjectKind::Plain, held);
    let birth = Calls::of("Tank.__init__")
        .returns(&[("self", tank(&[])), ("litres", Value::Int(2))], Value::None)
        .changes("self", tank(&[("level", Value::Int(2000))]));
    let mut fill = Calls::of("Tank.fill")
        .returns(&[("self", tank(&[("level", Value::Int(2000))])), ("litres", Value::Int(1))], Value::None)
        .changes("self", tank(&[]));
    fill.calls[0].start_ns = 2_000;
    fill.calls[0].id = CallId(2);
    let written = with_plan(&fill, &[birth], |_, draft| draft.unwrap().text);
    assert!(written.contains("assert hasattr(tank, \"level\") is False"), "{written}");
}

/// R8: a short list of things that `==` does not compare all alike is compared item by item.
#[test]
fn a_mixed_list_is_compared_item_by_item() {
    let tank = object(5, "Tank", ObjectKind::Plain, &[("level", Value::Int(2))]);
    let make = Calls::of("make").returns(&[("count", Value::Int(1))], Value::List(vec![tank, string("end")]));
    let written = text(&make);
    for line in [
        "assert len(result) == 2",
        "assert type(result[0]) is Tank",
        "assert result[0].level == 2",
        "assert result[1] == \"end\"",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
}

/// R8: all that an object holds, for those who chose it; what is met again is numbered, and words of the form are escaped.
#[test]
fn a_graph_says_what_is_met_again() {
    let shared = || Value::Shared(9, Box::new(Value::List(vec![Value::Int(1)])));
    let book = |sheets: Vec<Value>| {
        let held = vec![(string("$id"), Value::Float(f64::NAN)), (string("kept"), Value::Ref(9)), (string("own"), Value::Ref(7))];
        object(7, "Book", ObjectKind::Plain, &[("sheets", Value::Tuple(sheets)), ("notes", Value::Dict(held))])
    };
    let calls = || Calls::of("make").returns(&[("count", Value::Int(1))], book(vec![shared(), item(8, "tea", "3.50")]));
    let values = text(&calls());
    assert!(!values.contains("graph"), "{values}");
    let mut calls = calls();
    calls.snapshots = Snapshots::Graph;
    let (draft, helpers) = with_plan(&calls, &[], |_, draft| {
        let draft = draft.unwrap();
        (draft.standalone(), draft.helpers)
    });
    assert_eq!(helpers.iter().map(|helper| helper.path.as_str()).collect::<Vec<_>>(), ["tests/pytead/_graph.py"]);
    insta::assert_snapshot!("graph", draft);
    // What compares by what it holds is compared so.
    let mut plain = Calls::of("make").returns(&[("count", Value::Int(1))], Value::List(vec![item(8, "tea", "3.50")]));
    plain.snapshots = Snapshots::Graph;
    assert!(!text(&plain).contains("graph"), "{}", text(&plain));
}

/// R8: what has no form is asked for its properties, or for its text; its type alone is no test.
#[test]
fn a_result_without_a_form_says_something_of_itself() {
    let opaque = Value::Opaque { ordinal: 5, ty: TypeName::new("_csv", "Dialect") };
    let make = || Calls::of("make").returns(&[("count", Value::Int(1))], opaque.clone());
    assert_eq!(reasons(&make()), [ReasonCode::NotComparable.of("Dialect").at(Place::Result)]);
    let asked = |said: &[(&str, Value)]| {
        let mut calls = make();
        calls.says.insert(CallId(1), fields(said));
        text(&calls)
    };
    let properties = asked(&[("delimiter", string(",")), ("strict", Value::Bool(false))]);
    assert!(properties.contains("    assert result.delimiter == \",\"\n    assert result.strict is False\n"), "{properties}");
    let shown = asked(&[("repr()", string("Dialect(',')"))]);
    assert!(shown.contains("assert repr(make(1)) == \"Dialect(',')\""), "{shown}");
}

/// R13: what three tests of a method begin with is a fixture; it has a name of its own in the file.
#[test]
fn what_tests_begin_with_is_a_fixture() {
    let tank = |level: i64| object(5, "Tank", ObjectKind::Plain, &[("level", Value::Int(level))]);
    let mut birth = Calls::of("Tank.__init__").returns(&[("self", tank(0)), ("litres", Value::Int(2))], Value::None);
    birth = birth.changes("self", tank(2000)).last(|call| (call.id, call.start_ns) = (CallId(100), 0));
    let mut fill = Calls::of("Tank.fill").returns(&[("self", tank(2000)), ("litres", Value::Int(1))], Value::None);
    fill = fill.changes("self", tank(3000)).last(|call| (call.id, call.start_ns) = (CallId(101), 1));
    let mut peek = Calls::of("Tank.peek");
    for answer in [Value::List(vec![]), Value::Int(3000), Value::Str("x".into())] {
        peek = peek.returns(&[("self", tank(3000))], answer).last(|call| call.start_ns = 9_000);
    }
    let mut number = 0;
    peek.calls.iter_mut().for_each(|call| {
        number += 1;
        call.input = of(&[number]);
    });
    insta::assert_snapshot!("fixture", with_plan(&peek, &[birth, fill], |_, draft| draft.unwrap().standalone()));
}

/// R4: a long result stands above its test, or beside it where nobody would read it.
#[test]
fn a_long_result_stands_apart() {
    let rows = |count: i64| {
        let row = |id: i64| Value::Dict(vec![(string("id"), Value::Int(id)), (string("name"), string(&format!("row {id}")))]);
        Calls::of("find")
            .returns(&[("items", Value::Int(count)), ("name", string("x"))], Value::List((0..count).map(row).collect()))
    };
    insta::assert_snapshot!("constant", text(&rows(12)));
    let (text, helpers) = with_plan(&rows(300), &[], |_, draft| {
        let draft = draft.unwrap();
        (draft.standalone(), draft.helpers)
    });
    let [helper] = helpers.as_slice() else { panic!("{helpers:?}") };
    assert!(helper.path.as_str().starts_with("tests/pytead/data/find-") && helper.path.as_str().ends_with(".json"));
    assert!(helper.text.starts_with("[\n  {\n    \"id\": 0,\n    \"name\": \"row 0\"\n  },\n"), "{}", helper.text);
    insta::assert_snapshot!("file", text);
}

/// R7: tuples with an iterator in them are read as they come.
#[test]
fn iterators_inside_of_tuples_are_read() {
    let group = |name: &str, items: Vec<Value>| {
        let inner = Value::New { ty: TypeName::new("builtins", "iter"), args: vec![Value::List(items)], kwargs: vec![] };
        Value::Tuple(vec![string(name), inner])
    };
    let items = vec![group("a", vec![Value::Int(1), Value::Int(2)]), group("b", vec![])];
    let outcome = Outcome::Yielded { items, end: GeneratorEnd::Returned(Value::None) };
    let written = text(&Calls::of("make").call(&[("count", Value::Int(2))], outcome));
    assert!(written.contains("[(a, list(b)) for a, b in ") && written.contains("== [(\"a\", [1, 2]), (\"b\", [])]"), "{written}");
}

/// Writes a value as code, beside nothing else.
fn written(value: &Value) -> Result<String, Reason> {
    let module = shop();
    let find = |name: &str| (name == "shop.cart").then_some(&module);
    let history = |_: &Call, _: u64| Vec::new();
    let importable = |_: &str| true;
    let learned = Learned::default();
    let reached = |_| None;
    let births = |_: &TypeName| Vec::new();
    let makers = |_: &Call, _: u64| Vec::new();
    let makers_of = |_: &TypeName| Vec::new();
    let definitions = Definitions::default();
    let project = Project {
        definitions: &definitions,
        module: &find,
        history: &history,
        afterwards: &|_, _| Vec::new(),
        inner: &|_| Vec::new(),
        births: &births,
        makers: &makers,
        makers_of: &makers_of,
        reached: &reached,
        says: &|_| &[],
        stand_ins: &|_| &[],
        text: &|_, _| None,
        scenes: &|_| &[],
        mappings: &[],
        importable: &importable,
        learned: &learned,
        root: "/srv/ada/shop",
        facades: &Facades::default(),
        clock: ClockBy::default(),
        awaits: AwaitBy::default(),
        snapshots: Snapshots::default(),
    };
    let call = Calls::of("log").returns(&[], Value::None).calls.remove(0);
    let mut scope = Scope::new(&FunctionId::new("shop.cart", "log"));
    build(value, "value", &call, project, &mut scope).map(|built| built.folded())
}

/// R3: every form of a value as code.
#[test]
fn the_forms_of_values() {
    let new = |module: &str, name: &str, args: Vec<Value>, kwargs: &[(&str, Value)]| Value::New {
        ty: TypeName::new(module, name),
        args,
        kwargs: fields(kwargs),
    };
    let ints = |numbers: &[i64]| numbers.iter().map(|n| Value::Int(*n)).collect::<Vec<_>>();
    let found = |pattern: &str, flags: i64, text: &str, (start, end): (i64, i64)| {
        let pattern = new("re", "compile", vec![string(pattern), Value::Int(flags)], &[]);
        new("re", "match", vec![pattern, string(text), Value::Tuple(vec![Value::Tuple(ints(&[start, end]))])], &[])
    };
    let color = |name: Option<&str>| Value::Enum {
        ty: TypeName::new("shop.cart", "Color"),
        name: name.map(str::to_owned),
        value: Box::new(Value::Int(5)),
    };
    let utc = Value::Name(TypeName::new("datetime", "timezone.utc"));
    for (value, source) in [
        (Value::Float(-0.0), "-0.0"),
        (Value::Float(1e22), "1e22"),
        (Value::Float(f64::NEG_INFINITY), "float(\"-inf\")"),
        (Value::Float(f64::NAN), "math.nan"),
        (Value::Complex(1.0, -0.0), "complex(1.0, -0.0)"),
        (Value::BigInt("-123456789012345678901".into()), "-123456789012345678901"),
        (Value::Tuple(vec![Value::Int(1)]), "(1,)"),
        (Value::Set(vec![]), "set()"),
        (Value::Set(vec![string("b"), Value::Int(10), Value::Int(9), string("a")]), "{9, 10, \"a\", \"b\"}"),
        (Value::FrozenSet(ints(&[2, 1])), "frozenset({1, 2})"),
        (Value::Dict(vec![(Value::Tuple(ints(&[1, 2])), Value::None)]), "{(1, 2): None}"),
        (new("datetime", "datetime", ints(&[2024, 1, 2, 10, 30, 0, 0]), &[]), "datetime.datetime(2024, 1, 2, 10, 30)"),
        (
            new("datetime", "datetime", [ints(&[2024, 1, 2, 0, 0, 0, 0]), vec![utc]].concat(), &[]),
            "datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)",
        ),
        (new("datetime", "timedelta", ints(&[1, 0, 5]), &[]), "datetime.timedelta(days=1, microseconds=5)"),
        (new("datetime", "timedelta", ints(&[0, 0, 0]), &[]), "datetime.timedelta(0)"),
        (new("datetime", "timedelta", ints(&[-1, 68_400, 0]), &[]), "datetime.timedelta(hours=-5)"),
        (new("datetime", "timedelta", ints(&[2, 5_400, 0]), &[]), "datetime.timedelta(days=2, hours=1, minutes=30)"),
        (new("datetime", "timedelta", ints(&[-1, 86_399, 0]), &[]), "datetime.timedelta(days=-1, seconds=86399)"),
        (new("builtins", "range", ints(&[0, 5, 1]), &[]), "range(5)"),
        (new("builtins", "range", ints(&[1, 5, 2]), &[]), "range(1, 5, 2)"),
        (
            new("re", "compile", vec![string("a+"), Value::Int(2 | 8 | 32)], &[]),
            "re.compile(\"a+\", re.IGNORECASE | re.MULTILINE)",
        ),
        (found("a+", 0, "caab", (1, 3)), "re.compile(\"a+\").match(\"caab\", 1)"),
        (found("a+", 0, "aab", (0, 2)), "re.match(\"a+\", \"aab\")"),
        (found("a+", 2, "aab", (0, 2)), "re.compile(\"a+\", re.IGNORECASE).match(\"aab\")"),
        (new("pathlib", "PosixPath", vec![string("a/b")], &[]), "Path(\"a/b\")"),
        (
            new("uuid", "UUID", vec![string("12345678-1234-5678-1234-567812345678")], &[]),
            "UUID(\"12345678-1234-5678-1234-567812345678\")",
        ),
        (color(Some("RED")), "Color.RED"),
        (color(Some("RED|BLUE")), "Color.RED | Color.BLUE"),
        (color(None), "Color(5)"),
        (Value::NamedTuple { ty: TypeName::new("shop.cart", "Point"), fields: fields(&[("x", Value::Int(1))]) }, "Point(x=1)"),
        (
            Value::Partial {
                function: Box::new(Value::Name(TypeName::new("builtins", "round"))),
                args: vec![Value::Float(1.5)],
                kwargs: fields(&[("ndigits", Value::Int(1))]),
            },
            "functools.partial(round, 1.5, ndigits=1)",
        ),
        (Value::File { class: "StringIO".into(), content: Box::new(string("a")), position: 0 }, "io.StringIO(\"a\")"),
        (
            Value::File { class: "BytesIO".into(), content: Box::new(Value::Bytes(b"a".to_vec())), position: 1 },
            "((value := io.BytesIO(b\"a\")), value.seek(1), value)[-1]",
        ),
        (
            Value::Generator { ty: TypeName::new("shop.cart", "lines"), args: fields(&[("count", Value::Int(3))]) },
            "lines(count=3)",
        ),
        // Beside `*others` the first cannot be given by its name.
        (
            Value::Generator {
                ty: TypeName::new("shop.cart", "joined"),
                args: fields(&[("first", Value::Int(1)), ("others", Value::Tuple(vec![Value::Int(2)])), ("last", Value::Int(3))]),
            },
            "joined(1, 2, last=3)",
        ),
        (
            Value::Generator {
                ty: TypeName::new("shop.cart", "joined"),
                args: fields(&[("first", Value::Int(1)), ("others", Value::Tuple(vec![])), ("last", Value::Int(3))]),
            },
            "joined(first=1, last=3)",
        ),
        (
            Value::Exception { ordinal: 1, ty: TypeName::new("builtins", "KeyError"), args: vec![string("x")], fields: vec![] },
            "KeyError(\"x\")",
        ),
        (
            Value::Object {
                ordinal: 1,
                ty: TypeName::new("types", "SimpleNamespace"),
                kind: ObjectKind::Plain,
                fields: fields(&[("a", Value::Int(1))]),
            },
            "types.SimpleNamespace(a=1)",
        ),
        (Value::Name(TypeName::new("builtins", "NoneType")), "type(None)"),
        (Value::Ellipsis, "..."),
    ] {
        assert_eq!(written(&value).as_deref(), Ok(source), "{value:?}");
    }
}
