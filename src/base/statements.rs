//! Which parameters of an SQL statement are secret: `UPDATE u SET password = ? WHERE id = ?`, by the names of their columns.

use std::collections::HashMap;

use super::found::floor;
use super::names;

/// Words with which a statement begins that takes a secret.
const VERBS: [&str; 15] = [
    "insert", "update", "select", "delete", "replace", "merge", "with", "alter", "create", "call", "exec", "execute", "set",
    "grant", "begin",
];
/// How one begins that is found in a longer text, and bytes of such.
const BARE: [&str; 10] = [
    "INSERT INTO ",
    "UPDATE ",
    "SELECT ",
    "REPLACE INTO ",
    "ALTER USER ",
    "CREATE USER ",
    "insert into ",
    "update ",
    "select ",
    "replace into ",
];
const NEAR: usize = 1000;
/// Bytes of a statement, and parameters of it.
const BYTES: usize = 32 << 10;
const SLOTS: usize = 1000;
/// Words behind which another column or condition begins.
const ENDS: [&str; 13] =
    ["and", "or", "where", "set", "from", "returning", "on", "having", "order", "group", "limit", "then", "when"];
/// Words between a column and its parameter.
const BETWEEN: [&str; 12] = ["like", "ilike", "in", "is", "not", "any", "all", "by", "as", "binary", "distinct", "password"];

/// A parameter of a statement whose value is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its place, from 0, or its name.
    pub(super) at: At,
    /// The column that it is for.
    pub(super) column: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum At {
    Place(usize),
    Name(String),
}

/// The parameters of a statement: how many it takes by their places, and which of all are secret.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) places: usize,
    pub(super) secret: Vec<Slot>,
    /// By the names of those that have one, their numbers in `secret`.
    pub(super) named: HashMap<String, usize>,
}

/// Tells, fast, whether a text may be a statement with parameters.
pub(super) fn may_be(text: &str) -> bool {
    let text = text.trim_start();
    let verb = text.find(|c: char| !c.is_ascii_alphabetic()).map_or("", |end| &text[..end]);
    (3..8).contains(&verb.len())
        && VERBS.iter().any(|one| verb.eq_ignore_ascii_case(one))
        && text.contains(['?', '%', ':', '$', '@'])
}

/// Finds the statements in a text outside of quotes: where each begins, and where it ends at the latest.
pub(super) fn bare(text: &str) -> Vec<(usize, usize)> {
    let mut begins: Vec<usize> = BARE.iter().flat_map(|verb| text.match_indices(verb).map(|(at, _)| at)).collect();
    begins.sort_unstable();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for begin in begins {
        if found.last().is_some_and(|(_, end)| begin < *end) {
            continue;
        }
        let near = &text[begin..floor(text, begin + NEAR)];
        let end = ["\n[", "\n\n"].iter().filter_map(|end| near.find(end)).min().unwrap_or(near.len());
        found.push((begin, begin + end));
    }
    found
}

