//! Secrets under the heading of their column: CSV, tables in Markdown, `INSERT INTO t (name, password) VALUES ('ada', 'x')`. And in
//! elements that say by an attribute, or by the element before, what they hold: `<entry key="password">x</entry>`.

use super::beside;
use super::found::{Found, floor, is_placeholder};
use super::names;

/// From where to where a part of a text goes.
type Span = (usize, usize);

/// What parts the columns of a text.
const BETWEEN: [char; 4] = [',', ';', '\t', '|'];
/// Characters of a heading.
const HEADING: usize = 40;
/// Columns that are looked at.
const COLUMNS: usize = 64;
/// Bytes of the values of one statement, and of an element.
const VALUES: usize = 64 << 10;
const ELEMENT: usize = 400;
/// Attributes that say what an element holds.
const NAMING: [&str; 4] = ["key=", "name=", "id=", "Name="];

/// Finds the first value in the column of a secret name that begins at a place or behind it.
pub(super) fn first(text: &str, from: usize) -> Option<Found> {
    [in_lines(text, from), in_insert(text, from)].into_iter().flatten().min_by_key(super::found::rank)
}

fn in_lines(text: &str, from: usize) -> Option<Found> {
    let mut start = 0;
    loop {
        let found = below(text, start, from);
        if found.is_some() {
            return found;
        }
        // A heading is the first line, or stands behind an empty one.
        start += text[start..].find("\n\n").map(|at| at + 2).or_else(|| text[start..].find("\n\r\n").map(|at| at + 3))?;
    }
}

/// Finds such a value below the heading that begins at a place.
fn below(text: &str, start: usize, from: usize) -> Option<Found> {
    let end = start + text[start..].find('\n')?;
    let line = &text[start..end];
    let by = BETWEEN.into_iter().filter(|_| line.len() < COLUMNS * HEADING).find(|by| line.contains(*by))?;
    let heading = cells(line, by);
    let is_heading = |cell: &(usize, usize)| {
        let name = &line[cell.0..cell.1];
        name.len() <= HEADING && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.'))
    };
    if !(2..=COLUMNS).contains(&heading.len()) || !heading.iter().all(is_heading) {
        return None;
    }
    let secret = |cell: &(usize, usize)| names::ends_secret(&line[cell.0..cell.1]).map(|_| &line[cell.0..cell.1]);
    let columns: Vec<Option<&str>> = heading.iter().map(secret).collect();
    if columns.iter().all(Option::is_none) {
        return None;
    }
    // Rows that were looked at are not looked at again.
    let mut at = (end + 1).max(text[..from.min(text.len())].rfind('\n').map_or(0, |at| at + 1));
    if at > end + 1 && text[end..at].contains("\n\n") {
        return None;
    }
    while at < text.len() {
        let to = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let row = cells(&text[at..to], by);
        if row.len() != heading.len() {
            return None;
        }
        let found = row.into_iter().zip(&columns).find_map(|((begin, to), name)| {
            let (begin, to) = (at + begin, at + to);
            (begin >= from && is_held((*name)?, &text[begin..to])).then_some((begin, to, "assigned"))
        });
        if found.is_some() {
            return found;
        }
        at = to + 1;
    }
    None
}

/// Gives the cells of a line, without the spaces and quotes around them.
fn cells(line: &str, by: char) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut found = Vec::new();
    let mut is_quoted = false;
    let parts = line.split(|c| {
        is_quoted ^= c == '"';
        c == by && !is_quoted
    });
    for part in parts {
        found.push(trimmed(part, at));
        at += part.len() + by.len_utf8();
    }
    // A row of Markdown begins and ends with its bar.
    if by == '|' && found.len() > 2 && line.trim().starts_with('|') {
        found.remove(0);
        if line.trim_end().ends_with('|') {
            found.pop();
        }
    }
    found
}

/// Gives from where to where a part goes without what is around it.
fn trimmed(part: &str, at: usize) -> (usize, usize) {
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    let start = at + (part.len() - part.trim_start_matches(around).len());
    (start, (start + part.trim_matches(around).len()))
}

fn is_held(name: &str, held: &str) -> bool {
    !held.is_empty() && !is_placeholder(held) && beside::is_value(name, held)
}

