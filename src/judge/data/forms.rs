//! The forms of sentences about data, from text.

use serde_json::Value;

use super::failure::{self, Failure};
use super::{Clause, Comparison, Form, Operand, Path};

const EMAIL: &str = r"^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$";
const UUID: &str = r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
const MOMENT: &str =
    r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$";
const DATE: &str = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$";
const URL: &str = r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#]+[^\s]*$";
const IPV4: &str = r"^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$";

pub(super) const FORMATS: [(&str, &str); 6] =
    [("email", EMAIL), ("uuid", UUID), ("url", URL), ("iso-datetime", MOMENT), ("iso-date", DATE), ("ipv4", IPV4)];

type Known<'a> = &'a dyn Fn(&str) -> bool;

/// Reads a sentence; `None` where it is none of these.
pub(super) fn parse(sentence: &str, known: Known<'_>) -> Option<Clause> {
    let lower = sentence.to_lowercase();
    if matches!(lower.as_str(), "no error" | "there is no error" | "no errors" | "the tool does not fail") {
        let (subject, _) = Path::take("error", &|name| name == "error")?;
        return Some(Clause { every: false, subject, form: Form::Exists(false) });
    }
    if matches!(lower.as_str(), "an error" | "there is an error") || failure::parse(&lower) == Some(Failure::Whole) {
        let (subject, _) = Path::take("error", &|name| name == "error")?;
        return Some(Clause { every: false, subject, form: Form::Exists(true) });
    }
    let (every, rest) = match ["every ", "each ", "all "].iter().find_map(|word| after(sentence, word)) {
        Some(rest) => (true, rest),
        None => (false, sentence),
    };
    let (subject, rest) = Path::take(rest.trim_start(), known)?;
    let form = form(rest.trim_start(), known)?;
    Some(Clause { every, subject, form })
}

fn form(rest: &str, known: Known<'_>) -> Option<Form> {
    if let Some(form) = sign(rest, known) {
        return Some(form);
    }
    for (words, negated) in [("does not contain", true), ("do not contain", true), ("contains", false), ("contain", false)] {
        if let Some(rest) = after(rest, words) {
            return Some(Form::Contains(operand(rest, known)?, !negated));
        }
    }
    for (words, wanted) in [("does not match", false), ("do not match", false), ("matches", true), ("match", true)] {
        if let Some(rest) = after(rest, words) {
            return Some(Form::Matches(pattern(rest.trim())?, wanted));
        }
    }
    for (words, negated) in [("does not equal", true), ("equals", false), ("equal", false)] {
        if let Some(rest) = after(rest, words) {
            return Some(Form::Is(operand(rest, known)?, !negated));
        }
    }
    if let Some(rest) = after(rest, "starts with") {
        return Some(Form::Starts(operand(rest, known)?));
    }
    if let Some(rest) = after(rest, "ends with") {
        return Some(Form::Ends(operand(rest, known)?));
    }
    match rest.to_lowercase().as_str() {
        "exists" | "exist" => return Some(Form::Exists(true)),
        "does not exist" => return Some(Form::Exists(false)),
        _ => {}
    }
    if let Some(rest) = after(rest, "has").or_else(|| after(rest, "have")) {
        return has(rest.trim());
    }
    let rest = after(rest, "is").or_else(|| after(rest, "are"))?;
    is(rest.trim(), known)
}

/// `== 3`, `>= 3`.
fn sign(rest: &str, known: Known<'_>) -> Option<Form> {
    use Comparison as C;
    for (sign, comparison) in
        [(">=", C::AtLeast), ("<=", C::AtMost), ("≥", C::AtLeast), ("≤", C::AtMost), (">", C::More), ("<", C::Less)]
    {
        if let Some(rest) = rest.strip_prefix(sign) {
            return Some(Form::Compared(comparison, operand(rest, known)?));
        }
    }
    if let Some(rest) = rest.strip_prefix("!=") {
        return Some(Form::Is(operand(rest, known)?, false));
    }
    let rest = rest.strip_prefix("==").or_else(|| rest.strip_prefix('='))?;
    Some(Form::Is(operand(rest, known)?, true))
}