/// Reads the parameters of a statement that are secret; `None` where there is none.
pub(super) fn slots(text: &str) -> Option<Slots> {
    if !may_be(text) || text.len() > BYTES {
        return None;
    }
    let mut reader = Reader::default();
    let mut rest = text;
    while let Some(token) = next(&mut rest) {
        if reader.slots.secret.len() > SLOTS {
            break;
        }
        reader.take(&token);
    }
    let mut slots = reader.slots;
    for (number, slot) in slots.secret.iter().enumerate() {
        if let At::Name(name) = &slot.at {
            slots.named.entry(name.clone()).or_insert(number);
        }
    }
    (!slots.secret.is_empty()).then_some(slots)
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Slot(Option<&'t str>),
    Sign(char),
}

/// What was read of a statement.
#[derive(Default)]
struct Reader {
    slots: Slots,
    depth: usize,
    /// The column that the next parameter is for, and the depth of its parentheses.
    column: Option<(String, usize)>,
    /// The words of the parentheses that were read last, and whether nothing but a sign came behind them.
    list: Vec<String>,
    is_list_last: bool,
    /// Parentheses whose items are for the columns of a list: how deep they are, and which item is read.
    tuple: Option<(usize, usize)>,
    columns: Vec<String>,
    last: String,
    /// A parameter before its column: `? = password`.
    before: Option<At>,
}

impl Reader {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Word(word) => self.word(word),
            Token::Slot(name) => self.slot(*name),
            Token::Sign(sign) => self.sign(*sign),
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_ascii_lowercase();
        if let Some(at) = self.before.take()
            && self.last == "="
            && names::ends_secret(word).is_some()
        {
            self.slots.secret.push(Slot { at, column: word.to_owned() });
        }
        if lower == "identified" {
            self.column = Some(("password".to_owned(), self.depth));
        } else if ENDS.contains(&lower.as_str()) {
            self.column = None;
            self.tuple = self.tuple.filter(|_| lower != "from" && lower != "where" && lower != "on");
        } else if lower == "values" || lower == "value" || (lower == "select" && self.is_list_last) {
            if !self.list.is_empty() {
                self.columns = std::mem::take(&mut self.list);
            }
            self.column = None;
            self.tuple = (lower == "select").then_some((self.depth, 0));
        } else if !BETWEEN.contains(&lower.as_str()) || lower == "password" {
            // Inside of a call the column before it counts: `password = crypt(?, salt)`.
            if self.column.as_ref().is_none_or(|(_, depth)| self.depth <= *depth) && names::ends_secret(word).is_some() {
                self.column = Some((word.to_owned(), self.depth));
            } else if self.column.as_ref().is_some_and(|(_, depth)| self.depth <= *depth)
                && !matches!(self.last.as_str(), "=" | "(")
            {
                self.column = None;
            }
        }
        if self.depth > 0 && matches!(self.last.as_str(), "(" | ",") {
            self.list.push(word.to_owned());
        }
        self.is_list_last = false;
        self.last = lower;
    }

    fn slot(&mut self, name: Option<&str>) {
        let at = match name {
            None => At::Place(self.slots.places),
            Some(name) => {
                name.parse::<usize>().map_or_else(|_| At::Name(name.to_owned()), |place| At::Place(place.saturating_sub(1)))
            }
        };
        if let At::Place(place) = at {
            self.slots.places = self.slots.places.max(place + 1);
        }
        let by_place =
            self.tuple.and_then(|(_, item)| self.columns.get(item)).filter(|column| names::ends_secret(column).is_some());
        let column =
            if self.tuple.is_some() { by_place.cloned() } else { self.column.as_ref().map(|(column, _)| column.clone()) };
        match column {
            Some(column) => self.slots.secret.push(Slot { at, column }),
            None => self.before = Some(at),
        }
        "?".clone_into(&mut self.last);
    }

    fn sign(&mut self, sign: char) {
        match sign {
            '(' => {
                self.depth += 1;
                let is_tuple = matches!(self.last.as_str(), "values" | "value")
                    || (self.last == "=" && self.is_list_last)
                    || (self.last == "," && self.tuple.is_none() && !self.columns.is_empty() && self.depth == 1);
                if is_tuple && self.tuple.is_none() {
                    if self.last == "=" {
                        self.columns = std::mem::take(&mut self.list);
                    }
                    self.tuple = Some((self.depth, 0));
                } else if self.tuple.is_none() {
                    self.list.clear();
                }
            }
            ')' => {
                if self.tuple.is_some_and(|(depth, _)| depth == self.depth) {
                    self.tuple = None;
                }
                self.depth = self.depth.saturating_sub(1);
                self.is_list_last = true;
                if self.column.as_ref().is_some_and(|(_, depth)| *depth > self.depth) {
                    self.column = None;
                }
            }
            ',' => {
                if let Some((_, item)) = self.tuple.as_mut().filter(|(depth, _)| *depth == self.depth) {
                    *item += 1;
                }
                if self.column.as_ref().is_some_and(|(_, depth)| *depth >= self.depth) {
                    self.column = None;
                }
                self.before = None;
            }
            ';' => self.column = None,
            _ => {}
        }
        if sign != '=' && sign != ')' {
            self.is_list_last = false;
        }
        self.last = sign.to_string();
    }
}

