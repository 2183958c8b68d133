//! Secrets under the heading of their column: CSV, tables that bars, boxes or spaces draw, `INSERT INTO t (name, password) VALUES
//! ('ada', 'x')`. And in elements that say by an attribute, or by the element before, what they hold: `<entry key="password">x</entry>`.

use super::beside;
use super::found::{Found, floor, is_placeholder};
use super::names;

/// From where to where a part of a text goes.
pub(super) type Span = (usize, usize);

/// What parts the columns of a line, and what draws lines between rows.
const BETWEEN: [char; 6] = [',', ';', '\t', '|', '│', '┃'];
const BARS: [char; 3] = ['|', '│', '┃'];
const RULES: &str = "-+=|: ";
const BOXES: std::ops::RangeInclusive<char> = '\u{2500}'..='\u{257f}';
/// Characters of a heading.
const HEADING: usize = 40;
/// Columns that are looked at.
const COLUMNS: usize = 64;
/// Bytes of the values of one statement, and of an element.
const VALUES: usize = 64 << 10;
const ELEMENT: usize = 400;
/// Attributes that say what an element holds.
const NAMING: [&str; 4] = ["key=", "name=", "id=", "Name="];

/// How a line is parted into columns: by a sign, by bars, by two spaces, or where a rule under the heading has gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parted {
    By(char),
    Bars,
    Spaces,
    Gaps(Vec<Span>),
}

/// A table that is read: how its lines are parted, where its columns begin, and which of them are secret.
struct Table<'t> {
    parted: Parted,
    columns: Vec<(usize, Option<&'t str>)>,
}

/// Finds all values in the columns of secret names: in the lines below a heading, and behind `VALUES`.
pub(super) fn all(text: &str) -> Vec<Found> {
    let mut found = in_lines(text);
    in_insert(text, &mut found);
    found.sort_unstable();
    found
}

fn in_lines(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut table: Option<Table<'_>> = None;
    let mut may_begin = true; // behind nothing, an empty line or a rule
    let mut lines = text.split('\n').scan(0, |at, line| Some((std::mem::replace(at, *at + line.len() + 1), line))).peekable();
    while let Some((start, line)) = lines.next() {
        let line = line.trim_end_matches('\r');
        if is_rule(line) {
            may_begin |= table.is_none();
            continue;
        }
        let row = table.as_ref().and_then(|table| table.row(line));
        if let (Some(table), Some(row)) = (&table, &row) {
            let held = row.iter().zip(&table.columns).filter_map(|(cell, (_, name))| Some((*cell, (*name)?)));
            let secret = held.filter(|(cell, name)| table.holds(name, &line[cell.0..cell.1]));
            found.extend(secret.map(|((begin, to), _)| (start + begin, start + to, "assigned")));
            continue;
        }
        let next = lines.peek().map_or("", |(_, next)| next);
        let named = named_row(line);
        found.extend(named.map(|(begin, to)| (start + begin, start + to, "assigned")));
        table = Table::begin(line, next).filter(|_| named.is_none() && (may_begin || is_rule(next)));
        may_begin = line.trim().is_empty();
    }
    found
}

/// Tells whether a line is drawn between rows.
fn is_rule(line: &str) -> bool {
    line.len() > 2 && line.contains(['-', '=', '─', '━', '═']) && line.chars().all(|c| RULES.contains(c) || BOXES.contains(&c))
}

impl<'t> Table<'t> {
    /// Reads the heading of a table with a secret column.
    fn begin(line: &'t str, next: &str) -> Option<Self> {
        if line.len() >= COLUMNS * HEADING {
            return None;
        }
        let by = BETWEEN.into_iter().find(|by| line.contains(*by));
        let gaps = || {
            let spans = parts(next, |c| c == ' ', 1);
            (is_rule(next) && spans.len() > 1).then_some(Parted::Gaps(spans))
        };
        let parted = match by {
            Some(by) if BARS.contains(&by) => Parted::Bars,
            Some(by) => Parted::By(by),
            None => gaps().unwrap_or(Parted::Spaces),
        };
        let cells = cells(line, &parted);
        let is_heading = |(begin, to): &Span| {
            let name = &line[*begin..*to];
            name.len() <= HEADING && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.'))
        };
        if !(2..=COLUMNS).contains(&cells.len()) || !cells.iter().all(is_heading) {
            return None;
        }
        let secret = |(begin, to): &Span| names::ends_secret(&line[*begin..*to]).map(|_| &line[*begin..*to]);
        let columns: Vec<_> = cells.iter().map(|cell| (cell.0, secret(cell))).collect();
        columns.iter().any(|(_, name)| name.is_some()).then_some(Self { parted, columns })
    }

