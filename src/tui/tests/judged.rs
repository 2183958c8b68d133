//! Tests with intents: one that failed, one that is unclear, one that passed; and the journey of all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::evaluator::Evaluator;
use crate::domain::function::FunctionId;
use crate::domain::journey::{JourneyLine, LineId, LineKind};
use crate::domain::proposal::{Body, OpenVerdict, ProposalId, ProposalKind, ProposalState};
use crate::domain::snapshot::{JudgedView, ProposalView, QueueRow, VerdictRow};
use crate::domain::verdict::{ClauseOutcome, Decided, JudgedTest, Ruling, Since, Suggested, Verdict};
use crate::tui::tests::fixture::{NOW, Shop, proposal, queue, rel};

pub const REGISTRATION: &str = r#"class RegistrationService:
    """Registers users."""

    def __init__(self, db, mail, outbox):
        self.db = db
        self.mail = mail
        self.outbox = outbox

    # Users are known by their address.





    # Called by the web form.






    def register(self, user):
        email = user["email"]
        if self.db.exists(email):
            return "Exists"
        self.outbox.save(
            {"kind": "welcome"})
        self.mail.send_welcome(
            email)
        self.db.save(user)
        return "Success"
"#;

/// The node id of the test of [`judged_view`].
pub const REGISTER: &str = "tests/test_registration.py::test_register";

