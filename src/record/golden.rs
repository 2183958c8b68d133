//! The golden spools of `tests/fixtures/spools`, one of every record, read. That each interpreter still writes their bytes
//! is shown by `tests/python/recorder/test_golden.py`.

use std::path::Path;

use crate::base::clock::Moment;
use crate::base::redact::Redactor;
use crate::domain::batch::{Batch, Edge};
use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::function::FunctionId;
use crate::domain::gap::GapKind;
use crate::domain::journey::JourneyEvent;
use crate::domain::touch::Touch;
use crate::python::value::{arguments, outcome};
use crate::record::ingest::{Ingest, Summary};
use crate::record::journey::events;

fn read(name: &str) -> (Batch, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/spools").join(name);
    std::fs::copy(golden, folder.path().join("1-0.spool")).unwrap();
    let resolve = |_: &str, _: &str, _: u32| None;
    let mut ingest = Ingest::new(folder.path().to_owned(), Moment(0), Redactor::new([]), Box::new(resolve));
    let mut all = Batch::default();
    ingest.finish(&mut |batch, _| {
        all.calls.extend(batch.calls);
        all.ends.extend(batch.ends);
        all.touches.extend(batch.touches);
        all.edges.extend(batch.edges);
        all.counts.extend(batch.counts);
        all.journey.extend(batch.journey);
    });
    (all, ingest.summary().clone())
}

const CALLS: &str = "
app:main() returned (Cart#1, None, -1, 1208925819614629174706176, 0.5, complex(0.0, 2.0), b'x', {1}, frozenset({2}), ...)
cart:Cart.__init__(self=Cart#1, owner='Ann') returned None
cart:Cart.add(self=Cart#1(owner='Ann', items={}), item='tea', count=2) returned Cart#1(owner='Ann', items={'tea': 2})
cart:Cart.add(self=Cart#1(owner='Ann', items={'tea': 2}), item='tea', count=2) returned Cart#1(owner='Ann', items={'tea': 4})
cart:Cart.add(self=Cart#1(owner='Ann', items={'tea': 4}), item='bread', count=2) returned Cart#1(owner='Ann', items={'tea': 4, 'bread': 2})
app:fails(cart=Cart#1(owner='Ann', items={'tea': 4, 'bread': 2})) raised Empty('no nothing')
cart:Cart.take(self=Cart#1(owner='Ann', items={'tea': 4, 'bread': 2}), item='nothing') raised KeyError('nothing')
app:asks() returned True
app:ticks(n=2) yielded (0, [0]), (1, [1]) and ended
app:ticks(n=9) yielded (0, [0]) and is open
app:login(name='Ann', password=‹secret:password#1›) returned {'name': 'Ann', 'password': ‹secret:password#1›}";

const JOURNEY: &str = "
L1    app:main()
L2      cart:Cart.__init__(owner='Ann')
L3      → None
L4      cart:Cart.add(item='tea', count=2)
L5      → #1
L6      cart:Cart.add(item='tea', count=2)
L7      → #1
L8      cart:Cart.add(item='bread', count=2)
L9      → #1
L10     app:fails(cart=#1)
L11       cart:Cart.take(item='nothing')
L12       ✗ KeyError('nothing') in line 18
L13     ✗ Empty('no nothing') in line 16
L14     app:fails(cart=#1)
L15       cart:Cart.take(item='nothing')
L16       ✗ KeyError('nothing') in line 18
L17     ✗ Empty('no nothing') in line 16
L18     app:asks()
L19     touches cwd: os.getcwd
L20     → True
L21     app:ticks(n=2)
L22     yields (0, [0])
L23     goes on
L24     yields (1, [1])
L25     goes on
L26     → None
L27     app:ticks(n=9)
L28     yields (0, [0])
L29     is closed
L30     app:login(name='Ann', password=‹secret:password#1›)
L31     → {'name': 'Ann', 'password': ‹secret:password#1›}
L32   → (#1, None, -1, 1208925819614629174706176, 0.5, complex(0.0, …";

fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(value) => format!("returned {}", value.summary(110)),
        Outcome::Raised { exception, .. } => format!("raised {}", exception.summary(110)),
        Outcome::Yielded { items, end } => {
            let items: Vec<String> = items.iter().map(|item| item.summary(110)).collect();
            let end = if *end == GeneratorEnd::Open { "is open" } else { "ended" };
            format!("yielded {} and {end}", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn every_record_of_calls_is_read() {
    let (all, summary) = read("calls.spool");
    let calls: Vec<String> = all
        .calls
        .iter()
        .map(|call| {
            let args = arguments(&call.args).unwrap().0;
            let args: Vec<String> = args.iter().map(|arg| format!("{}={}", arg.name, arg.value.summary(60))).collect();
            let end = all.ends.iter().find(|end| end.spool == call.spool).unwrap();
            let effect = outcome(&end.outcome).unwrap();
            format!("{}({}) {}", call.function, args.join(", "), said(&effect.outcome))
        })
        .collect();
    assert_eq!(calls.join("\n"), CALLS.trim());
    assert_eq!(summary.gaps, [(GapKind::JourneyLimit.into(), 20_000)]);
    assert_eq!((summary.kept, summary.seen, summary.raised), (11, 13, 4));
    let touches: Vec<&Touch> = all.touches.iter().map(|found| &found.touch).collect();
    assert_eq!(touches, [&Touch::WorkingFolder("os.getcwd".into())]);
    let calls_take = |edge: &&Edge| edge.callee == FunctionId("cart:Cart.take".into()).into();
    assert_eq!(all.edges.iter().find(calls_take).unwrap().caller, FunctionId("app:fails".into()));
}

#[test]
fn every_record_of_a_journey_is_read() {
    let (all, summary) = read("journey.spool");
    let found = events(all.journey, Moment(0));
    let lines: Vec<String> = found.iter().map(JourneyEvent::text).collect();
    assert_eq!(lines.join("\n"), JOURNEY.trim());
    assert_eq!(summary.gaps, [(GapKind::JourneyLimit.into(), 20_000)]);
}
