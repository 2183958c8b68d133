//! Secrets found by their position among other values: in the column of a heading, in a list of values that follows a list of names,
//! as a parameter of an SQL statement, as an argument of a command. The callers read the values: from a record or from the literals
//! of a text.

use std::borrow::Cow;
use std::ops::Range;

use super::beside;
use super::bits::{is_random, looks_secret};
use super::commands;
use super::found::is_placeholder;
use super::literals;
use super::names::{self, Holds};
use super::statements::{self, At, Slot, Slots};

/// A value with its position: a text, a number, or a group of values, each perhaps with a key.
#[derive(Debug, Clone)]
pub enum Part<'a> {
    /// A text.
    Text(usize, Cow<'a, str>),
    /// A whole number.
    Number(usize, u64),
    /// Several.
    Group(Vec<(Option<&'a str>, Part<'a>)>),
    /// Anything else.
    Other,
}

/// A secret: the place of its value, and from where to where of its text.
pub type Placed = (usize, Range<usize>);

/// The values of one list, mapping or call.
type Group<'p, 'a> = &'p [(Option<&'a str>, Part<'a>)];

/// Characters of a heading, and headings of a table.
const HEADING: usize = 40;
const COLUMNS: usize = 64;
/// In a group of up to so many values, each may be the list of names for the others; in a larger one, only the first.
const FEW: usize = 24;
/// Values behind a list of names or a statement in a text that are looked at.
const BEHIND: usize = 6;
/// Bytes after a statement in which a log prints its parameters.
const NEAR: usize = 300;
/// A smaller number says how long or how many.
const PIN: u64 = 1000;
/// Up to so many letters and digits in the column of a password are no password.
const SHORT: usize = 6;
/// The parts of a private key in JSON.
const KEY_PARTS: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "k"];
const KEY_TYPES: [&str; 4] = ["RSA", "EC", "OKP", "oct"];
/// The key under which programs keep a user and a password in base64.
const LOGIN: [&str; 2] = ["auth", "_auth"];

/// Tells, fast, whether a text may make another one secret by their positions.
#[must_use]
pub fn may_tell(text: &str) -> bool {
    (text.len() <= HEADING && (commands::is_option(text) || text == "kty" || names::may_end(text)))
        || commands::is_program(text)
        || statements::may_be(text)
}

/// Finds the secrets of a text by the places of its literals.
pub(super) fn in_text(text: &str) -> Vec<Range<usize>> {
    let items = literals::read(text);
    let mut found = Vec::new();
    for at in 0..items.len() {
        let near = &items[at..items.len().min(at + 1 + BEHIND)];
        of_names(near, 0, &mut found);
        of_statement(near, 0, &mut found);
        of_part(&items[at].1, &mut found);
    }
    of_bare_statements(text, &items, &mut found);
    let mut found: Vec<Range<usize>> = found.into_iter().map(|(at, range)| at + range.start..at + range.end).collect();
    found.sort_by_key(|range| range.start);
    found.dedup();
    found
}

