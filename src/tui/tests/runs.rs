//! Recordings, jobs and the log: what can be opened, run again, stopped, filtered and copied, and that news moves nothing.

use std::sync::Arc;

use crate::base::clock::Moment;
use crate::domain::call::{CallId, ProgramEnd, RecordingId};
use crate::domain::command::{Command, JobId};
use crate::domain::event::{Event, JobKind, JobState, Level};
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::{CallRow, JobRow, LogRow, RecordedRow, RecordingRow, Topic};
use crate::tui::app::Effect;
use crate::tui::layout::{Pane, Screen};
use crate::tui::tests::fixture::{Driver, NOW, Shop, id, rel, row_input};
use crate::tui::tests::screens::shots;

fn kept(number: i64, function: &str, depth: u16, arguments: &str, outcome: &str, times: u64) -> RecordedRow {
    RecordedRow {
        id: CallId(number),
        function: id(function),
        depth,
        arguments: arguments.into(),
        outcome: outcome.into(),
        failed: outcome.starts_with('✗'),
        times,
        duration_ns: 31_000,
        input: row_input(CallId(number)),
    }
}

/// The shop with the calls of its recording, a second one that is live, and jobs of every kind of end.
fn shop() -> Shop {
    let mut shop = Shop::new();
    shop.recorded.insert(
        RecordingId(7),
        vec![
            kept(9, "cart:Cart.total", 0, "(country='FR')", "→ Decimal('104.90')", 2),
            kept(2, "pricing:apply_discount", 1, "(Decimal('100.00'), None)", "→ Decimal('100.00')", 6),
            kept(4, "pricing:apply_discount", 1, "(Decimal('-1'), None)", "✗ ValueError('negative price')", 1),
            kept(11, "pricing:shipping_for", 0, "(Decimal('10'), 'FR')", "→ Decimal('4.90')", 1),
        ],
    );
    let mut rows = (*shop.snapshot.recordings).clone();
    let live = |number: i64, command: &str| RecordingRow {
        id: RecordingId(number),
        command: command.split(' ').map(str::to_owned).collect(),
        end: ProgramEnd::Running,
        started: Moment(NOW.0 - 41_000),
        duration_ms: 41_000,
        seen: 12_480,
        at_least: true,
        newest: vec!["Cart.total".into(), "Gateway.charge".into()],
        output: vec!["GET /cart 200 · POST /pay 200".into()],
        ..rows[0].clone()
    };
    let live = [live(9, "python -m shop.report"), live(8, "python -m shop.serve")];
    rows.splice(0..0, live);
    shop.snapshot.recordings = Arc::new(rows);
    let recorded = |id, command: &str| JobSubject::Recording { id: RecordingId(id), command: command.into() };
    let job = |number: u64, kind: JobKind, subject: JobSubject, state: JobState| JobRow {
        id: JobId(number),
        kind,
        subject,
        done: 5,
        total: 12,
        state,
        started: Moment(NOW.0 - 4_000),
        ended: matches!(state, JobState::Done | JobState::Failed).then_some(Moment(NOW.0 - 1_000)),
        rate: None,
    };
    shop.snapshot.jobs = Arc::new(vec![
        job(1, JobKind::Index, JobSubject::Project("shop".into()), JobState::Done),
        JobRow { total: 0, ..job(2, JobKind::Record, recorded(8, "python -m shop.serve"), JobState::Running) },
        JobRow { total: 0, ..job(3, JobKind::Record, recorded(9, "python -m shop.report"), JobState::Running) },
        job(4, JobKind::Prove, JobSubject::Draft(id("payment:Gateway.charge")), JobState::Running),
        JobRow {
            rate: Some(41.2),
            total: 0,
            done: 184,
            ..job(5, JobKind::Model, JobSubject::Writing(id("cart:Cart.remove").into()), JobState::Running)
        },
        job(6, JobKind::Prove, JobSubject::Draft(id("cart:Cart.add")), JobState::Waiting),
        job(7, JobKind::Replay, JobSubject::Writing(id("cart:Cart.total").into()), JobState::Failed),
    ]);
    shop
}

fn driver(size: (u16, u16)) -> Driver {
    let mut driver = Driver::new(shop(), size);
    driver.press("4");
    driver.asked.clear();
    driver
}

