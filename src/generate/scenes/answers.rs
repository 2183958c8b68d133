//! What is asserted of an answer: the status, where it leads, JSON leaf by leaf, and of a page what a person sees of it.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::base::text::width;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::{Answer, Framework, Scene, Step};
use crate::generate::around;
use crate::generate::layout::{Expr, WIDTH};
use crate::generate::scenes::pages::Pages;
use crate::generate::scenes::writer::Writer;
use crate::generate::scope::snake;

/// Texts of a page that are asserted.
const TEXTS_MAX: usize = 3;
/// Characters of such a text.
const TEXT: std::ops::RangeInclusive<usize> = 3..=70;
/// Lines of what a command printed.
const PRINTED_MAX: usize = 10;
/// Characters of JSON that are read.
const JSON_MAX: usize = 1_500;
/// Words of a name that a text of a page gives.
const WORDS_MAX: usize = 4;

/// The arguments of the act.
pub(super) type Given<'a> = (&'a [Json], &'a [(String, Json)]);

/// Writes the assertions about the answer that has a name.
pub(super) fn asserted(
    writer: &mut Writer<'_, '_>,
    answer: &Answer,
    name: &str,
    given: Given<'_>,
    pages: &Pages<'_>,
) -> Result<Vec<String>, Reason> {
    let mut lines = Vec::new();
    if let Some(code) = answer.exit {
        lines.push(format!("    assert {name}.exit_code == {code}"));
        if let Some(body) = answer.body.as_deref().filter(|body| !body.is_empty()) {
            if body.lines().count() > PRINTED_MAX {
                return Err(ReasonCode::TooLong.with(body.len()));
            }
            let expected = match writer.base.clone().filter(|base| body.contains(base.as_str())) {
                Some(base) => below(writer, body, &base),
                None => Expr::Text(body.to_owned()),
            };
            lines.extend(expected.lines(4, &format!("assert {name}.output == "), ""));
        }
        return Ok(lines);
    }
    let status = answer.status.ok_or(ReasonCode::NotComparable)?;
    lines.push(format!("    assert {name}.status_code == {status}"));
    let django = answer.by == Framework::Django;
    if let Some(location) = answer.location.as_deref().filter(|_| (300..400).contains(&status)) {
        let subject = if django { format!("{name}[\"Location\"]") } else { format!("{name}.headers[\"Location\"]") };
        lines.extend(leads(writer, location, &subject, django));
        return Ok(lines);
    }
    let Some(body) = answer.body.as_deref().filter(|body| !body.is_empty() && status != 204) else { return Ok(lines) };
    if is_json(answer) {
        let Ok(told) = serde_json::from_str::<Json>(body) else { return Ok(lines) };
        let known = texts_of(writer.scene, given);
        let expected = json(writer, &told, None, django, &known);
        if expected.flat().len() > JSON_MAX {
            return Err(ReasonCode::TooLong.with(expected.flat().len()));
        }
        let subject = if answer.by == Framework::Werkzeug { format!("{name}.json") } else { format!("{name}.json()") };
        lines.extend(expected.lines(4, &format!("assert {subject} == "), ""));
        return Ok(lines);
    }
    let subject = if django { format!("{name}.content.decode()") } else { format!("{name}.text") };
    if !body.contains('<') && body.lines().count() == 1 && width(body) <= *TEXT.end() && is_steady(body) {
        lines.extend(Expr::Text(body.to_owned()).lines(4, &format!("assert {subject} == "), ""));
        return Ok(lines);
    }
    for text in telling(writer.scene, body, given, pages) {
        let line = Expr::Text(text).lines(4, "assert ", &format!(" in {subject}"));
        if line.len() == 1 && width(&line[0]) <= WIDTH {
            lines.extend(line);
        }
    }
    Ok(lines)
}

/// Writes a text that names the temporary folder.
fn below(writer: &mut Writer<'_, '_>, text: &str, base: &str) -> Expr {
    let (line, end) = text.strip_suffix('\n').map_or((text, ""), |line| (line, "\\n"));
    writer.take_builtin("tmp_path");
    if line.contains(['{', '}', '"', '\\', '\n', '\r', '\t']) {
        return around::naming(text, base);
    }
    Expr::Atom(format!("f\"{}{end}\"", line.replace(base, "{tmp_path}")))
}