/// Finds the secrets of a group of values, at every depth.
#[must_use]
pub fn secrets(items: &[(Option<&str>, Part<'_>)]) -> Vec<Placed> {
    let mut found = Vec::new();
    of_group(items, &mut found);
    found.sort_by_key(|(at, range)| (*at, range.start));
    found.dedup_by_key(|(at, _)| *at);
    found
}

fn of_part(part: &Part<'_>, found: &mut Vec<Placed>) {
    if let Part::Group(items) = part {
        of_group(items, found);
    }
}

fn of_group(items: Group<'_, '_>, found: &mut Vec<Placed>) {
    let may_name = if items.len() > FEW { 1 } else { items.len() };
    for at in 0..may_name {
        of_names(items, at, found);
        of_statement(items, at, found);
    }
    of_command(items, found);
    of_keys(items, found);
    items.iter().for_each(|(_, part)| of_part(part, found));
}

/// Adds a value as a secret, all of it.
fn whole(part: &Part<'_>, found: &mut Vec<Placed>) {
    match part {
        Part::Text(at, text) => found.push((*at, 0..text.len())),
        Part::Number(at, number) => found.push((*at, 0..number.to_string().len())),
        Part::Group(_) | Part::Other => {}
    }
}

/// Takes the words of a command.
fn of_command(items: Group<'_, '_>, found: &mut Vec<Placed>) {
    let word = |(key, part): &(Option<&str>, Part<'_>)| match part {
        Part::Text(at, text) if key.is_none() => Some((*at, text.clone().into_owned())),
        _ => None,
    };
    let Some(words) = items.iter().map(word).collect::<Option<Vec<_>>>() else { return };
    let texts: Vec<&str> = words.iter().map(|(_, text)| text.as_str()).collect();
    if texts.iter().any(|text| commands::is_option(text) || commands::is_program(text)) {
        found.extend(commands::of_list(&texts).into_iter().map(|(at, range)| (words[at].0, range)));
    }
}

/// Takes a private key in JSON, and a login in base64.
fn of_keys(items: Group<'_, '_>, found: &mut Vec<Placed>) {
    let is_key = items
        .iter()
        .any(|(key, part)| *key == Some("kty") && matches!(part, Part::Text(_, text) if KEY_TYPES.contains(&text.as_ref())));
    for (key, part) in items {
        let Some(key) = key else { continue };
        if let Part::Text(_, text) = part
            && (is_key && KEY_PARTS.contains(key) || LOGIN.contains(key) && is_random(text))
            && !is_placeholder(text)
        {
            whole(part, found);
        }
    }
}

/// Takes the values that belong to the names in an item: in the other items, or in the rows that these hold.
fn of_names(items: Group<'_, '_>, at: usize, found: &mut Vec<Placed>) {
    let Part::Group(heading) = &items[at].1 else { return };
    let Some(names) = headings(heading) else { return };
    for (_, other) in items.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, item)| item) {
        let Part::Group(row) = other else { continue };
        of_row(&names, row, found);
        for (_, inner) in row {
            if let Part::Group(inner) = inner {
                of_row(&names, inner, found);
            }
        }
    }
}

/// Gives the names of columns, if one of them is that of a secret.
fn headings<'p>(items: Group<'p, '_>) -> Option<Vec<&'p str>> {
    if !(1..=COLUMNS).contains(&items.len()) {
        return None;
    }
    fn name<'p>(part: &'p Part<'_>) -> Option<&'p str> {
        match part {
            Part::Text(_, text) => Some(text),
            // What describes a column begins with its name, or has it under a key.
            Part::Group(items) => match &items.first()?.1 {
                Part::Text(_, text) if items.iter().all(|(key, _)| key.is_none()) => Some(text),
                _ => items.iter().find(|(key, _)| key.is_some_and(beside::is_name_key)).and_then(|(_, part)| name(part)),
            },
            Part::Number(..) | Part::Other => None,
        }
    }
    let names: Vec<&str> = items.iter().map(|(_, part)| name(part)).collect::<Option<_>>()?;
    let is_heading = |name: &&str| {
        (1..=HEADING).contains(&name.len()) && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.'))
    };
    (names.iter().all(is_heading) && names.iter().any(|name| names::ends_secret(name).is_some())).then_some(names)
}

fn of_row(names: &[&str], row: Group<'_, '_>, found: &mut Vec<Placed>) {
    if row.len() != names.len() || row.iter().any(|(key, _)| key.is_some()) {
        return;
    }
    for (name, (_, part)) in names.iter().zip(row) {
        let is_one = match part {
            Part::Text(_, text) => is_in_column(name, text),
            Part::Number(_, number) => is_number(name, *number),
            Part::Group(_) | Part::Other => false,
        };
        if is_one {
            whole(part, found);
        }
    }
}