/// Moves the cursor down to a line that holds these words.
fn to(driver: &mut Driver, words: &str) {
    for _ in 0..60 {
        let screen = driver.screen();
        let marked = screen.lines().find(|line| line.starts_with('>'));
        if marked.is_some_and(|line| line.contains(words)) {
            return;
        }
        driver.press("j");
    }
    panic!("no line with {words}:\n{}", driver.screen());
}

const SIZES: [(u16, u16); 4] = [(200, 50), (120, 40), (80, 24), (60, 20)];

#[test]
fn runs_at_every_size() {
    shots("runs_all", &SIZES, &shop(), |d| {
        d.press("4");
    });
    shots("recorded", &SIZES, &shop(), |d| {
        d.press("4");
        to(d, "recording 7");
        d.press("Enter");
    });
}

#[test]
fn enter_opens_the_calls_of_a_recording_and_from_there_the_function_at_that_call() {
    for size in SIZES {
        let mut d = driver(size);
        to(&mut d, "recording 7");
        d.press("Enter");
        assert_eq!((d.state.screen, d.state.focus), (Screen::Runs, Pane::Recorded));
        let screen = d.screen();
        assert!(screen.contains("recording 7") && screen.contains("4 kept calls"), "{screen}");
        d.press("j j Enter");
        assert_eq!((d.state.screen, d.state.focus), (Screen::Review, Pane::Calls));
        assert_eq!(d.state.subject, Some(id("pricing:apply_discount").into()));
        assert_eq!(d.state.calls.kinds()[d.state.calls.selected].id, CallId(4));
        d.press("b");
        assert_eq!((d.state.screen, d.state.focus, d.state.recorded.list.cursor), (Screen::Runs, Pane::Recorded, 2));
    }
}

#[test]
fn the_calls_of_a_recording_are_filtered_and_the_filter_stays_in_sight() {
    let mut d = driver((60, 20));
    to(&mut d, "recording 7");
    d.press("Enter f").type_in("is:failing apply").press("Enter");
    let screen = d.screen();
    assert!(screen.contains("ValueError") && !screen.contains("shipping_for") && screen.contains("×F]"), "{screen}");
    assert!(d.state.filter.is_empty(), "the filter of functions is another one");
    d.press("F");
    assert!(d.screen().contains("shipping_for"));
}

#[test]
fn x_stops_the_recording_under_the_cursor_and_no_other_one() {
    let mut d = driver((120, 40));
    to(&mut d, "recording 8");
    d.press("x");
    assert_eq!(d.sent(), [Command::Cancel { job: Some(JobId(2)) }]);
    to(&mut d, "recording 7");
    d.press("x");
    assert_eq!(d.sent(), [], "that one ended");
    to(&mut d, "prove    Gateway.charge");
    d.press("x");
    assert_eq!(d.sent(), [Command::Cancel { job: Some(JobId(4)) }]);
    assert!(d.screen().contains("cancelling"));
}

#[test]
fn t_does_again_what_stands_under_the_cursor() {
    let mut d = driver((120, 40));
    to(&mut d, "replay   Cart.total");
    d.press("t");
    assert_eq!(d.sent(), [Command::Replay { functions: vec![id("cart:Cart.total")] }]);
    let mut d = driver((120, 40));
    to(&mut d, "recording 7");
    d.press("t");
    assert_eq!(d.sent(), [Command::DraftRecording { recording: RecordingId(7) }]);
    // To record it again, its command stands in the prompt.
    d.press("!");
    assert!(d.screen().contains("pytest -q"), "{}", d.screen());
    d.press("Enter");
    let argv = vec!["pytest".to_owned(), "-q".to_owned()];
    assert_eq!(d.sent(), [Command::Record { argv, limit: None, targets: vec![] }]);
}

#[test]
fn what_is_left_and_tokens_a_second_stand_where_jobs_are_counted() {
    let mut d = driver((120, 40));
    let screen = d.screen();
    let second = screen.lines().nth(1).unwrap().to_owned();
    assert!(
        second.contains("2 recordings live, 2 jobs run, 1 waits") && second.contains("41 tok/s · about 5 s left"),
        "{second}"
    );
    assert!(screen.contains("12 480+ (304/s)"), "{screen}");
    // The one that ended says how long it took.
    assert!(screen.lines().any(|line| line.contains("replay") && line.contains("3.0 s")), "{screen}");
    d.press("j");
    assert!(d.screen().contains("x stop"));
}