fn clause(text: &str, outcome: ClauseOutcome, evidence: &[u32], why: &str, shown: &[&str]) -> Decided {
    Decided {
        text: text.into(),
        outcome,
        evidence: evidence.iter().map(|id| format!("L{id}")).collect(),
        why: why.into(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
        needs_model: false,
    }
}

/// A failed verdict: the mail is sent before the user is saved.
pub fn judged_view() -> JudgedView {
    use LineKind as T;
    let made = |kind, id: u32, call: u32, depth: u32, name: &str, detail: &str| JourneyLine {
        kind,
        line: Some(LineId(id)),
        call: Some(LineId(call)),
        depth,
        name: name.into(),
        detail: detail.into(),
        function: None,
        at: None,
        reached: vec![],
    };
    let called = |number, id: u32, depth: u32, name: &str, detail: &str, at: u32, reached: &[u32]| JourneyLine {
        function: Some(FunctionId(format!("shop.registration:{name}"))),
        at: Some(at),
        reached: reached.to_vec(),
        ..made(T::Called(number), id, id, depth, name, detail)
    };
    let heading = |words: &str| JourneyLine { line: None, call: None, ..made(T::Heading, 0, 0, 0, words, "") };
    let journey = vec![
        heading("In setup:"),
        called(1, 13, 0, "Database.__init__", "({})", 8, &[5]),
        made(T::Returned, 14, 13, 0, "Database.__init__", "None"),
        heading("In the test:"),
        called(
            2,
            1,
            0,
            "RegistrationService.register",
            "({'user': {'email': 'ada@shop.test', 'password': [REDACTED:password#1]}})",
            14,
            &[23, 24, 26, 27, 28, 29, 30, 31],
        ),
        called(3, 2, 1, "Database.exists", "({'email': 'ada@shop.test'})", 24, &[9]),
        made(T::Returned, 3, 2, 1, "Database.exists", "False"),
        called(4, 4, 1, "Outbox.save", "({'message': {'kind': 'welcome'}})", 26, &[4]),
        made(T::Returned, 5, 4, 1, "Outbox.save", "1"),
        called(5, 6, 1, "EmailService.send_welcome", "({'address': 'ada@shop.test'})", 28, &[7, 8]),
        called(6, 7, 2, "Smtp.deliver", "({'address': 'ada@shop.test', 'text': '…312 characters'})", 8, &[3]),
        made(T::Returned, 8, 7, 2, "Smtp.deliver", "None"),
        made(T::Returned, 9, 6, 1, "EmailService.send_welcome", "None"),
        called(7, 10, 1, "Database.save", "({'user': {'email': 'ada@shop.test', …}})", 30, &[14]),
        made(T::Returned, 11, 10, 1, "Database.save", "7"),
        made(T::Returned, 12, 1, 0, "RegistrationService.register", "'Success'"),
    ];
    let clauses = vec![
        clause("calls Database.exists before Database.save", ClauseOutcome::Holds, &[2, 10], "It was.", &[]),
        clause("if Database.exists returns False then Database.save is called", ClauseOutcome::Holds, &[3, 10], "It was.", &[]),
        clause(
            "Database.save is called before EmailService.send_welcome",
            ClauseOutcome::Violated,
            &[6, 9, 10],
            "EmailService.send_welcome began in L6, before Database.save ended.",
            &["L6     EmailService.send_welcome('ada@shop.test')", "Database.save was not called before; Outbox.save was (L4)."],
        ),
        clause("EmailService.send_welcome is called exactly once", ClauseOutcome::Holds, &[6], "Once.", &[]),
    ];
    let verdict = Verdict {
        verdict: Ruling::Fail,
        overridden: false,
        evaluator: Evaluator::Rules,
        reason: "Database.save is called before EmailService.send_welcome: EmailService.send_welcome began in L6.".into(),
        clauses,
        uncovered: Vec::new(),
        asked: None,
        bound: None,
        proposed: None,
        tried: Vec::new(),
        shown: Default::default(),
    };
    let judged = JudgedTest {
        test: REGISTER.into(),
        file: rel("tests/test_registration.py"),
        intent: "Check if the user exists in DB. If not, save the user and send a welcome email.".into(),
        verdict,
        journey,
        cut: 0,
        gaps: vec![],
        accepts: false,
        suggestions: Vec::new(),
        began: Moment(NOW.0 - 841_000),
        at: Moment(NOW.0 - 840_000),
    };
    let place = |name: &str, def: u32| (FunctionId(format!("shop.registration:{name}")), (rel("shop/registration.py"), def));
    let function = FunctionId("tests.test_registration:test_register".into());
    let mut places: BTreeMap<FunctionId, (RelPath, u32)> =
        [place("RegistrationService.register", 22), place("Database.save", 40), place("EmailService.send_welcome", 50)].into();
    places.insert(function.clone(), (rel("tests/test_registration.py"), 11));
    let since = Since { begun: judged.at, passed: Some(Moment(NOW.0 - 62_700_000)) };
    JudgedView { judged, places, function, since }
}

/// An unclear one of the same journey: what it did changed, and accepting it decides it.
pub fn unclear_view() -> JudgedView {
    let mut view = judged_view();
    view.judged.test = "tests/test_registration.py::test_twice".into();
    view.judged.verdict.verdict = Ruling::Unclear;
    view.judged.verdict.evaluator = Evaluator::Approved;
    view.judged.verdict.reason = "The journey changed: Outbox.save is called now.".into();
    view.judged.verdict.clauses.clear();
    view.judged.accepts = true;
    view.judged.suggestions = vec![
        Suggested::from_text("Database.exists is called before Database.save    # notices a call less, another order"),
        Suggested::from_text("Smtp.deliver is called exactly once    # notices a call less, a call more"),
    ];
    view
}

fn verdict_row(view: &JudgedView, proposal: Option<i64>) -> VerdictRow {
    VerdictRow {
        test: view.judged.test.clone(),
        function: view.function.clone(),
        path: view.judged.file.clone(),
        line: Some(11),
        ruling: view.judged.verdict.verdict,
        overridden: view.judged.verdict.overridden,
        evaluator: view.judged.verdict.evaluator.clone(),
        reason: view.judged.verdict.reason.clone(),
        at: view.judged.at,
        since: view.since,
        stale: false,
        proposal: proposal.map(ProposalId),
    }
}

fn verdict_view(number: i64, view: &JudgedView) -> ProposalView {
    let judged = &view.judged;
    let open = OpenVerdict {
        test: judged.test.clone(),
        intent: judged.intent.clone(),
        verdict: judged.verdict.clone(),
        takes_journey: judged.takes_journey(),
        at: judged.at,
    };
    let plan = judged.takes_journey().then(|| FileEdit {
        path: rel("tests/semantic.lock.yaml"),
        before: None,
        after: Some("\"tests/test_registration.py::test_twice\": {\"intent\":\"11\",\"accepted_by\":\"ada\"}\n".into()),
    });
    let mut proposal = proposal(number, "registration:register", ProposalState::Ready, Body::Verdict(open));
    proposal.subject = view.function.clone().into();
    proposal.proved = None;
    ProposalView { proposal, plan: plan.into_iter().collect(), blocked: None, newer: None, others: vec![], conflict: None }
}

impl Shop {
    /// The shop with a test that failed, one that is unclear and one that passed; the first two wait.
    pub fn judged() -> Self {
        let mut shop = Self::new();
        let (failed, unclear) = (judged_view(), unclear_view());
        let mut passed = judged_view();
        passed.judged.test = "tests/test_registration.py::test_known".into();
        passed.judged.verdict.verdict = Ruling::Pass;
        passed.judged.verdict.clauses.truncate(2);
        let rows = vec![verdict_row(&failed, Some(11)), verdict_row(&unclear, Some(12)), verdict_row(&passed, None)];
        let queued = |number: i64, word: &str, view: &JudgedView| QueueRow {
            subject: view.function.clone().into(),
            title: format!("{}   {word}  {}", view.function, view.judged.verdict.reason).into(),
            about: format!("{word}  {}", view.judged.verdict.reason).into(),
            proved: None,
            ruling: Some(view.judged.verdict.verdict),
            alone: true,
            ..queue(number, ProposalKind::Verdict, "registration:register", "tests/test_registration.py", ProposalState::Ready)
        };
        let mut waiting = (*shop.snapshot.queue).clone();
        waiting.truncate(1);
        waiting.extend([queued(11, "FAIL", &failed), queued(12, "UNCLEAR", &unclear)]);
        shop.snapshot.queue = Arc::new(waiting);
        shop.snapshot.verdicts = Arc::new(rows);
        shop.views.insert(ProposalId(11), verdict_view(11, &failed));
        shop.views.insert(ProposalId(12), verdict_view(12, &unclear));
        shop.sources.insert(rel("shop/registration.py"), REGISTRATION.to_owned());
        shop.judged = [failed, unclear, passed].into_iter().map(|view| (view.judged.test.clone(), view)).collect();
        shop
    }
}