/// Takes the next token off a statement; texts in quotes are passed over.
fn next<'t>(rest: &mut &'t str) -> Option<Token<'t>> {
    let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '#');
    loop {
        let text = rest.trim_start();
        let first = text.chars().next()?;
        let behind = &text[first.len_utf8()..];
        let length = |text: &str| text.find(|c: char| !of_word(c)).unwrap_or(text.len());
        let (token, left) = match first {
            '\'' => {
                *rest = behind.find('\'').map_or("", |end| &behind[end + 1..]);
                continue;
            }
            '"' | '`' | '[' => {
                let close = if first == '[' { ']' } else { first };
                let end = behind.find(close).unwrap_or(behind.len());
                (Token::Word(&behind[..end]), behind.get(end + 1..).unwrap_or(""))
            }
            '?' => {
                let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                (Token::Slot((digits > 0).then(|| &behind[..digits])), &behind[digits..])
            }
            '%' if behind.starts_with('s') => (Token::Slot(None), &behind[1..]),
            '%' if behind.starts_with('(') => match behind.split_once(')') {
                Some((name, left)) => (Token::Slot(Some(&name[1..])), left),
                None => (Token::Sign(first), behind),
            },
            ':' if behind.starts_with([':', '=']) => (Token::Sign(first), &behind[1..]),
            ':' | '$' | '@' if length(behind) > 0 => {
                let (name, left) = behind.split_at(length(behind));
                // `@password = ?` is a parameter's name, and `@p` one without a value here.
                if first == '@' && left.trim_start().starts_with('=') {
                    (Token::Word(name), left)
                } else {
                    (Token::Slot(Some(name)), left)
                }
            }
            c if of_word(c) => {
                let end = length(text);
                (Token::Word(&text[..end]), &text[end..])
            }
            sign => (Token::Sign(sign), behind),
        };
        *rest = left;
        return Some(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let of = |slot: Slot| match slot.at {
            At::Place(place) => format!("{place} {}", slot.column),
            At::Name(name) => format!("{name} {}", slot.column),
        };
        slots(text).map_or_else(Vec::new, |slots| slots.secret.into_iter().map(of).collect())
    }

    #[test]
    fn a_parameter_for_a_secret_column_is_told_by_its_place_or_its_name() {
        for (text, secret) in [
            ("UPDATE u SET password = ? WHERE id = ?", &["0 password"][..]),
            ("update u set name = %s, api_key=%s where id = %s", &["1 api_key"]),
            ("INSERT INTO u (name, password) VALUES (?, ?)", &["1 password"]),
            (
                "INSERT INTO u (name, password, age) VALUES (%s, crypt(%s, gen_salt('bf')), %s), (%s, %s, %s)",
                &["1 password", "4 password"],
            ),
            ("INSERT INTO `u` (`name`, `password`) VALUES (:n, :p)", &["p password"]),
            ("INSERT INTO u (name, password) SELECT ?, ? FROM dual", &["1 password"]),
            ("UPDATE u SET \"password\" = %(p)s WHERE id = %(id)s", &["p password"]),
            ("SELECT id FROM u WHERE name = $1 AND u.password = $2", &["1 u.password"]),
            ("SELECT id FROM u WHERE token IN (?, ?) AND x = ?", &["0 token", "1 token"]),
            ("UPDATE u SET (name, password) = (?, ?) WHERE id = ?", &["1 password"]),
            ("ALTER USER ada WITH PASSWORD %s", &["0 PASSWORD"]),
            ("CREATE USER ada IDENTIFIED BY PASSWORD ?", &["0 PASSWORD"]),
            ("UPDATE u SET password = coalesce(?, password), name = ?", &["0 password"]),
            ("SELECT 1 FROM u WHERE ? = password", &["0 password"]),
            ("INSERT INTO u (id, email) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET password = ?", &["2 password"]),
            ("CREATE USER ada IDENTIFIED BY %s", &["0 password"]),
            ("EXEC login @user = ?, @password = ?", &["1 password"]),
        ] {
            assert_eq!(told(text), secret, "{text}");
        }
    }

    #[test]
    fn other_columns_and_other_texts_take_none() {
        for text in [
            "UPDATE u SET name = ? WHERE id = ?",
            "SELECT password FROM u WHERE id = ?",
            "SELECT password, ? FROM u WHERE id = ?",
            "INSERT INTO u (name, size) VALUES (?, ?)",
            "UPDATE u SET password_changed_at = ? WHERE id = ?",
            "UPDATE u SET note = 'password = ?' WHERE id = ?",
            "SELECT id FROM u WHERE password IS NOT NULL AND id = ?",
            "select the password: what?",
            "update (((((",
            "select %",
            "insert é ? password",
        ] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
    }
}