#[test]
fn a_new_recording_moves_neither_the_line_under_the_cursor_nor_what_is_open() {
    let mut d = driver((120, 40));
    to(&mut d, "recording 7");
    let row = |d: &Driver| d.screen().lines().position(|line| line.contains("recording 7")).unwrap();
    d.press("Enter");
    let mut rows = (*d.shop.snapshot.recordings).clone();
    rows.insert(0, RecordingRow { id: RecordingId(10), end: ProgramEnd::Exited(0), ..rows[0].clone() });
    d.shop.snapshot.recordings = Arc::new(rows);
    d.happen(Event::Resync);
    assert_eq!(d.state.recorded.recording, Some(RecordingId(7)));
    d.press("Shift-Tab");
    let screen = d.screen();
    assert!(screen.lines().any(|line| line.starts_with('>') && line.contains("recording 7")), "{screen}");
    assert!(row(&d) > 2);
}

fn logged(number: i64, level: Level, word: &str, text: &str) -> LogRow {
    LogRow { at: Moment(NOW.0 - number * 1_000), level, word: word.into(), text: text.into(), more: vec![], about: None }
}

fn with_log(rows: Vec<LogRow>, size: (u16, u16)) -> Driver {
    let mut shop = shop();
    shop.snapshot.log = Arc::new(rows);
    let mut driver = Driver::new(shop, size);
    driver.press("5");
    driver.asked.clear();
    driver
}

fn about(topic: Topic, row: LogRow) -> LogRow {
    LogRow { about: Some(topic), ..row }
}

fn log() -> Vec<LogRow> {
    let mut trouble = logged(3, Level::Error, "watch", "3 folders are polled: no file watches are left on this machine today.");
    trouble.more = vec!["Raise fs.inotify.max_user_watches or ignore folders.".into()];
    vec![
        about(Topic::Function(id("cart:Cart.add")), logged(1, Level::Done, "proved", "Cart.add 12/12")),
        about(Topic::File(rel("shop/pricing.py")), logged(2, Level::Info, "saved", "shop/pricing.py: no function changed")),
        trouble,
        logged(4, Level::Warning, "recorder", "left out: 2 values were cut at 1 MB"),
        about(Topic::Recording(RecordingId(7)), logged(5, Level::Done, "recorded", "recording 7: 214 calls, exit 0, 3100 ms")),
        logged(6, Level::Info, "opened", "5 files, 12 functions, 38 ms"),
    ]
}

#[test]
fn the_log_at_every_size() {
    let mut shop = shop();
    shop.snapshot.log = Arc::new(log());
    shots("log_all", &SIZES, &shop, |d| {
        d.state.log_file = Some("~/.local/state/pytead-tui/pytead.log".into());
        d.press("5");
    });
}

#[test]
fn enter_opens_what_a_line_of_the_log_is_about() {
    let mut d = with_log(log(), (100, 30));
    d.press("Enter");
    assert_eq!((d.state.screen, d.state.subject.clone()), (Screen::Review, Some(id("cart:Cart.add").into())));
    let mut d = with_log(log(), (100, 30));
    d.press(". Enter");
    assert_eq!(d.state.screen, Screen::Review);
    assert_eq!(d.state.source.path.as_ref().map(|path| path.as_str()), Some("shop/pricing.py"));
    let mut d = with_log(log(), (100, 30));
    d.press(". . . . Enter");
    assert_eq!((d.state.screen, d.state.recorded.recording), (Screen::Runs, Some(RecordingId(7))));
    d.press("b");
    assert_eq!((d.state.screen, d.state.focus), (Screen::Log, Pane::Log));
    // What is about no one thing is shown whole, whatever words it is made of.
    let mut d = with_log(vec![logged(1, Level::Warning, "decided", "recording 7, shop/pricing.py and Cart.add")], (100, 30));
    d.press("Enter");
    assert_eq!((d.state.screen, d.state.layers.len()), (Screen::Log, 1));
    let mut d = with_log(log(), (100, 30));
    d.press(". . Enter");
    assert!(d.screen().contains("max_user_watches") && d.state.layers.len() == 1, "{}", d.screen());
}

#[test]
fn the_log_is_filtered_by_words_kind_and_weight() {
    let mut d = with_log(log(), (80, 24));
    assert!(d.screen().contains("6 entries") && d.screen().contains("1 !  1 ~"), "{}", d.screen());
    d.press("f").type_in("is:error").press("Enter");
    let screen = d.screen();
    assert!(screen.contains("1 of 6 entries") && screen.contains("inotify") && !screen.contains("proved"), "{screen}");
    d.press("F f").type_in("is:recorded").press("Enter");
    assert!(d.screen().contains("1 of 6 entries") && d.screen().contains("recording 7"), "{}", d.screen());
}

