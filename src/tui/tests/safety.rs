//! Nothing hostile reaches the terminal, and no key at any size makes the screen fall over.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::{TerminalOptions, Viewport};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::sentence::Sentence;
use crate::domain::call::CallId;
use crate::domain::event::Event;
use crate::domain::line_values::LineValues;
use crate::domain::proposal::ProposalId;
use crate::domain::reason::ReasonCode;
use crate::tui::action::TABLE;
use crate::tui::app::{Mouse, Msg};
use crate::tui::tests::fixture::{Driver, Shop};
use crate::tui::tests::screens::compared;
use crate::tui::tests::{specs, work};
use crate::tui::theme::{Theme, ThemeName};
use crate::tui::view::frame;

/// A title, a screen that is cleared, a link, the clipboard, a device's string, a program's, a question that the terminal answers,
/// eight-bit ones, signs that turn writing round or are not seen, and a sequence without its end.
const HOSTILE: &str = "\x1b]0;owned\x07\x1b[2J\x1b]8;;http://evil\x1b\\here\x1b]52;c;ZXZpbA==\x07\x1bPq#0\x1b\\\x1b_Gi=1\x1b\\\x1b[6n\
                       \u{9b}31m\u{9d}0;x\u{9c}\u{202e}\u{2066}evil\u{2069}\u{e0041}\u{feff}\r\n\t\u{200b}漢字\x1b]0;";

fn spoil(sentence: &mut Sentence) {
    *sentence = format!("{sentence}{HOSTILE}").into();
}

/// The shop after somebody wrote escape sequences wherever text can come from.
fn hostile() -> Shop {
    let mut shop = Shop::new();
    let bad = |text: &mut String| text.push_str(HOSTILE);
    bad(&mut shop.snapshot.project);
    for text in shop.sources.values_mut() {
        *text = format!("def f():  # {HOSTILE}\n    return 1\n").repeat(30);
    }
    for rows in shop.calls.values_mut() {
        for row in rows {
            bad(&mut row.arguments);
            bad(&mut row.outcome);
            row.args.iter_mut().for_each(|(_, value)| bad(value));
            row.inner.iter_mut().for_each(bad);
            row.full.iter_mut().for_each(bad);
        }
    }
    let gave = LineValues { texts: (1..30).map(|line| (line, HOSTILE.to_owned())).collect(), ..LineValues::default() };
    shop.line_values = (1..9).map(|call| (CallId(call), Ok(Arc::new(gave.clone())))).collect();
    for call in (1..9).step_by(2) {
        shop.line_values.insert(CallId(call), Err(HOSTILE.into()));
    }
    for view in shop.views.values_mut() {
        for evidence in &mut view.proposal.evidence {
            spoil(&mut evidence.detail);
            evidence.more.push(HOSTILE.into());
        }
        for edit in &mut view.plan {
            edit.after = edit.after.take().map(|text| format!("{text}# {HOSTILE}\n"));
        }
    }
    if let Some(stream) = &mut shop.stream {
        bad(&mut stream.text);
        bad(&mut stream.model);
    }
    shop.snapshot.log = Arc::new(
        shop.snapshot
            .log
            .iter()
            .cloned()
            .map(|mut row| {
                spoil(&mut row.text);
                row.more.push(HOSTILE.into());
                row
            })
            .collect(),
    );
    shop.snapshot.recordings = Arc::new(
        shop.snapshot
            .recordings
            .iter()
            .cloned()
            .map(|mut row| {
                row.command.push(HOSTILE.into());
                row.output.push(HOSTILE.into());
                row
            })
            .collect(),
    );
    shop.snapshot.offers = vec![vec![HOSTILE.into()]];
    let mut functions = (*shop.snapshot.functions).clone();
    functions[0].id.0.push_str(HOSTILE);
    functions[0].reason = Some(ReasonCode::Network.with(HOSTILE));
    shop.snapshot.functions = Arc::new(functions);
    shop
}

/// Tells whether the bytes hold an escape sequence that is not one of the drawing library's own.
fn foreign(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let unseen = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}' | '\u{200b}' | '\u{feff}');
    let bad = |c: char| (c.is_control() && c != '\x1b') || unseen(c);
    if let Some(at) = text.find(bad) {
        return Some(format!("{:?}", text[at..].chars().take(12).collect::<String>()));
    }
    for (at, _) in text.match_indices('\x1b') {
        let rest = &text[at + 1..];
        let body = rest.strip_prefix('[').unwrap_or("");
        let end = body.find(|c: char| c.is_ascii_alphabetic());
        let drawn = end.is_some_and(|end| matches!(&body[end..=end], "m" | "H") || matches!(&body[..=end], "?25l" | "?25h"));
        if !drawn {
            return Some(format!("{:?}", rest.chars().take(12).collect::<String>()));
        }
    }
    None
}

