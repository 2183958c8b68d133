//! Measures the sentences that a user reads: those of the README and of every page in `docs/` that is not for maintainers.
//! No sentence has more than 25 words, the mean of each page is at most 17, and words that hide who does what are absent.
//! `cargo nextest run --test architecture --no-capture sentences::` prints the figures. Links of all pages lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Pages for those who change the program, or measure it: `benches/` writes the page of figures. Every other page is for users.
const FOR_MAINTAINERS: &[&str] =
    &["ARCHITECTURE.md", "benchmarks.md", "draft-rules.md", "find-it.md", "recorder.md", "rerun.md", "spool.md", "worker.md"];

const MOST_WORDS: usize = 25;
const MOST_ON_AVERAGE: f64 = 17.0;
const MOST_LINES_OF_THE_README: usize = 220;

/// Words that say less than the field's own ones, which the glossary of the house lists.
const BANNED: &[&str] = &[
    "told",
    "kept",
    "stands",
    "meanwhile",
    "elsewhere",
    "culprit",
    "culprits",
    "deed",
    "deeds",
    "put away",
    "wavers",
    "minds",
    "made anew",
    "got",
    "alike",
    "of ours",
    "is no",
    "there are not",
    "cannot be told",
];

/// A span of time during which something is stored: the one use of a banned word that is exact.
const ALLOWED: &str = "kept for ";

/// One sentence of a page, or what a table or a heading holds, where only words are looked at.
struct Text {
    line: usize,
    words: String,
    is_sentence: bool,
}

/// Gives the text of a page: sentences of paragraphs and list items, and rows and headings whole. Code is left out; within a
/// line it counts as one word.
fn texts(page: &str) -> Vec<Text> {
    let mut found = Vec::new();
    let mut block: Option<(usize, String)> = None;
    let (mut fenced, mut indented, mut after_blank) = (false, false, true);
    for (at, line) in page.lines().enumerate() {
        let trimmed = line.trim_start().trim_start_matches("> ");
        let fence = trimmed.starts_with("```");
        if fence {
            fenced = !fenced;
        }
        let is_blank = trimmed.is_empty();
        indented = line.starts_with("    ") && (indented || after_blank) || indented && is_blank;
        after_blank = is_blank;
        let whole = trimmed.starts_with('|') || trimmed.starts_with('#');
        let item = ["- ", "* "].iter().find_map(|mark| trimmed.strip_prefix(mark)).or_else(|| numbered(trimmed));
        if fence || fenced || indented || is_blank || whole || item.is_some() || trimmed.starts_with('<') {
            found.extend(block.take().into_iter().flat_map(sentences));
        }
        if fence || fenced || indented || is_blank || trimmed.starts_with('<') {
            continue;
        }
        if whole {
            found.push(Text { line: at + 1, words: plain(trimmed), is_sentence: false });
        } else {
            let (_, text) = block.get_or_insert_with(|| (at + 1, String::new()));
            text.push_str(item.unwrap_or(trimmed));
            text.push(' ');
        }
    }
    found.extend(block.into_iter().flat_map(sentences));
    found
}

/// Gives what follows the number of a list item.
fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() { None } else { rest.strip_prefix(". ") }
}

/// Takes code, addresses and marks out of a text.
fn plain(text: &str) -> String {
    let mut words = String::new();
    let mut code = false;
    for part in text.split('`') {
        words.push_str(if code { "Code" } else { part });
        code = !code;
    }
    while let Some(start) = words.find("](") {
        let end = words[start..].find(')').map_or(words.len(), |end| start + end + 1);
        words.replace_range(start..end, "");
    }
    words.replace(['[', '*'], "").replace('!', "! ").trim().to_owned()
}

/// Cuts a paragraph into sentences. A bold beginning with a full stop is a heading.
fn sentences((line, block): (usize, String)) -> Vec<Text> {
    let body = block.strip_prefix("**").and_then(|rest| rest.split_once(".** ")).map_or(&*block, |(_, body)| body);
    let mut sentences = vec![String::new()];
    for word in plain(body).split_whitespace() {
        let last = sentences.last_mut().expect("one at least");
        last.push_str(word);
        last.push(' ');
        let bare = word.trim_end_matches([')', '"', '”', '’', '_']);
        if bare.ends_with(['.', '!', '?']) && !["e.g.", "i.e.", "vs."].contains(&bare) {
            sentences.push(String::new());
        }
    }
    let sentences = sentences.into_iter().filter(|sentence| count(sentence) > 0);
    sentences.map(|words| Text { line, words, is_sentence: true }).collect()
}