/// Tells whether a text in the column of a name is a secret, and no type, label or rule: it looks random, or is letters and digits.
pub(super) fn is_in_column(name: &str, text: &str) -> bool {
    let Some(is_ambiguous) = names::ends_secret(name) else { return false };
    if beside::is_told(text) || text.contains(char::is_whitespace) || text.contains(['(', '{', '[']) {
        return false;
    }
    let is_mixed = || {
        let is_plain = |c: char| c.is_alphanumeric() || "!@#$%^&*?~+".contains(c);
        text.chars().count() > SHORT
            && text.chars().all(is_plain)
            && text.contains(char::is_alphabetic)
            && !text.chars().all(char::is_alphabetic)
    };
    is_random(text) || (!is_ambiguous && is_mixed())
}

fn is_number(name: &str, number: u64) -> bool {
    number >= PIN && names::holds(name) == Some(Holds::One) && names::ends_secret(name) == Some(false)
}

/// Takes the secret parameters of a statement from the other values of its group.
fn of_statement(items: Group<'_, '_>, at: usize, found: &mut Vec<Placed>) {
    let Part::Text(_, text) = &items[at].1 else { return };
    let Some(slots) = statements::slots(text) else { return };
    let first = found.len();
    let others = || items.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, item)| item);
    for (_, other) in others() {
        if let Part::Group(given) = other {
            of_slots(&slots, given, found);
            for (_, row) in given {
                if let Part::Group(row) = row {
                    of_slots(&slots, row, found);
                }
            }
        }
    }
    if found.len() == first {
        of_slots(&slots, &items[at + 1..], found);
    }
}

/// Takes the parameters that a log prints after a statement without quotes: `[SQL: UPDATE … ?] [parameters: ('x', 1)]`.
fn of_bare_statements(text: &str, items: Group<'_, '_>, found: &mut Vec<Placed>) {
    for (begin, end) in statements::bare(text) {
        // One in quotes is in a group with its parameters.
        let is_quoted = text[..begin].trim_end().ends_with(['"', '\'']);
        let Some(slots) = statements::slots(&text[begin..end]).filter(|_| !is_quoted) else { continue };
        let behind = items.partition_point(|(_, part)| place(part).is_none_or(|at| at < begin));
        let mut open: Vec<Group<'_, '_>> = vec![&items[behind..items.len().min(behind + BEHIND)]];
        while let Some(group) = open.pop() {
            for (_, part) in group {
                if let Part::Group(given) = part
                    && place(part).is_some_and(|at| (begin..end + NEAR).contains(&at))
                {
                    of_slots(&slots, given, found);
                    open.push(given);
                }
            }
        }
    }
}

/// Gives the position of the first text or number of a value.
fn place(part: &Part<'_>) -> Option<usize> {
    match part {
        Part::Text(at, _) | Part::Number(at, _) => Some(*at),
        Part::Group(items) => items.iter().find_map(|(_, part)| place(part)),
        Part::Other => None,
    }
}

/// Takes what values are given for the secret parameters of a statement. Values are looked through once, however many parameters
/// there are.
fn of_slots(slots: &Slots, given: Group<'_, '_>, found: &mut Vec<Placed>) {
    let mut take = |slot: &Slot, part: &Part<'_>| {
        let is_one = match part {
            Part::Text(_, text) => is_given(&slot.column, text),
            Part::Number(_, number) => is_number(&slot.column, *number),
            Part::Group(_) | Part::Other => false,
        };
        if is_one {
            whole(part, found);
        }
    };
    if given.len() >= slots.places {
        for slot in &slots.secret {
            if let At::Place(place) = slot.at
                && let Some((None, part)) = given.get(place)
            {
                take(slot, part);
            }
        }
    }
    for (key, part) in given {
        let slot = key.and_then(|key| slots.named.get(key)).and_then(|number| slots.secret.get(*number));
        if let Some(slot) = slot {
            take(slot, part);
        }
    }
}