#[test]
fn y_copies_all_of_an_entry_of_the_log() {
    let mut d = with_log(log(), (60, 20));
    d.press(". . y");
    let text = "10:44:57 watch 3 folders are polled: no file watches are left on this machine today.\nRaise fs.inotify.max_user_watches or ignore folders.";
    assert_eq!(d.asked.last(), Some(&Effect::Copy(text.into())));
}

#[test]
fn a_line_of_the_log_stays_under_the_cursor_when_news_comes_above_it() {
    let mut d = with_log(log(), (60, 20));
    d.press(". . .");
    let line = |d: &Driver| d.screen().lines().find(|line| line.starts_with('>')).unwrap().to_owned();
    let before = line(&d);
    assert!(before.contains("recorder"));
    let mut rows = log();
    rows.insert(0, logged(0, Level::Info, "saved", "shop/cart.py: Cart.total changed"));
    d.shop.snapshot.log = Arc::new(rows.clone());
    d.happen(Event::Resync);
    assert_eq!(line(&d), before);
    // At the top the newest is followed.
    d.press("<");
    rows.insert(0, logged(-1, Level::Info, "saved", "shop/cart.py: Cart.add changed"));
    d.shop.snapshot.log = Arc::new(rows);
    d.happen(Event::Resync);
    assert!(line(&d).contains("Cart.add"), "{}", d.screen());
}

#[test]
fn filters_of_every_screen_are_there_in_the_next_session() {
    let mut d = with_log(log(), (80, 24));
    d.press("f").type_in("is:error").press("Enter 4 Tab f").type_in("apply").press("Enter");
    let mut shop = shop();
    shop.snapshot.session = Some(Arc::new(crate::tui::session::keep(&d.state)));
    let again = Driver::new(shop, (80, 24));
    assert_eq!((again.state.log_filter.text.as_str(), again.state.runs_filter.text.as_str()), ("is:error", "apply"));
    assert_eq!(again.state.focus, Pane::Recorded);
}

#[test]
fn settings_that_were_written_are_taken() {
    let mut d = driver((80, 24));
    d.happen(Event::SettingsRead { wrong: Vec::new() });
    assert!(d.asked.contains(&Effect::TakeSettings(Vec::new())));
}

#[test]
fn a_hundred_thousand_kinds_of_calls_of_a_function_are_one_list_and_those_in_sight_are_read() {
    let mut shop = shop();
    let one = shop.calls[&id("pricing:apply_discount")][0].clone();
    let row = |n: i64| CallRow { id: CallId(n), arguments: format!("(price={n})"), times: 2, ..one.clone() };
    shop.calls.insert(id("cart:Cart.total"), (0..100_000).map(row).collect());
    let mut d = Driver::new(shop, (120, 40));
    d.press("c");
    assert!(d.screen().contains(" 100 000 kinds "), "{}", d.screen());
    assert!(d.screen().contains("(price=3)") && d.state.calls.rows.len() <= 200, "{}", d.state.calls.rows.len());
    d.press("> k k k");
    assert!(d.screen().contains("(price=99998)"), "{}", d.screen());
    for _ in 0..30 {
        d.press("Ctrl-u");
    }
    assert!(d.state.calls.rows.len() <= 1_300, "{} are kept", d.state.calls.rows.len());
    d.press("<");
    assert!(d.screen().contains("(price=0)"), "{}", d.screen());
}

#[test]
fn a_hundred_thousand_calls_of_a_recording_are_one_list_of_which_only_what_is_in_sight_is_made() {
    let mut shop = shop();
    let row = kept(1, "pricing:apply_discount", 0, "(Decimal('100.00'), None)", "→ Decimal('100.00')", 1);
    shop.recorded.insert(RecordingId(7), (0..100_000).map(|n| RecordedRow { id: CallId(n), ..row.clone() }).collect());
    let mut d = Driver::new(shop, (120, 40));
    d.press("4");
    to(&mut d, "recording 7");
    d.press("Enter >");
    assert_eq!(d.state.recorded.list.cursor, 99_999);
    let (rows, _) = crate::tui::tests::work::of(|| {
        d.press("k");
        d.screen();
    });
    assert!(rows < 100, "{rows} rows for one key");
}