#[test]
fn no_byte_of_a_hostile_text_reaches_the_terminal() {
    let theme = Theme::load(ThemeName::Dark).unwrap();
    for keys in ["", "Tab", "4", "5", "Q", "w", "v", ":", "?", "!", "A", "f", "i", "Tab Tab c v", "5 v", "4 v", "/", "="] {
        for proposal in [1, 3, 4, 5, 6, 7] {
            let mut driver = Driver::new(hostile(), (160, 45));
            driver.open(proposal).press(keys).tell(Msg::Paste(HOSTILE.into()));
            drawn_soundly(&driver, &theme, &format!("{keys:?} on {proposal}"));
        }
    }
}

fn drawn_soundly(driver: &Driver, theme: &Theme, what: &str) {
    let mut bytes = Vec::new();
    let area = ratatui::layout::Rect::new(0, 0, 160, 45);
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let mut terminal = Terminal::with_options(CrosstermBackend::new(&mut bytes), options).unwrap();
    terminal.draw(|f| frame::draw(&driver.state, theme, f)).unwrap();
    drop(terminal);
    assert!(bytes.len() > 500);
    assert_eq!(foreign(&bytes), None, "after {what}");
}

/// Puts the sequences behind every text in a value that has more than one word; what has one may be a name that it is read by.
fn poisoned<T: Serialize + DeserializeOwned>(value: &T) -> T {
    fn spoil(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) if text.contains([' ', '=', '(']) => text.push_str(HOSTILE),
            serde_json::Value::Array(items) => items.iter_mut().for_each(spoil),
            serde_json::Value::Object(fields) => fields.values_mut().for_each(spoil),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(value).unwrap();
    spoil(&mut json);
    serde_json::from_value(json).unwrap()
}

#[test]
fn nor_does_what_a_verdict_a_step_or_a_comparison_holds() {
    let bad = |text: &mut String| text.push_str(HOSTILE);
    let mut judged = Shop::judged();
    judged.judged.values_mut().for_each(|view| view.judged = poisoned(&view.judged));
    let mut rows = (*judged.snapshot.verdicts).clone();
    rows.iter_mut().for_each(|row| spoil(&mut row.reason));
    judged.snapshot.verdicts = Arc::new(rows);
    let mut specs = specs::shop();
    for view in specs.specs.values_mut() {
        view.steps = poisoned(&view.steps);
        view.last = poisoned(&view.last);
        bad(&mut view.description);
        view.mistakes.iter_mut().flat_map(|mistake| &mut mistake.said).for_each(bad);
    }
    let mut rows = (*specs.snapshot.specs).clone();
    rows.iter_mut().for_each(|row| {
        spoil(&mut row.reason);
        bad(&mut row.name);
    });
    specs.snapshot.specs = Arc::new(rows);
    let mut compared = compared();
    compared.diffed = compared.diffed.map(|diff| Arc::new(poisoned(&*diff)));
    let theme = Theme::load(ThemeName::Dark).unwrap();
    for (shop, screen) in [(judged, "2"), (specs, "3"), (compared, "D Enter")] {
        for keys in ["", "Tab", "Tab Tab", "Enter", "Enter Enter", "v", "z", "j j Enter", "Q", "?", "5"] {
            let mut driver = Driver::new(shop.clone(), (160, 45));
            driver.press(screen);
            if screen == "D Enter" {
                driver.happen(Event::Diffed { reference: "HEAD".into(), functions: 2, compared: 38, differ: 3 });
            }
            driver.press(keys);
            drawn_soundly(&driver, &theme, &format!("{screen} {keys}"));
        }
    }
}

#[test]
fn the_check_itself_sees_a_foreign_sequence() {
    assert!(foreign(b"\x1b[2J").is_some() && foreign(b"\x1b]0;x\x07").is_some() && foreign("\u{202e}".as_bytes()).is_some());
    assert!(foreign(b"\x1b[38;2;1;2;3mtext\x1b[1;1H\x1b[?25l").is_none());
}

fn keys() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = TABLE.iter().flat_map(|entry| entry.keys.iter().copied()).collect();
    prop_oneof![
        8 => proptest::sample::select(names).prop_map(str::to_owned),
        2 => proptest::char::range(' ', '~').prop_map(|c| c.to_string()),
        1 => Just("Backspace".to_owned()),
        1 => Just("Delete".to_owned()),
    ]
}