fn is(rest: &str, known: Known<'_>) -> Option<Form> {
    match rest.to_lowercase().as_str() {
        "empty" => return Some(Form::Empty(true)),
        "not empty" | "non-empty" => return Some(Form::Empty(false)),
        "unique" | "all unique" | "distinct" => return Some(Form::Unique),
        "in ascending order" | "sorted ascending" => return Some(Form::Ordered(false)),
        "in descending order" | "sorted descending" => return Some(Form::Ordered(true)),
        "there" | "present" | "set" => return Some(Form::Exists(true)),
        "not there" | "absent" | "missing" | "not set" => return Some(Form::Exists(false)),
        _ => {}
    }
    if let Some(kind) = rest.strip_prefix("a ").or_else(|| rest.strip_prefix("an ")) {
        return Some(Form::Kind(match kind {
            "text" | "string" => "text",
            "number" => "number",
            "whole number" | "integer" => "whole number",
            "boolean" | "flag" => "flag",
            "list" | "array" => "list",
            "mapping" | "object" | "dict" => "mapping",
            _ => return None,
        }));
    }
    if let Some(rest) = after(rest, "one of").or_else(|| after(rest, "in")) {
        return match literal(rest.trim())? {
            Value::Array(values) => Some(Form::OneOf(values)),
            _ => None,
        };
    }
    if let Some(rest) = after(rest, "between") {
        let (least, most) = rest.split_once(" and ")?;
        return Some(Form::Between(operand(least, known)?, operand(most, known)?));
    }
    if let Some(rest) = after(rest, "the sum of") {
        let (path, rest) = Path::take(rest.trim(), known)?;
        return rest.is_empty().then_some(Form::SumOf(path));
    }
    for words in ["unchanged from", "the same as", "equal to"] {
        if let Some(rest) = after(rest, words) {
            return Some(Form::Is(operand(rest, known)?, true));
        }
    }
    if let Some((comparison, rest)) = comparison(rest) {
        return Some(Form::Compared(comparison, operand(rest, known)?));
    }
    match after(rest, "not") {
        Some(rest) => Some(Form::Is(operand(rest, known)?, false)),
        None => sign(rest, known).or_else(|| Some(Form::Is(operand(rest, known)?, true))),
    }
}

/// "exactly 10 items", "id, email and name".
fn has(rest: &str) -> Option<Form> {
    let nouns = ["items", "item", "entries", "entry", "elements", "element", "fields", "field", "characters", "character"];
    let (comparison, number) = comparison(rest).unwrap_or((Comparison::Exactly, rest));
    if let Some((count, noun)) = number.trim().split_once(' ')
        && nouns.contains(&noun.trim())
    {
        let count = if count == "no" { 0 } else { count.parse().ok()? };
        return Some(Form::Count(comparison, count));
    }
    let rest = rest.replace(" and ", ", ").replace(",,", ",");
    let mut fields = Vec::new();
    for part in rest.split(',').map(str::trim) {
        let bare = part.trim_matches(['`', '"', '\'']);
        let quoted = bare.len() + 2 == part.len();
        let is_name = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if !quoted && !is_name {
            return None;
        }
        fields.push(bare.to_owned());
    }
    Some(Form::Fields(fields))
}

fn comparison(rest: &str) -> Option<(Comparison, &str)> {
    use Comparison as C;
    let words = [
        ("exactly", C::Exactly),
        ("at least", C::AtLeast),
        ("no less than", C::AtLeast),
        ("at most", C::AtMost),
        ("no more than", C::AtMost),
        ("more than", C::More),
        ("greater than", C::More),
        ("above", C::More),
        ("less than", C::Less),
        ("fewer than", C::Less),
        ("below", C::Less),
    ];
    words.into_iter().find_map(|(words, comparison)| Some((comparison, after(rest, words)?)))
}

fn operand(text: &str, known: Known<'_>) -> Option<Operand> {
    let text = text.trim();
    if let Some(inside) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        let (path, rest) = Path::take(inside.trim(), &|_| true)?;
        return rest.trim().is_empty().then_some(Operand::Found(path));
    }
    if let Some(value) = literal(text) {
        return Some(Operand::Literal(value));
    }
    let (path, rest) = Path::take(text, known)?;
    rest.is_empty().then_some(Operand::Found(path))
}

/// Reads JSON, Python's three words, or a text in single quotes.
fn literal(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        "None" => return Some(Value::Null),
        _ => {}
    }
    if let Some(inside) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (!inside.contains('\'')).then(|| Value::String(inside.to_owned()));
    }
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&text.replace('\'', "\"")).ok())
}

/// Gives the pattern of a format, or the one between slashes.
pub(super) fn pattern(text: &str) -> Option<String> {
    let name = text.strip_prefix("an ").or_else(|| text.strip_prefix("a ")).unwrap_or(text);
    let pattern = match FORMATS.iter().find(|(known, _)| *known == name) {
        Some((_, pattern)) => pattern,
        None => text.strip_prefix('/')?.strip_suffix('/')?,
    };
    regex::Regex::new(pattern).ok().map(|_| pattern.to_owned())
}

/// Gives what stands behind words, in whatever case they are written.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = &text[words.len()..];
    let ends = words.ends_with(' ') || rest.is_empty() || rest.starts_with(' ');
    (head.eq_ignore_ascii_case(words) && ends).then_some(rest)
}