/// Writes where a redirect leads. A key that no row of the test has may be another one elsewhere.
fn leads(writer: &mut Writer<'_, '_>, location: &str, subject: &str, django: bool) -> Vec<String> {
    if let Some(path) = writer.path(location) {
        return vec![format!("    assert {subject} == {path}")];
    }
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let number = location.split('/').position(|part| is_number(&part)).filter(|at| django && *at > 1);
    match number {
        Some(at) => {
            let before: Vec<&str> = location.split('/').take(at).collect();
            Expr::Text(before.join("/") + "/").lines(4, &format!("assert {subject}.startswith("), ")")
        }
        None => Expr::Text(location.to_owned()).lines(4, &format!("assert {subject} == "), ""),
    }
}

fn is_json(answer: &Answer) -> bool {
    answer.content_type.as_deref().is_some_and(|kind| kind.split(';').next().is_some_and(|kind| kind.ends_with("json")))
}

/// Writes JSON; what another run gives otherwise is `ANY`.
fn json(writer: &mut Writer<'_, '_>, value: &Json, key: Option<&str>, django: bool, known: &BTreeSet<String>) -> Expr {
    match value {
        Json::Null => Expr::atom("None"),
        Json::Bool(true) => Expr::atom("True"),
        Json::Bool(false) => Expr::atom("False"),
        Json::Number(number) => {
            let is_key = django && key.is_some_and(|key| matches!(key, "id" | "pk") || key.ends_with("_id"));
            if !is_key {
                return Expr::Atom(number.to_string());
            }
            match writer.only_row(&number.to_string()) {
                Some(key) => Expr::Atom(key),
                None => writer.any(),
            }
        }
        Json::String(text) if text.contains("[REDACTED") || !is_steady(text) && !known.contains(text) => writer.any(),
        Json::String(text) => Expr::Text(text.clone()),
        Json::Array(items) => Expr::list(items.iter().map(|item| json(writer, item, None, django, known)).collect()),
        Json::Object(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| (Expr::Text(key.clone()), json(writer, value, Some(key), django, known)));
            Expr::dict(pairs.collect())
        }
    }
}

/// Tells whether a text has no date and no time in it, and does not name the version of a program: `Werkzeug/3.1.9`.
fn is_steady(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let has_time = ["0000-00-00", "00:00", "00/00/0000", "00000000-"].iter().any(|pattern| shape.contains(pattern));
    let is_version = |text: &str| text.contains('.') && text.split('.').all(|part| part.parse::<u32>().is_ok());
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'));
    !has_time && !text.split_once('/').is_some_and(|(name, version)| is_name(name) && is_version(version))
}

/// Lists the texts of a page that tell it from others: those that no other answer has, then those that the test gave, else its
/// heading.
fn telling(scene: &Scene, body: &str, given: Given<'_>, pages: &Pages<'_>) -> Vec<String> {
    let seen = segments(body);
    let fits = |text: &String| {
        let plain = !text.contains(['&', '"', '\\']) && !text.contains("[REDACTED");
        TEXT.contains(&text.chars().count()) && plain && is_steady(text)
    };
    let mut texts: Vec<&(String, String)> = seen.iter().filter(|(_, text)| fits(text)).collect();
    // A title is not on the page.
    texts.sort_by_key(|(tag, _)| tag == "title");
    let known = texts_of(scene, given);
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: &String| {
        if found.len() < TEXTS_MAX && found.iter().all(|known| !known.contains(text.as_str())) {
            found.push(text.clone());
        }
    };
    for text in pages.own_texts(scene, body) {
        if fits(&text) && texts.iter().any(|(tag, known)| *known == text && tag != "title") {
            add(&text);
        }
    }
    texts.iter().filter(|(_, text)| known.iter().any(|known| text.contains(known.as_str()))).for_each(|(_, text)| add(text));
    if found.is_empty() {
        // What stands on every page tells none of them.
        texts.sort_by_key(|(_, text)| pages.with(text));
        let rarest = texts.first().map_or(0, |(_, text)| pages.with(text));
        texts.retain(|(_, text)| pages.with(text) == rarest);
        let heading = texts.iter().find(|(tag, _)| matches!(tag.as_str(), "h1" | "h2")).or(texts.first());
        found.extend(heading.map(|(_, text)| text.clone()));
        let content = texts.iter().find(|(tag, _)| matches!(tag.as_str(), "p" | "li" | "td" | "dd" | "a"));
        found.extend(content.map(|(_, text)| text.clone()).filter(|text| heading.is_some_and(|(_, known)| known != text)));
    }
    found
}

