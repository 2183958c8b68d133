//! A comparison of the shop with a commit.

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{CallId, Effect, Outcome};
use crate::domain::diff::{Because, DataFile, Diff, DiffedCall, FunctionDiff, How, Kind};
use crate::domain::difference::Difference;
use crate::domain::edited::{EditedCode, Edits, NotCompared};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Edit, ProposalId};
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::tui::tests::fixture::id;

/// A comparison: a side effect elsewhere that waits, an edited function as recorded, and what was not looked at.
pub fn diffed() -> Diff {
    let effect = |text: &str| Effect { outcome: Outcome::Returned(Value::Str(text.into())), changed: vec![] };
    let raised = Effect {
        outcome: Outcome::Raised {
            exception: Value::Exception {
                ordinal: 0,
                ty: TypeName::new("builtins", "LookupError"),
                args: vec![Value::Str("DE".into())],
                fields: vec![],
            },
            mro: vec![],
        },
        changed: vec![],
    };
    let call = |number: i64, arguments: &str, kind: Kind, new: Effect| DiffedCall {
        call: CallId(number),
        kind,
        arguments: arguments.into(),
        times: 2,
        caller: Some("checkout order.py:41".into()),
        old: effect("104.90"),
        new,
        difference: (kind == Kind::Changed).then(|| Difference {
            path: ".amount".into(),
            old: Some(Value::Str("104.90".into())),
            new: Some(Value::Str("100.00".into())),
        }),
        durations: (1_200_000, 48_000_000),
    };
    let edit = Edit {
        subject: id("pricing:shipping_for").into(),
        path: RelPath::new("shop/pricing.py").unwrap(),
        hunk: vec!["-    if total > FREE_FROM:".into(), "+    if total >= FREE_FROM:".into()],
        line: 36,
    };
    let because = Because { edits: vec![edit], how: How::Alone, data: vec![] };
    let total = FunctionDiff {
        function: id("cart:Cart.total"),
        path: RelPath::new("shop/cart.py").unwrap(),
        line: 31,
        edited: false,
        calls: vec![
            call(14, "(country='DE')", Kind::NowRaises, raised),
            call(22, "(country='FR')", Kind::Changed, effect("100.00")),
        ],
        same: 28,
        because: because.clone(),
        proposal: Some(ProposalId(1)),
    };
    let slower = call(2, "(Decimal('100'), 'FR')", Kind::Slower, effect("104.90"));
    let shipping = FunctionDiff {
        function: id("pricing:shipping_for"),
        path: RelPath::new("shop/pricing.py").unwrap(),
        line: 29,
        edited: true,
        calls: vec![slower],
        same: 7,
        because,
        proposal: None,
    };
    Diff {
        reference: "HEAD".into(),
        commit: "1f2e3d4c5b6a".into(),
        tree: Digest(7),
        functions: vec![total, shipping],
        edits: Edits {
            edited: vec![not_compared(id("pricing:bulk_price"))],
            gone: vec![(id("cart:Cart.clear"), 3)],
            ..Edits::default()
        },
        compared: 38,
        same: 35,
        not_compared: 0,
        data_files: vec![DataFile {
            path: RelPath::new("shop/rates.json").unwrap(),
            read_by: vec![(id("cart:Cart.total"), 3)],
            named_by: Vec::new(),
        }],
        other_files: vec![RelPath::new("shop/logo.svg").unwrap()],
        near: None,
    }
}

fn not_compared(id: FunctionId) -> EditedCode {
    EditedCode {
        subject: id.into(),
        path: RelPath::new("shop/pricing.py").unwrap(),
        line: 44,
        recorded: 0,
        compared: 0,
        differ: 0,
        through: 0,
        not_compared: vec![NotCompared { reason: ReasonCode::NotRecorded.into(), calls: 0 }],
        outside: 0,
        varying: Vec::new(),
        unrun: vec![],
        test: Some("tests/test_pricing.py::test_bulk".into()),
    }
}