fn count(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Gives the banned words in a text.
fn banned(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase().replace(ALLOWED, "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    let spaced = format!(" {} ", words.join(" "));
    BANNED.iter().copied().filter(|word| spaced.contains(&format!(" {word} "))).collect()
}

/// The figures of a page, and what is wrong with it.
struct Measured {
    sentences: usize,
    words: usize,
    longest: usize,
    wrong: Vec<String>,
}

impl Measured {
    fn mean(&self) -> f64 {
        self.words as f64 / self.sentences.max(1) as f64
    }
}

fn measure(page: &str) -> Measured {
    let mut measured = Measured { sentences: 0, words: 0, longest: 0, wrong: Vec::new() };
    for Text { line, words, is_sentence } in texts(page) {
        for word in banned(&words) {
            measured.wrong.push(format!("{line}: “{word}” in “{}”", words.trim()));
        }
        if is_sentence {
            let long = count(&words);
            measured.sentences += 1;
            measured.words += long;
            measured.longest = measured.longest.max(long);
            if long > MOST_WORDS {
                measured.wrong.push(format!("{line}: {long} words in “{}”", words.trim()));
            }
        }
    }
    if measured.mean() > MOST_ON_AVERAGE {
        measured.wrong.push(format!("1: a mean of {:.1} words", measured.mean()));
    }
    measured
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Gives the README and the pages for users.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = docs.filter(|page| page.extension().is_some_and(|end| end == "md")).collect();
    pages.retain(|page| !FOR_MAINTAINERS.iter().any(|name| page.ends_with(name)));
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

#[test]
#[allow(clippy::print_stdout)] // The figures, for who asks for them by `--no-capture`.
fn what_a_user_reads_has_short_sentences_and_plain_words() {
    let (mut wrong, mut sentences, mut words) = (Vec::new(), 0, 0);
    println!("{:<20} {:>9} {:>6} {:>8}", "page", "sentences", "mean", "longest");
    for path in pages() {
        let measured = measure(&std::fs::read_to_string(&path).expect("a page"));
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        println!("{name:<20} {:>9} {:>6.1} {:>8}", measured.sentences, measured.mean(), measured.longest);
        (sentences, words) = (sentences + measured.sentences, words + measured.words);
        wrong.extend(measured.wrong.into_iter().map(|what| format!("{name}:{what}")));
    }
    println!("{:<20} {sentences:>9} {:>6.1}", "all", words as f64 / sentences as f64);
    assert!(sentences > 600, "only {sentences} sentences were found");
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Tells whether a page says in its first paragraph what you can do, and shows an example soon after.
fn begins_well(page: &str) -> bool {
    let lines: Vec<&str> = page.lines().take(16).collect();
    let first = lines.iter().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let is_for_you = first.flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).any(|word| word.to_lowercase() == "you");
    is_for_you && lines.iter().any(|line| line.starts_with("```") || line.starts_with("    "))
}

#[test]
fn every_page_begins_with_what_you_can_do_and_an_example() {
    // The README begins with a sentence and a picture, the list of pages with its links.
    let lists = ["README.md", "docs/README.md"].map(|name| root().join(name));
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a page");
    let wrong: Vec<_> = pages().into_iter().filter(|path| !lists.contains(path) && !begins_well(&read(path))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(begins_well("# A\n\nYou do it:\n\n    do it\n"));
    assert!(!begins_well("# A\n\nIt is done:\n\n    do it\n") && !begins_well("# A\n\nYou do it.\n\nIt is yours.\n"));
}

#[test]
fn the_readme_is_read_in_one_sitting() {
    let lines = std::fs::read_to_string(root().join("README.md")).expect("a README").lines().count();
    assert!(lines <= MOST_LINES_OF_THE_README, "{lines} lines");
}

/// Gives the names by which the headings of a page can be linked to, and those that it gives itself.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut found = BTreeSet::new();
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !fenced) {
            let kept = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
        found.extend(line.split("id=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    }
    found
}

/// Gives the links of a page to files that are not there, or to headings that these do not have.
fn dead_links(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    let dead = targets.filter(|target| !target.starts_with("http")).filter(|target| {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(file) };
        let has = |anchor: &str| std::fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(anchor));
        !file.exists() || !anchor.is_empty() && !has(anchor)
    });
    dead.map(|target| format!("{}: {target}", page.display())).collect()
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let docs = std::fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = docs.filter(|page| page.extension().is_some_and(|end| end == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let dead: Vec<String> = pages.iter().flat_map(|page| dead_links(page)).collect();
    assert!(pages.len() > 25 && dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn every_page_is_in_the_list_of_pages() {
    let list = std::fs::read_to_string(root().join("docs/README.md")).expect("the list");
    let docs = std::fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").file_name());
    let names = docs.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".md") && name != "README.md");
    let missing: Vec<String> = names.filter(|name| !list.contains(&format!("]({name})"))).collect();
    assert!(missing.is_empty(), "docs/README.md does not list {missing:?}");
}

#[test]
fn every_page_for_maintainers_is_there() {
    let gone: Vec<_> = FOR_MAINTAINERS.iter().filter(|name| !root().join("docs").join(name).is_file()).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

#[test]
fn the_measure_sees_long_sentences_and_banned_words_and_leaves_code_and_tables_aside() {
    let long = format!("{}end.", "word ".repeat(25));
    let wrong = |page: &str| measure(page).wrong;
    assert_eq!(wrong(&long).len(), 2, "26 words, which is too much on average, too");
    assert_eq!(wrong(&format!("Short.\n\n- item\n  {long}\n")).len(), 1);
    assert_eq!(wrong(&format!("**Bold.** Two words. {long}")).len(), 1);
    assert!(wrong(&format!("```text\n{long}\n```\n\n    {long}\n\n| {long} |\n\nDone. See `{long}`.")).is_empty());
    assert_eq!(wrong("Nothing is told, and nobody got\nit.").len(), 2);
    assert_eq!(wrong("| a verdict is put away |\n\n# Of ours").len(), 2);
    assert!(wrong("Logs are kept for 30 days. A `told` is code. It is not here, it is nothing.").is_empty());
    let headings = anchors("# A `b`: c_d\n```\n# code\n```\n## Two\n<a id=\"x\"></a>");
    assert_eq!(headings, ["a-b-c_d", "two", "x"].map(str::to_owned).into());
    let seen = measure("See [the page](docs/a.md). A second (one.) A third");
    assert_eq!((seen.sentences, seen.words, seen.longest), (3, 8, 3));
}