/// Lists the texts that a test gave: to the request, and to rows.
fn texts_of(scene: &Scene, (args, kwargs): Given<'_>) -> BTreeSet<String> {
    fn walk(value: &Json, found: &mut BTreeSet<String>) {
        match value {
            Json::String(text) if text.chars().count() > 3 && !text.starts_with('/') => {
                found.insert(text.clone());
            }
            Json::Array(items) => items.iter().for_each(|item| walk(item, found)),
            Json::Object(told) => told.values().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    args.iter().chain(kwargs.iter().map(|(_, value)| value)).for_each(|value| walk(value, &mut found));
    for step in &scene.steps {
        if let Step::Row { args, kwargs, .. } = step {
            args.iter().chain(kwargs.iter().map(|(_, value)| value)).for_each(|value| walk(value, &mut found));
        }
    }
    found
}

/// Lists what a person sees of a page, each text with the tag around it.
pub(super) fn segments(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut tag = String::new();
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        let text = rest[..open].trim();
        if !text.is_empty() && !text.contains('\n') && !matches!(tag.as_str(), "script" | "style") {
            found.push((tag.clone(), text.to_owned()));
        }
        let after = &rest[open + 1..];
        let Some(close) = after.find('>') else { return found };
        let name: String = after.chars().take_while(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_lowercase();
        rest = &after[close + 1..];
        if matches!(name.as_str(), "script" | "style") {
            rest = rest.find(&format!("</{name}")).map_or("", |end| &rest[end..]);
        }
        tag = name;
    }
    let text = rest.trim();
    if !text.is_empty() && !text.contains('\n') {
        found.push((tag, text.to_owned()));
    }
    found
}

/// Names what a request does and what comes of it, and what kind of test that is.
pub(super) fn words(
    answer: &Answer,
    method: &str,
    given: Given<'_>,
    login: bool,
    pages: &Pages<'_>,
    scene: &Scene,
) -> (String, String) {
    if let Some(code) = answer.exit {
        let words = if code == 0 { "prints".to_owned() } else { format!("exits_with_{code}") };
        return (words.clone(), words);
    }
    let status = answer.status.unwrap_or_default();
    let mut words = Vec::new();
    if matches!(method, "post" | "put" | "patch" | "delete" | "head" | "options") {
        words.push(snake(method));
    }
    let said = match answer.body.as_deref().filter(|_| status == 200 && !is_json(answer)) {
        Some(body) if pages.has_another(scene, answer.body.as_deref()) => {
            let own = pages.own_texts(scene, body);
            let told = telling(scene, body, given, pages).into_iter().find(|text| own.contains(text));
            told.map(|text| slug(&text)).filter(|text| !text.is_empty())
        }
        _ => None,
    };
    let end = match status {
        300..400 => {
            let path = answer.location.as_deref().unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
            let slug = slug(path);
            if slug.is_empty() { "redirects_home".to_owned() } else { format!("redirects_to_{slug}") }
        }
        400 => "is_rejected".to_owned(),
        401 => "is_unauthorised".to_owned(),
        403 => "is_forbidden".to_owned(),
        404 => "is_not_found".to_owned(),
        200 if said.is_some() => format!("says_{}", said.clone().unwrap_or_default()),
        200 => String::new(),
        other => format!("gives_{other}"),
    };
    let kind = format!("{} {status} {end}", words.join(" "));
    words.extend(Some(end).filter(|end| !end.is_empty()));
    if login {
        words.push("after_login".to_owned());
    }
    (words.join("_"), kind)
}

/// Gives the first words of a text as a part of a name.
fn slug(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let words = plain.split_whitespace().filter(|word| !word.chars().all(|c| c.is_ascii_digit()));
    words.take(WORDS_MAX).collect::<Vec<_>>().join("_")
}