    /// Gives the cells of a line that belongs to the table.
    fn row(&self, line: &str) -> Option<Vec<Span>> {
        let row = cells(line, &self.parted);
        if row.len() == self.columns.len() {
            return Some(row);
        }
        if self.parted != Parted::Spaces || row.is_empty() {
            return None;
        }
        // A cell of the line may be empty: each belongs to the column that begins last before its end.
        let mut placed = vec![(0, 0); self.columns.len()];
        for cell in row {
            let column = self.columns.iter().rposition(|(begin, _)| *begin < cell.1)?;
            placed[column] = cell;
        }
        Some(placed)
    }

    /// Tells whether a cell under a secret name holds one. Between spaces there is prose, too.
    fn holds(&self, name: &str, held: &str) -> bool {
        let is_of_words = matches!(self.parted, Parted::Spaces | Parted::Gaps(_)) && held.contains(char::is_whitespace);
        is_held(name, held) && !is_of_words
    }
}

/// Finds the value in a row that begins with its name: `password | x`.
fn named_row(line: &str) -> Option<Span> {
    let by = ['\t', '|', '│', '┃'].into_iter().find(|by| line.contains(*by))?;
    let parted = if by == '\t' { Parted::By(by) } else { Parted::Bars };
    let cells = cells(line, &parted);
    let (name, rest) = cells.split_first()?;
    let name = &line[name.0..name.1];
    if name.len() > HEADING || name.contains(' ') || !(1..=3).contains(&rest.len()) || names::ends_secret(name).is_none() {
        return None;
    }
    rest.iter().copied().find(|(begin, to)| super::laid::is_in_column(name, &line[*begin..*to]))
}

/// Gives the parts of a line between so many of a sign.
fn parts(line: &str, is_between: impl Fn(char) -> bool, least: usize) -> Vec<Span> {
    let (mut found, mut begin, mut count): (Vec<Span>, Option<usize>, usize) = (Vec::new(), None, 0);
    let mut end = 0;
    for (at, c) in line.char_indices() {
        if is_between(c) {
            count += 1;
            if count == least
                && let Some(begin) = begin.take()
            {
                found.push((begin, end));
            }
        } else {
            begin.get_or_insert(at);
            (count, end) = (0, at + c.len_utf8());
        }
    }
    found.extend(begin.map(|begin| (begin, end)));
    found
}