/// Tells whether what a statement is given for a column is a secret.
fn is_given(column: &str, text: &str) -> bool {
    match names::ends_secret(column) {
        Some(true) => looks_secret(text) && !beside::is_told(text) && !text.contains(char::is_whitespace),
        Some(false) => !beside::is_told(text),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::finders::begins_anywhere;
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        in_text(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_secret_that_its_place_among_others_tells_is_found() {
        for text in [
            "names = ['user', 'password']\nvalues = ['bob', '@']",
            "zip(['user', 'password'], ['bob', '@'])",
            "dict(values=['bob', '@'], names=['user', 'password'])",
            "{\"columns\": [\"user\", \"password\"], \"rows\": [[\"ada\", \"@\"], [\"bo\", \"x\"]]}",
            "[('user', 'api_key'), ('ada', '@')]",
            "description = [('user', None), ('password', None)]\nrows = [('ada', '@')]",
            "{'fields': [{'name': 'user'}, {'name': 'password'}], 'data': [['ada', '@']]}",
            "cur.execute('UPDATE u SET password = ? WHERE id = ?', ('@', 1))",
            "cur.execute(\"INSERT INTO u (name, password) VALUES (%s, %s)\", [\"ada\", '@'])",
            "cur.executemany('INSERT INTO u (name, password) VALUES (?, ?)', [('ada', '@')])",
            "cur.execute('UPDATE u SET password = :p', {'p': '@'})",
            "await db.fetch('SELECT 1 FROM u WHERE token = $1', '@')",
            "sql = 'UPDATE u SET password = ? WHERE id = ?'\nparams = ['@', 1]\n",
            "['docker', 'login', '-u', 'ada', '-p', '@']",
            "subprocess.run([\"mysql\", \"-p@\"])",
            "{\"kty\": \"oct\", \"k\": \"@\"}",
            "{\"auths\": {\"h\": {\"auth\": \"@\"}}}",
            "(['password'], ['@'])",
            "[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: ('ada', '@')]",
            "(0.001) UPDATE u SET password = %s WHERE id = %s; args=('@', 1)",
            "UPDATE u SET password=:p {'p': '@'}",
        ] {
            let text = text.replace('@', "zQ8kd20fhWxLp1m");
            assert_eq!(found(&text), ["zQ8kd20fhWxLp1m"], "{text}");
            assert!(begins_anywhere(text.as_bytes()), "{text}");
        }
        assert_eq!(found("execute('UPDATE u SET password = ?, pin_code = ?', ('raclette', 4711))"), ["raclette", "4711"]);
        assert_eq!(found("[['user', 'password'], ['ada', 'hunter2']]"), ["hunter2"]);
    }

    #[test]
    fn what_is_beside_names_and_is_no_secret_is_not() {
        for text in [
            "fields = ['username', 'password']\nwidgets = ['TextInput', 'PasswordInput']",
            "dict(columns=['user', 'password'], types=['varchar(20)', 'varchar(60)'], sizes=[150, 128])",
            "[('user', 'password'), ('ada', 'required'), ('bo', '********')]",
            "f(['password'], ['email'])",
            "f(['password'], ['This password is too short.'])",
            "(['name', 'size'], ['zQ8kd20fh', 'zQ8kd20fhWxLp1m'])",
            "execute('UPDATE u SET name = ? WHERE id = ?', ('zQ8kd20fhWxLp1m', 1))",
            "execute('SELECT password FROM u WHERE id = ?', ('zQ8kd20fhWxLp1m',))",
            "['docker', 'run', '-p', '8080:80', 'zQ8kd20f']",
            "{'kty': 'RSA', 'e': 'AQAB', 'n': 'zQ8kd20fhWxLp1m'}",
            "{'d': 'zQ8kd20fhWxLp1m'}",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