fn draw(driver: &Driver, theme: &Theme) {
    let (width, height) = driver.state.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|f| frame::draw(&driver.state, theme, f)).unwrap();
}

proptest! {
    // A fifth of what others get: each case draws many frames.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 5, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_at_any_size_never_panic(
        steps in prop::collection::vec((keys(), 1u16..220, 1u16..70, 0u8..12, 0u16..220, 0u16..70), 1..60),
        nasty: bool,
    ) {
        let theme = Theme::load(ThemeName::Ansi).unwrap();
        let shop = if nasty { hostile() } else { Shop::new() };
        let mut driver = Driver::new(shop, (100, 30));
        for (key, width, height, what, x, y) in steps {
            match what {
                0 => driver.tell(Msg::Resize(width, height)),
                1 => driver.tell(Msg::Mouse(Mouse::Press(x, y))),
                2 => driver.tell(Msg::Mouse(Mouse::Wheel(x, y, 3))),
                3 => driver.tell(Msg::Mouse(Mouse::Drag(x, y))),
                _ => {
                    let name = if key == " " { "Space".to_owned() } else { key };
                    let code = match name.as_str() {
                        "Backspace" => crossterm::event::KeyCode::Backspace,
                        "Delete" => crossterm::event::KeyCode::Delete,
                        _ => {
                            driver.press(&name);
                            draw(&driver, &theme);
                            continue;
                        }
                    };
                    driver.tell(Msg::Key(crate::tui::keymap::Key::plain(code)));
                }
            }
            draw(&driver, &theme);
        }
    }

    #[test]
    fn a_shrinking_project_leaves_every_cursor_in_place(keep in 0usize..12, queue in 0usize..7) {
        let theme = Theme::load(ThemeName::Mono).unwrap();
        let mut driver = Driver::new(Shop::new(), (160, 45));
        driver.open(7).press("Tab > Tab > Tab > Tab >");
        driver.shop.snapshot.functions = Arc::new(driver.shop.snapshot.functions.iter().take(keep).cloned().collect());
        driver.shop.snapshot.queue = Arc::new(driver.shop.snapshot.queue.iter().take(queue).cloned().collect());
        driver.shop.snapshot.log = Arc::new(vec![]);
        driver.happen(crate::domain::event::Event::Resync);
        draw(&driver, &theme);
        driver.press("J K a s 4 5 1 Tab j k");
        draw(&driver, &theme);
        prop_assert!(driver.state.current().is_none_or(|row| row.id != ProposalId(-1)));
    }
}

/// Ten thousand functions and a hundred thousand calls: what a key makes depends on the screen, not on the project.
#[test]
fn a_key_in_a_large_project_makes_only_what_is_in_sight() {
    let mut shop = Shop::new();
    let row = shop.snapshot.functions[8].clone();
    let functions = (0..10_000u32).map(|n| {
        let id = crate::domain::function::FunctionId(format!("shop.pricing:f{n}"));
        crate::domain::snapshot::FunctionRow { id, line: n + 1, lines: (n + 1, n + 1), ..row.clone() }
    });
    shop.snapshot.functions = Arc::new(functions.collect());
    let calls = shop.calls.values().next().unwrap()[0].clone();
    shop.calls.insert(crate::domain::function::FunctionId("shop.pricing:f0".into()), vec![calls; 100_000]);
    shop.snapshot.queue = Arc::new(vec![]);
    let theme = Theme::load(ThemeName::Ansi).unwrap();
    let mut driver = Driver::new(shop, (160, 45));
    for keys in ["c", ">", "<", "k", "j", "PgDn", "Tab", "Shift-Tab", "Shift-Tab", "Shift-Tab", "j", "k", ">", "k", "w", "Esc"] {
        driver.asked.clear();
        let (rows, trees) = work::of(|| {
            driver.press(keys);
            draw(&driver, &theme);
        });
        assert!(rows <= 3 * 45, "{keys} made {rows} lines");
        assert_eq!(trees, 0, "{keys} laid out the whole tree");
        assert_eq!(driver.asked, [], "{keys} asked for work");
    }
    let rows = Arc::clone(&driver.state.snapshot);
    let (_, trees) = work::of(|| driver.tell(Msg::Snapshot(rows)));
    assert_eq!(trees, 0, "a snapshot with the same functions laid out the tree");
}