/// Gives the cells of a line, without the spaces and quotes around them.
fn cells(line: &str, parted: &Parted) -> Vec<Span> {
    let is_between = |c: char| match parted {
        Parted::By(by) => c == *by,
        _ => BARS.contains(&c),
    };
    match parted {
        Parted::Spaces => return parts(line, |c| c == ' ', 2),
        Parted::Gaps(spans) => {
            // The last cell may be longer than its rule.
            let ends = spans.iter().skip(1).map(|span| span.0).chain([line.len()]);
            let cell = |(span, end): (&Span, usize)| {
                let (begin, end) = (floor(line, span.0), floor(line, end));
                trimmed(line.get(begin..end).unwrap_or(""), begin)
            };
            return spans.iter().zip(ends).map(cell).collect();
        }
        Parted::By(_) | Parted::Bars => {}
    }
    let (mut found, mut begin, mut is_quoted) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        is_quoted ^= c == '"';
        if is_between(c) && !is_quoted {
            found.push(trimmed(&line[begin..at], begin));
            begin = at + c.len_utf8();
        }
    }
    found.push(trimmed(&line[begin..], begin));
    // A row of Markdown begins and ends with its bar.
    if *parted == Parted::Bars && found.len() > 2 && line.trim().starts_with(BARS) {
        found.remove(0);
        if line.trim_end().ends_with(BARS) {
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

/// Finds the values of `INSERT INTO t (name, password) VALUES ('ada', 'x')`.
fn in_insert(text: &str, found: &mut Vec<Found>) {
    let mut behind = 0;
    for word in ["VALUES", "values", "Values"] {
        for (at, _) in text.match_indices(word) {
            let near = floor(text, at.saturating_sub(COLUMNS * HEADING)).max(behind);
            let Some(names) = text[near.min(at)..at].trim_end().strip_suffix(')').and_then(|before| before.rsplit_once('('))
            else {
                continue;
            };
            let names: Vec<&str> = names.1.split(',').map(|name| name.trim().trim_matches(['"', '`', '[', ']', '\\'])).collect();
            if names.len() > COLUMNS || names.iter().all(|name| names::ends_secret(name).is_none()) {
                continue;
            }
            let mut at = at + word.len();
            let end = floor(text, at + VALUES);
            while let Some((items, behind)) = tuple(&text[..end], at) {
                at = behind;
                let secret =
                    |((begin, to), name): &(Span, &&str)| names::ends_secret(name).is_some() && is_held(name, &text[*begin..*to]);
                let secret = items.into_iter().zip(&names).filter(secret);
                found.extend(secret.map(|((begin, to), _)| (begin, to, "assigned")));
            }
            // What was read as values names no columns.
            behind = at;
        }
        behind = 0;
    }
}

/// Gives the items of the parentheses that come next, and what is behind.
fn tuple(text: &str, from: usize) -> Option<(Vec<Span>, usize)> {
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
                    return Some((items, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds all that elements hold which say what they are by an attribute or by the element before them.
pub(super) fn all_of_elements(text: &str) -> Vec<Found> {
    text.match_indices('>')
        .filter_map(|(at, _)| {
            let (start, near) = (at + 1, floor(text, at.saturating_sub(ELEMENT)));
            let end = start + text[start..floor(text, at + ELEMENT)].find('<')?;
            let held = text[start..end].trim();
            let begin = start + text[start..end].find(held)?;
            if held.is_empty() || held.contains('\n') {
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
        .collect()
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
            "name   password\nada    @\nbo     secret\n",
            "NAME    TOKEN                AGE\nada     @      3d\n",
            "id  password         name\n 1                   bo\n 2  @  ada\n",
            "user password\n==== ===============\nada  @\n",
            " name | password \n------+----------\n ada  | @\n(1 row)\n",
            "Users:\n+------+----------+\n| name | password |\n+------+----------+\n| ada  | @ |\n+------+----------+\n",
            "┏━━━━━━┳━━━━━━━━━━┓\n┃ name ┃ password ┃\n┡━━━━━━╇━━━━━━━━━━┩\n│ ada  │ @ │\n└──────┴──────────┘",
            "-[ RECORD 1 ]------\nname     | ada\npassword | @\n",
            "| Setting | Value |\n|---|---|\n| db_password | @ |\n",
            "host\ta\napi_key\t@\n",
            "INSERT INTO users (name, password) VALUES ('ada', '@')",
            "insert into users (`name`, `password`) values ('a, (b', 'x'), ('bo', '@')",
        ] {
            let text = text.replace('@', SECRET);
            let at = text.find(SECRET).unwrap();
            assert_eq!(all(&text), [(at, at + SECRET.len(), "assigned")], "{text}");
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
            assert_eq!(all_of_elements(&text), [(at, at + SECRET.len(), "assigned")], "{text}");
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
            "user      name of the user\npassword  the password of the user\ntoken     the-2nd token\n",
            "  option  password\n  --user  must have 8-12 letters\n",
            "Name  Password\nada   secret\nbo    ********\n",
            "| Field | Type |\n|---|---|\n| password | varchar(60) |\n| token | text |\n",
            "password\trequired\n",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
        for text in ["<label for=\"password\">Password</label>", "<p class=\"password-hint\">Choose wisely</p>", "<a>b", ">é<"] {
            assert_eq!(all_of_elements(text), [], "{text}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "é,password\né,é\n",
            "| é |\n|",
            "é  password\né\n  é  é",
            "é password\n= =\né é",
            "│password│é\n━━\n│é│",
            "(password) values (é",
            "<é key=\"token\">é<",
            ",,,\n,,,\n",
        ] {
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let _ = (all(&text[at..]), all_of_elements(&text[at..]));
            }
        }
    }
}
