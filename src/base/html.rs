//! Secrets in tables of HTML: in the cells below a heading with a secret name, and behind such a name in a row.

use super::columns::Span;
use super::found::Found;
use super::{beside, laid, names};

/// Columns that are looked at.
const COLUMNS: usize = 64;

/// Finds all of them.
pub(super) fn all(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut headings: Vec<Option<&str>> = Vec::new();
    let starts: Vec<usize> = text.match_indices("<tr").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for (start, end) in starts.iter().zip(ends) {
        let cells = cells(text, *start, end);
        let of = |(begin, to): &Span| &text[*begin..*to];
        let named = |cell: &Span| names::ends_secret(of(cell)).map(|_| of(cell));
        let is_heading = text[*start..end].contains("<th") && !text[*start..end].contains("<td");
        if is_heading {
            headings = cells.iter().map(named).collect();
            continue;
        }
        let secret = |(cell, name): &(&Span, &str)| cell.0 < cell.1 && beside::is_value(name, of(cell));
        if cells.len() == headings.len() {
            let below = cells.iter().zip(&headings).filter_map(|(cell, name)| Some((cell, (*name)?)));
            found.extend(below.filter(secret).map(|(cell, _)| (cell.0, cell.1, "assigned")));
        } else if let [name, cell] = &cells[..]
            && let Some(name) = named(name)
            && laid::is_in_column(name, of(cell))
        {
            found.push((cell.0, cell.1, "assigned"));
        }
    }
    found
}

/// Gives the texts of the cells of a row.
fn cells(text: &str, start: usize, end: usize) -> Vec<Span> {
    let row = &text[start..end];
    let opens = row.match_indices("<t").filter(|(at, _)| row[at + 2..].starts_with(['h', 'd'])).take(COLUMNS + 1);
    opens
        .filter_map(|(at, _)| {
            let begin = at + row[at..].find('>')? + 1;
            let to = begin + row[begin..].find('<').unwrap_or(row.len() - begin);
            let held = row[begin..to].trim();
            let begin = begin + row[begin..to].find(held)?;
            Some((start + begin, start + begin + held.len()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::finders::begins_anywhere;
    use super::*;

    const SECRET: &str = "zQ8kd20fhWxLp1m";

    #[test]
    fn a_value_in_a_table_of_html_is_found_below_or_behind_its_name() {
        for text in [
            "<table><tr><th>user</th><th>password</th></tr><tr><td>ada</td><td>@</td></tr></table>",
            "<tr class=a>\n<th>API key</th>\n<th>id</th></tr>\n<tr>\n<td> @ </td>\n<td>1</td></tr>",
            "<tr><td>password</td><td>@</td></tr>",
        ] {
            let text = text.replace('@', SECRET);
            let at = text.find(SECRET).unwrap();
            assert_eq!(all(&text), [(at, at + SECRET.len(), "assigned")], "{text}");
            assert!(begins_anywhere(text.as_bytes()), "{text}");
        }
        for text in [
            "<tr><th>user</th><th>size</th></tr><tr><td>ada</td><td>zQ8kd20fh</td></tr>",
            "<tr><th>password</th></tr><tr><td>required</td></tr>",
            "<tr><td>password</td><td>varchar(60)</td></tr>",
            "<tr><td>é<tr><th",
            "<tr",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }
}
