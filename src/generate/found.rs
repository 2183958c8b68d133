//! What a pattern found in a text, a `re.Match`: read from how it was recorded, `match(pattern, text, spans)`, whose spans are
//! those of the whole and of the groups (`Match.regs`); `(-1, -1)` for a group that took no part.

use crate::domain::value::{TypeName, Value};

/// Tells whether a value of this kind is what a pattern found.
#[must_use]
pub fn is_found(ty: &TypeName) -> bool {
    ty.module == "re" && ty.qualname == "match"
}

/// Gives where the whole begins and ends, in characters.
#[must_use]
pub fn span(args: &[Value]) -> Option<(i64, i64)> {
    spans(args)?.first().copied()
}

/// Gives the parts of the text that the groups found, each `None` where it took no part; `None` where that is not known, or
/// where there are more groups than these.
#[must_use]
pub fn groups(args: &[Value], most: usize) -> Option<Vec<Value>> {
    let spans = spans(args).filter(|spans| spans.len() <= most + 1)?;
    spans.into_iter().skip(1).map(|span| if span.0 < 0 { Some(Value::None) } else { part(args, span) }).collect()
}

/// Gives a part of the text.
#[must_use]
pub fn part(args: &[Value], (start, end): (i64, i64)) -> Option<Value> {
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    match args.get(1)? {
        Value::Str(text) => {
            let part: String = text.chars().skip(start).take(end.checked_sub(start)?).collect();
            Some(Value::Str(part))
        }
        Value::Bytes(bytes) => Some(Value::Bytes(bytes.get(start..end)?.to_vec())),
        _ => None,
    }
}

fn spans(args: &[Value]) -> Option<Vec<(i64, i64)>> {
    let Value::Tuple(spans) = args.get(2)? else { return None };
    let span = |value: &Value| match value {
        Value::Tuple(ends) => match ends.as_slice() {
            [Value::Int(start), Value::Int(end)] => Some((*start, *end)),
            _ => None,
        },
        _ => None,
    };
    spans.iter().map(span).collect()
}
