//! Rows for the tests of this module.

use super::{AcceptedTest, Batch, CallEnd, NewCall, SpoolCall};
use crate::base::clock::Moment;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::domain::call::{CallId, ProgramEnd, Recording, RecordingId};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, Draft, Proposal, ProposalId};
use crate::domain::samples;

pub(crate) fn recording() -> Recording {
    Recording {
        at_least: false,
        id: RecordingId(0),
        command: vec!["main.py".into(), "a b".into()],
        cwd: String::new(),
        interpreter: None,
        python: Some("3.12.1".into()),
        commit: None,
        started: Moment(1_000),
        duration_ms: 0,
        end: ProgramEnd::Running,
        seen: 0,
        kept: 0,
        functions: 0,
        raised: 0,
        threads: 0,
        gaps: Vec::new(),
        recorder_seen: false,
    }
}

pub(super) fn spool(number: i64) -> SpoolCall {
    SpoolCall { process: 7, number }
}

pub(super) fn call(function: &str, number: i64) -> NewCall {
    NewCall {
        spool: spool(number),
        function: FunctionId(function.into()),
        path: "shop.py".into(),
        parent: None,
        caller: None,
        caller_line: None,
        direct: true,
        thread: 0,
        task: 0,
        receiver: None,
        start_ns: number,
        args: vec![0, 1, 2],
        input: hash::of(format!("{function} {number}").as_bytes()),
    }
}

pub(super) fn end(number: i64, outcome: &[u8]) -> CallEnd {
    CallEnd { spool: spool(number), outcome: outcome.to_vec(), failed: false, duration_ns: 31, not_replayable: None }
}

/// Finished calls of one function, each with an input of its own.
pub(crate) fn batch(function: &str, calls: i64) -> Batch {
    Batch {
        calls: (0..calls).map(|number| call(function, number)).collect(),
        ends: (0..calls).map(|number| end(number, b"recorded")).collect(),
        ..Batch::default()
    }
}

pub(super) fn draft(calls: Vec<CallId>) -> Proposal {
    let draft = Draft {
        target: RelPath::new("tests/pytead/test_pytead_shop.py").unwrap_or_default(),
        tests: vec!["test_total".into()],
        calls,
        import_roots: vec![String::new()],
        ..samples::draft(&["import shop"], "def test_total():\n    assert shop.total() == 0\n")
    };
    Proposal {
        evidence: vec![Evidence::new(Finding::Pass, EvidenceKind::Runs, "4/4")],
        proved: Some((4, 4)),
        basis: hash::of(b"basis"),
        ..Proposal::queued(FunctionId("shop:total".into()), Body::Draft(draft), Moment(5))
    }
}

pub(super) fn accepted() -> AcceptedTest {
    AcceptedTest {
        function: FunctionId("shop:total".into()),
        path: RelPath::new("tests/pytead/test_pytead_shop.py").unwrap_or_default(),
        tests: vec!["test_total".into()],
        body: hash::of(b"body"),
        proposal: Some(ProposalId(1)),
    }
}