/// Finds a value of `INSERT INTO t (name, password) VALUES ('ada', 'x')`.
fn in_insert(text: &str, from: usize) -> Option<Found> {
    for word in ["VALUES", "values", "Values"] {
        for (at, _) in text.match_indices(word) {
            let Some(names) = text[..at].trim_end().strip_suffix(')').and_then(|before| before.rsplit('(').next()) else {
                continue;
            };
            let names: Vec<&str> = names.split(',').map(|name| name.trim().trim_matches(['"', '`', '[', ']', '\\'])).collect();
            if names.len() > COLUMNS || names.iter().all(|name| names::ends_secret(name).is_none()) {
                continue;
            }
            let mut at = at + word.len();
            let end = floor(text, at + VALUES);
            while let Some((open, items, behind)) = tuple(&text[..end], at) {
                at = behind;
                let found = items.into_iter().zip(&names).find_map(|((begin, to), name)| {
                    let is_one = begin >= from.max(open) && names::ends_secret(name).is_some() && is_held(name, &text[begin..to]);
                    is_one.then_some((begin, to, "assigned"))
                });
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

/// Gives the items of the parentheses that come next: where these begin, the items, and what is behind.
fn tuple(text: &str, from: usize) -> Option<(usize, Vec<Span>, usize)> {
    let open = from + text[from..].find(|c: char| !c.is_whitespace() && c != ',')?;
    if !text[open..].starts_with('(') {
        return None;
    }
    let (mut items, mut at, mut quote) = (Vec::new(), open + 1, None);
    for (place, c) in text[open + 1..].char_indices() {
        let place = open + 1 + place;
        match (quote, c) {
            (Some(inside), c) if c == inside => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ',' | ')') => {
                items.push(trimmed(&text[at..place], at));
                at = place + 1;
                if c == ')' {
                    return Some((open, items, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds what an element holds that says what it is by an attribute or by the element before it.
pub(super) fn first_of_elements(text: &str, from: usize) -> Option<Found> {
    let least = floor(text, from.saturating_sub(1));
    text[least..].match_indices('>').find_map(|(at, _)| {
        let at = least + at;
        let (start, near) = (at + 1, floor(text, at.saturating_sub(ELEMENT)));
        let end = start + text[start..floor(text, at + ELEMENT)].find('<')?;
        let held = text[start..end].trim();
        let begin = start + text[start..end].find(held)?;
        if held.is_empty() || begin < from || held.contains('\n') {
            return None;
        }
        let open = near + text[near..at].rfind('<')?;
        let tag = &text[open + 1..at];
        let named = NAMING.iter().find_map(|naming| {
            let (before, value) = tag.split_once(naming)?;
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            before.ends_with(' ').then(|| value[1..].split(quote).next()).flatten()
        });
        // `<key>password</key><string>x</string>`
        let before = || {
            let before = text[near..open].trim_end().strip_suffix("</key>")?;
            before.rsplit_once('>').map(|(_, name)| name)
        };
        let name = named.or_else(before)?;
        is_held(name, held).then_some((begin, begin + held.len(), "assigned"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::finders::begins_anywhere;
    use super::*;

    const SECRET: &str = "zQ8kd20fhWxLp1m";

    #[test]
    fn a_value_in_the_column_of_a_secret_name_is_found() {
        for text in [
            "name,password\nada,@\n",
            "name;password\nada;@",
            "name\tapi key\nada\t@\n",
            "\"name\",\"password\"\r\n\"a, b\",\"@\"\r\n",
            "| name | password |\n|---|---|\n| ada | @ |",
            "x\n\nuser,token\nbo,\nada,@\n",
            "INSERT INTO users (name, password) VALUES ('ada', '@')",
            "insert into users (`name`, `password`) values ('a, (b', 'x'), ('bo', '@')",
        ] {
            let text = text.replace('@', SECRET);
            let at = text.find(SECRET).unwrap();
            assert_eq!(first(&text, 0), Some((at, at + SECRET.len(), "assigned")), "{text}");
            assert!(begins_anywhere(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_value_in_an_element_that_says_what_it_is_is_found() {
        for text in [
            "<entry key=\"password\">@</entry>",
            "<string name='api_secret'> @ </string>",
            "<key>apiKey</key>\n  <string>@</string>",
        ] {
            let text = text.replace('@', SECRET);
            let at = text.find(SECRET).unwrap();
            assert_eq!(first_of_elements(&text, 0), Some((at, at + SECRET.len(), "assigned")), "{text}");
            assert!(begins_anywhere(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_stands_in_other_columns_or_is_prose_is_not() {
        for text in [
            "name,email\nada,zQ8kd20fhWxLp1m\n",
            "name,password\nada,secret\n",
            "name,password\nada\nzQ8kd20fhWxLp1m",
            "INSERT INTO users (name, email) VALUES ('ada', 'zQ8kd20fhWxLp1m')",
            "INSERT INTO users VALUES ('password', 'zQ8kd20fhWxLp1m')",
            "name,password",
            "values (",
        ] {
            assert_eq!(first(text, 0), None, "{text}");
        }
        for text in ["<label for=\"password\">Password</label>", "<p class=\"password-hint\">Choose wisely</p>", "<a>b", ">é<"] {
            assert_eq!(first_of_elements(text, 0), None, "{text}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in ["é,password\né,é\n", "| é |\n|", "(password) values (é", "<é key=\"token\">é<", ",,,\n,,,\n"] {
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let _ = (first(text, at), first_of_elements(text, at));
            }
        }
    }
}
