//! A shop: its functions, calls, proposals, recordings and log, and a driver that plays the loop without a terminal.
//!
//! Over 600 lines because all screens show one and the same shop, written out.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::call::{CallId, Effect as CallEffect, Outcome, ProgramEnd, RecordingId};
use crate::domain::command::{Command, JobId};
use crate::domain::decision::FileEdit;
use crate::domain::diff::Diff;
use crate::domain::difference::Difference;
use crate::domain::event::{Event, JobKind, JobState, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::{FunctionId, FunctionKind, SyntaxError};
use crate::domain::job_subject::JobSubject;
use crate::domain::line_values::LineValues;
use crate::domain::proposal::{
    Body, CallChange, Change, Draft, Edit, LeftOut, Proposal, ProposalId, ProposalKind, ProposalState,
};
use crate::domain::reason::ReasonCode;
use crate::domain::samples;
use crate::domain::settings;
use crate::domain::snapshot::*;
use crate::domain::spec_board::SpecView;
use crate::domain::value::Value;
use crate::tui::app::{AppState, Effect, Msg};
use crate::tui::diff::PlannedFile;
use crate::tui::doc::Loaded;
use crate::tui::highlight;
use crate::tui::keymap::Key;
use crate::tui::theme::{Theme, ThemeName};
use crate::tui::update::{start, update};
use crate::tui::view::frame;

/// 2026-03-12 10:45:00 UTC.
pub const NOW: Moment = Moment(1_773_312_300_000);

pub const PRICING: &str = r#""""Prices, discounts and shipping."""
from decimal import ROUND_HALF_UP, Decimal

RATES = {
    "TEN": Decimal("0.1"),
    "HALF": Decimal("0.5"),
}
CENT = Decimal("0.01")
FREE_FROM = Decimal("100")


def round_price(amount: Decimal) -> Decimal:
    """Round half up to the cent."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def apply_discount(
    price: Decimal,
    code: str | None = None,
) -> Decimal:
    """Price after the discount of a code."""
    if price < 0:
        raise ValueError("negative price")
    rate = RATES.get(code, Decimal("0"))
    amount = price * (1 - rate)
    return round_price(amount)


def shipping_for(
    total: Decimal,
    country: str,
) -> Decimal:
    """Shipping for a country."""
    if country not in COUNTRIES:
        raise LookupError(country)
    if total >= FREE_FROM:
        return Decimal("0")
    return COUNTRIES[country]
"#;

const BEFORE: &str = r#"from decimal import Decimal

from shop.pricing import CENT, round_price


def test_round_price():
    """Recorded from cart.py:44 (71 calls)."""
    assert round_price(Decimal("1.005")) == Decimal("1.01")
    assert round_price(Decimal("2")) == CENT * 200
"#;

pub const DRAFT: &str = r#"@pytest.mark.parametrize(
    ("price", "code", "expected"),
    [
        pytest.param("100.00", "TEN", "90.00", id="code"),
        pytest.param("100.00", None, "100.00", id="none"),
        pytest.param("19.99", "HALF", "10.00", id="half"),
    ],
)
def test_apply_discount(price, code, expected):
    """Recorded from cart.py:41 (11 calls)."""
    result = apply_discount(Decimal(price), code)
    assert result == Decimal(expected)
    assert str(result) == expected


def test_apply_discount_raises_value_error():
    """Recorded from test_pricing.py:12 (1 call)."""
    with pytest.raises(ValueError, match="negative price"):
        apply_discount(Decimal("-1"), None)
"#;

pub fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

pub fn id(name: &str) -> FunctionId {
    FunctionId(format!("shop.{name}"))
}

/// The fixture: a snapshot and what stands behind it.
#[derive(Clone)]
pub struct Shop {
    pub snapshot: Snapshot,
    pub sources: HashMap<RelPath, String>,
    pub calls: HashMap<FunctionId, Vec<CallRow>>,
    pub tests_through: HashMap<FunctionId, Vec<TestRow>>,
    pub line_values: HashMap<CallId, Result<Arc<LineValues>, Sentence>>,
    pub recorded: HashMap<RecordingId, Vec<RecordedRow>>,
    pub views: HashMap<ProposalId, ProposalView>,
    pub stream: Option<StreamView>,
    pub outgoing: String,
    pub diffed: Option<Arc<Diff>>,
    pub judged: HashMap<String, JudgedView>,
    pub specs: HashMap<RelPath, SpecView>,
}

fn function(name: &str, path: &str, line: u32, mark: Mark, calls: u64, drafts: usize, changes: usize) -> FunctionRow {
    FunctionRow {
        id: id(name),
        path: rel(path),
        lines: (line, line + 9),
        line,
        kind: FunctionKind::Function,
        mark,
        calls,
        drafts,
        changes,
        reason: (mark == Mark::Untestable).then(|| ReasonCode::Network.with("api.pay.test:443")),
    }
}

fn file(path: &str, functions: usize) -> FileRow {
    let module = path.trim_end_matches(".py").replace('/', ".");
    FileRow { path: rel(path), module, lines: 60, functions, error: None, is_test: path.starts_with("tests") }
}

pub fn queue(number: i64, kind: ProposalKind, name: &str, path: &str, state: ProposalState) -> QueueRow {
    QueueRow {
        id: ProposalId(number),
        kind,
        subject: id(name).into(),
        path: rel(path),
        state,
        title: format!("{} calls", number + 3).into(),
        about: format!("{} calls", number + 3).into(),
        proved: (state == ProposalState::Ready).then_some((12, 12)),
        ruling: None,
        blocked: None,
        alone: false,
        skipped: false,
    }
}

fn call(number: i64, args: &[(&str, &str)], outcome: &str, times: u64, us: i64) -> CallRow {
    let arguments = format!("({})", args.iter().map(|(_, v)| *v).collect::<Vec<_>>().join(", "));
    CallRow {
        id: CallId(number),
        args: args.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        full: vec![format!("apply_discount{arguments}"), outcome.to_owned()],
        arguments,
        outcome: outcome.into(),
        failed: outcome.starts_with('✗'),
        times,
        duration_ns: us * 1_000,
        inner: vec!["round_price(Decimal('90.000')) → Decimal('90.00') 4 µs".into()],
        caller: Some("Cart.total cart.py:41".into()),
        receiver: None,
        changed: vec![],
        not_replayable: None,
        recording: RecordingId(7),
        thread: 0,
    }
}

pub fn proposal(number: i64, name: &str, state: ProposalState, body: Body) -> Proposal {
    Proposal {
        id: ProposalId(number),
        state,
        proved: Some((12, 12)),
        containment: Some("namespaces".into()),
        basis: Digest(1),
        ..Proposal::queued(id(name), body, NOW)
    }
}

pub fn row_input(id: CallId) -> Digest {
    Digest(id.0.unsigned_abs())
}

fn draft_body(left_out: Vec<LeftOut>) -> Body {
    Body::Draft(Draft {
        target: rel("tests/pytead/test_shop_pricing.py"),
        tests: vec!["test_apply_discount".into(), "test_apply_discount_raises_value_error".into()],
        calls: vec![CallId(1)],
        left_out,
        import_roots: vec![String::new()],
        ..samples::draft(&["import pytest"], DRAFT)
    })
}

fn draft_view(state: ProposalState) -> ProposalView {
    let mut proposal = proposal(3, "pricing:apply_discount", state, draft_body(Vec::new()));
    proposal.evidence = vec![
        Evidence::new(Finding::Pass, EvidenceKind::Runs, "12/12: alone, in company, 3 orders, 3 hash seeds"),
        Evidence::new(Finding::Pass, EvidenceKind::Mutants, "4 of 5 mutants of these lines are noticed"),
        Evidence::new(Finding::Pass, EvidenceKind::from_text("adds"), "3 branches that no other test reaches"),
        Evidence::new(Finding::Note, EvidenceKind::Source, "recorded today 10:38, 12 calls, no test yet"),
        Evidence::new(Finding::Note, EvidenceKind::from_text("not noticed"), "line 22, < to <=: no call with price 0 yet"),
    ];
    let after = BEFORE
        .replacen("\n\nfrom shop", "\n\nimport pytest\n\nfrom shop", 1)
        .replace("import CENT, round_price", "import CENT, apply_discount, round_price")
        + "\n\n"
        + DRAFT;
    let edit = FileEdit { path: rel("tests/pytead/test_shop_pricing.py"), before: Some(BEFORE.into()), after: Some(after) };
    ProposalView { proposal, plan: vec![edit], blocked: None, newer: None, others: vec![], conflict: None }
}

fn change_view() -> ProposalView {
    let effect = |text: &str| CallEffect { outcome: Outcome::Returned(Value::Str(text.into())), changed: vec![] };
    let call = |number: i64, arguments: &str, times: u64| CallChange {
        call: CallId(number),
        arguments: arguments.into(),
        times,
        old: effect("104.90"),
        new: effect("100.00"),
        difference: Difference { path: String::new(), old: None, new: None },
    };
    let change = Change {
        calls: vec![call(14, "(country='FR')", 2), call(22, "(country='DE')", 1)],
        same: 28,
        because: vec![Edit {
            subject: id("pricing:shipping_for").into(),
            path: rel("shop/pricing.py"),
            hunk: vec!["-    if total > FREE_FROM:".into(), "+    if total >= FREE_FROM:".into()],
            line: 36,
        }],
        seen: Moment(NOW.0 - 180_000),
    };
    let mut proposal = proposal(1, "cart:Cart.total", ProposalState::Ready, Body::Change(change));
    proposal.evidence = vec![
        Evidence::new(Finding::Pass, EvidenceKind::from_text("the same"), "28 calls end as before"),
        Evidence::new(Finding::Pass, EvidenceKind::from_text("repeatable"), "replayed twice, the same both times"),
        Evidence::new(Finding::Fail, EvidenceKind::from_text("tests"), "1 test is red until you decide"),
    ];
    let text = |value: &str| {
        format!(
            "def test_total():\n    cart = Cart([Item('lamp', Decimal('100.00'))])\n    assert cart.total('FR') == Decimal('{value}')\n"
        )
    };
    let edit =
        FileEdit { path: rel("tests/pytead/test_shop_cart.py"), before: Some(text("104.90")), after: Some(text("100.00")) };
    ProposalView { proposal, plan: vec![edit], blocked: None, newer: None, others: vec![], conflict: None }
}

impl Shop {
    /// The shop with seven proposals, a draft first.
    pub fn new() -> Self {
        use Mark as M;
        let functions = vec![
            function("cart:Cart.__init__", "shop/cart.py", 5, M::Tested, 31, 0, 0),
            function("cart:Cart.add", "shop/cart.py", 11, M::Recorded, 58, 2, 0),
            function("cart:Cart.remove", "shop/cart.py", 20, M::Running, 9, 1, 0),
            function("cart:Cart.total", "shop/cart.py", 31, M::Stale, 31, 0, 1),
            function("cart:Cart.is_empty", "shop/cart.py", 44, M::Recorded, 4, 1, 0),
            function("payment:Gateway.charge", "shop/payment.py", 9, M::Recorded, 6, 1, 0),
            function("payment:Gateway._post", "shop/payment.py", 30, M::Untestable, 6, 0, 0),
            FunctionRow { lines: (12, 14), ..function("pricing:round_price", "shop/pricing.py", 12, M::Tested, 71, 0, 0) },
            FunctionRow { lines: (17, 26), ..function("pricing:apply_discount", "shop/pricing.py", 17, M::Recorded, 12, 1, 0) },
            function("pricing:shipping_for", "shop/pricing.py", 29, M::Recorded, 8, 0, 0),
            function("pricing:bulk_price", "shop/pricing.py", 50, M::Never, 0, 0, 0),
            function("reports:Report.render", "shop/reports.py", 3, M::Tested, 3, 0, 0),
        ];
        let mut files =
            vec![file("shop/cart.py", 5), file("shop/payment.py", 2), file("shop/pricing.py", 4), file("shop/reports.py", 1)];
        files[3].error = Some(SyntaxError { line: 88, column: 4 });
        files.push(file("tests/test_pricing.py", 0));
        let rows = vec![
            queue(1, ProposalKind::Change, "cart:Cart.total", "shop/cart.py", ProposalState::Ready),
            queue(2, ProposalKind::Draft, "cart:Cart.add", "shop/cart.py", ProposalState::Ready),
            queue(3, ProposalKind::Draft, "pricing:apply_discount", "shop/pricing.py", ProposalState::Ready),
            queue(4, ProposalKind::Draft, "cart:Cart.remove", "shop/cart.py", ProposalState::Streaming),
            queue(5, ProposalKind::Draft, "payment:Gateway.charge", "shop/payment.py", ProposalState::Proving),
            queue(6, ProposalKind::Draft, "cart:Cart.is_empty", "shop/cart.py", ProposalState::Refused),
            queue(7, ProposalKind::Draft, "cart:Cart.add", "shop/cart.py", ProposalState::Stale),
        ];
        let recordings = vec![RecordingRow {
            id: RecordingId(7),
            command: vec!["pytest".into(), "-q".into()],
            end: ProgramEnd::Exited(0),
            started: Moment(NOW.0 - 420_000),
            duration_ms: 3_100,
            seen: 214,
            kept: 180,
            functions: 11,
            raised: 2,
            threads: 1,
            gaps: vec![],
            at_least: false,
            newest: vec![],
            output: vec!["12 passed in 0.31s".into()],
        }];
        let log = |minutes: i64, level, word: &str, text: &str| LogRow {
            at: Moment(NOW.0 - minutes * 60_000),
            level,
            word: word.into(),
            text: text.into(),
            more: vec![],
            about: None,
        };
        let mut trouble = log(2, Level::Error, "watch", "3 folders are polled: no file watches are left.");
        trouble.more = vec!["Raise fs.inotify.max_user_watches or ignore folders.".into()];
        let snapshot = Snapshot {
            near: Arc::default(),
            generation: 1,
            project: "shop".into(),
            root: "/code/shop".into(),
            trust: Trust::Trusted,
            watch: WatchState::On,
            indexed: true,
            reading: (5, 5),
            tree: Digest(7),
            files: Arc::new(files),
            functions: Arc::new(functions),
            queue: Arc::new(rows),
            verdicts: Arc::default(),
            unjudged: Arc::default(),
            red: Arc::default(),
            specs: Arc::default(),
            decided: Decided::default(),
            stale: 1,
            questions: vec![],
            jobs: Arc::new(vec![JobRow {
                id: JobId(4),
                kind: JobKind::Prove,
                subject: JobSubject::Draft(id("payment:Gateway.charge")),
                done: 5,
                total: 12,
                state: JobState::Running,
                started: Moment(NOW.0 - 4_000),
                ended: None,
                rate: None,
            }]),
            recordings: Arc::new(recordings),
            log: Arc::new(vec![
                log(1, Level::Info, "saved", "shop/pricing.py: apply_discount changed"),
                trouble,
                log(7, Level::Done, "recorded", "recording 7: 214 calls, exit 0"),
            ]),
            offers: vec![vec!["pytest".into(), "-q".into()], vec!["python".into(), "main.py".into()]],
            python: Some("3.12.4 .venv".into()),
            python_trouble: None,
            model: Some("qwen3-4b".into()),
            containment: "namespaces".into(),
            can_undo: true,
            undo_of_another: None,
            can_redo: false,
            session: None,
        };
        let calls = vec![
            call(1, &[("price", "Decimal('100.00')"), ("code", "'TEN'")], "→ Decimal('90.00')", 2, 31),
            call(2, &[("price", "Decimal('100.00')"), ("code", "None")], "→ Decimal('100.00')", 6, 28),
            call(3, &[("price", "Decimal('19.99')"), ("code", "'HALF'")], "→ Decimal('10.00')", 3, 30),
            call(4, &[("price", "Decimal('-1')"), ("code", "None")], "✗ ValueError('negative price')", 1, 9),
        ];
        let mut views = HashMap::new();
        views.insert(ProposalId(3), draft_view(ProposalState::Ready));
        views.insert(ProposalId(1), change_view());
        let mut proving = draft_view(ProposalState::Proving);
        proving.proposal.id = ProposalId(5);
        proving.plan.clear();
        proving.proposal.evidence = vec![
            Evidence::new(Finding::Pass, EvidenceKind::Syntax, "0.1 s"),
            Evidence::new(Finding::Pass, EvidenceKind::from_text("alone"), "2/2"),
            Evidence::new(Finding::Running, EvidenceKind::from_text("in company"), "1/3 orders"),
            Evidence::new(Finding::Pending, EvidenceKind::Mutants, "queued"),
        ];
        views.insert(ProposalId(5), proving);
        let mut refused = draft_view(ProposalState::Refused);
        refused.proposal.id = ProposalId(6);
        refused.proposal.evidence = vec![Evidence {
            more: vec![
                "> with pytest.raises(KeyError, match=\"lamp\"):".into(),
                "E Failed: DID NOT RAISE KeyError".into(),
                "shop/cart.py:27 in Cart.remove".into(),
            ],
            ..Evidence::new(Finding::Fail, EvidenceKind::FailsAlone, "2 of 2 runs")
        }];
        views.insert(ProposalId(6), refused);
        let mut stale = draft_view(ProposalState::Stale);
        stale.proposal.id = ProposalId(7);
        stale.newer = Some(ProposalId(2));
        views.insert(ProposalId(7), stale);
        let mut other = draft_view(ProposalState::Ready);
        other.proposal.id = ProposalId(2);
        views.insert(ProposalId(2), other);
        let stream = StreamView {
            text: "def test_remove_last_item():\n    cart = Cart([Item(\"lamp\", Decimal(\"100.00\"))])\n    cart.remove(\"lamp\")\n    assert cart.is_empty()\n\n\ndef test_remove_unknown_item():\n    with pytest.raises(KeyError, match=\"la".into(),
            tokens: 184,
            rate: Some(41.2),
            started: Moment(NOW.0 - 4_000),
            model: "qwen3-4b, local".into(),
            ended: false,
        };
        Self {
            snapshot,
            sources: HashMap::from([(rel("shop/pricing.py"), PRICING.to_owned())]),
            calls: HashMap::from([(id("pricing:apply_discount"), calls)]),
            tests_through: HashMap::new(),
            line_values: HashMap::new(),
            recorded: HashMap::new(),
            views,
            stream: Some(stream),
            diffed: None,
            judged: HashMap::new(),
            specs: HashMap::new(),
            outgoing: "{\n  \"model\": \"qwen3-4b\",\n  \"prompt\": \"def bulk_price(price, pieces): ...\"\n}".into(),
        }
    }
}

/// The loop without a terminal: effects that read are answered at once, the others are kept.
pub struct Driver {
    pub state: AppState,
    pub shop: Shop,
    pub asked: Vec<Effect>,
    pub followed: Vec<Option<CallId>>,
    pub now: Moment,
}

impl Driver {
    pub fn new(shop: Shop, size: (u16, u16)) -> Self {
        let settings = settings::Tui::default();
        let state = start(Arc::new(shop.snapshot.clone()), &settings, size, NOW);
        let mut driver = Self { state, shop, asked: Vec::new(), followed: Vec::new(), now: NOW };
        driver.tell(Msg::Tick);
        driver
    }

    pub fn tell(&mut self, msg: Msg) {
        let mut todo = update(&mut self.state, msg, self.now);
        while let Some(effect) = todo.pop() {
            let answer = match effect {
                Effect::ReadSource(path) => {
                    let text = self.shop.sources.get(&path).cloned().unwrap_or_else(|| "def f(x):\n    return x\n".repeat(30));
                    Msg::Source(path.clone(), Ok(highlight::lines(path.file_name(), &text)))
                }
                Effect::ReadCalls(function) => {
                    let rows = self.shop.calls.get(&function).map_or(&[][..], Vec::as_slice);
                    let kind = |row: &CallRow| CallKind { id: row.id, input: row_input(row.id), times: row.times };
                    let kinds = rows.iter().map(kind).collect();
                    Msg::Calls(function, Ok(kinds))
                }
                Effect::ReadCallRows(function, kinds) => {
                    let rows = self.shop.calls.get(&function).map_or(&[][..], Vec::as_slice);
                    let read = kinds.iter().filter_map(|kind| rows.iter().find(|row| row.id == kind.id).cloned()).collect();
                    Msg::CallRows(function, Ok(read))
                }
                Effect::ReadTestsThrough(function) => {
                    let tests = self.shop.tests_through.get(&function).cloned().unwrap_or_default();
                    Msg::TestsThrough(function, Ok(tests))
                }
                Effect::FollowCall(call) => {
                    self.followed.push(call);
                    let lines = call.and_then(|call| Some((call, self.shop.line_values.get(&call)?.clone())));
                    let Some((call, lines)) = lines else { continue };
                    Msg::LineValues(call, lines)
                }
                Effect::ReadRecorded(id) => Msg::Recorded(id, Ok(self.shop.recorded.get(&id).cloned().unwrap_or_default())),
                Effect::ReadProposal(id) => {
                    let view = self.shop.views.get(&id).cloned().map(Loaded::new);
                    Msg::Proposal(id, Box::new(view.ok_or_else(|| Trouble::internal("No such proposal."))))
                }
                Effect::ReadPlan(ids) => {
                    let plans = ids.iter().filter_map(|id| self.shop.views.get(id)).flat_map(|view| &view.plan);
                    let files = plans.map(PlannedFile::new).collect();
                    Msg::Plan(ids, Ok(files))
                }
                Effect::ReadOther(id) => {
                    let view = self.shop.views.get(&id).cloned().map(Loaded::new);
                    Msg::Other(id, Box::new(view.ok_or_else(|| Trouble::internal("No such proposal."))))
                }
                Effect::ReadJudged(test) => {
                    let view = self.shop.judged.get(&test).cloned();
                    Msg::Judged(test, Box::new(view.ok_or_else(|| Trouble::internal("No such test."))))
                }
                Effect::ReadSpec(file) => {
                    let view = self.shop.specs.get(&file).cloned();
                    Msg::Spec(file, Box::new(view.ok_or_else(|| Trouble::internal("No such test."))))
                }
                Effect::ReadDiff => Msg::Diff(self.shop.diffed.clone()),
                Effect::ReadOutgoing(_) => Msg::Outgoing(Some(self.shop.outgoing.as_str().into())),
                other => {
                    self.asked.push(other);
                    continue;
                }
            };
            todo.extend(update(&mut self.state, answer, self.now));
        }
        if let (Some(id), Some(view)) = (self.state.streaming(), self.shop.stream.clone()) {
            let _ = update(&mut self.state, Msg::Stream(id, view), self.now);
        }
    }

    /// Lets a model work on the draft that streams.
    pub fn with_model_job(&mut self) {
        let mut jobs = (*self.shop.snapshot.jobs).clone();
        let model = JobRow {
            id: JobId(5),
            kind: JobKind::Model,
            subject: JobSubject::Writing(id("cart:Cart.remove").into()),
            total: 0,
            ..jobs[0].clone()
        };
        jobs.insert(0, model);
        self.shop.snapshot.jobs = Arc::new(jobs);
        self.happen(Event::Resync);
    }

    /// Presses keys by their names, separated by spaces.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            self.tell(Msg::Key(Key::parse(name).unwrap_or_else(|| panic!("{name} is no key"))));
        }
        self
    }

    /// Types letters.
    pub fn type_in(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.tell(Msg::Key(Key::plain(crossterm::event::KeyCode::Char(c))));
        }
        self
    }

    pub fn happen(&mut self, event: Event) {
        let snapshot = Arc::new(self.shop.snapshot.clone());
        self.tell(Msg::Happened(Box::new(event), snapshot));
    }

    pub fn open(&mut self, proposal: i64) -> &mut Self {
        for _ in 0..self.state.pass.items().len() {
            if self.state.current().is_some_and(|row| row.id == ProposalId(proposal)) {
                return self;
            }
            self.press("J");
        }
        panic!("no proposal {proposal}");
    }

    /// Takes what was sent to the engine.
    pub fn sent(&mut self) -> Vec<Command> {
        let all = std::mem::take(&mut self.asked);
        all.into_iter().filter_map(|effect| if let Effect::Send(command) = effect { Some(command) } else { None }).collect()
    }

    pub fn message(&self) -> String {
        self.state.messages.shown.as_ref().map(|message| message.text.clone()).unwrap_or_default()
    }

    /// Draws the screen as text.
    pub fn screen(&self) -> String {
        let theme = Theme::load(ThemeName::Dark).unwrap();
        let mut terminal = Terminal::new(TestBackend::new(self.state.size.0, self.state.size.1)).unwrap();
        terminal.draw(|f| frame::draw(&self.state, &theme, f)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let mut x = 0;
            let mut line = String::new();
            while x < buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                line.push_str(symbol);
                x += u16::try_from(crate::base::text::width(symbol).max(1)).unwrap();
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}
