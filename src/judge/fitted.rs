//! Values that are too long to be sent whole. The longest parts lose their ends first, so that a short part beside them, or after them, is
//! sent as it is.

use crate::domain::value::Value;

/// Stands where something is left out.
const LEFT_OUT: &str = "…";
/// Items of a list are not cut to fewer bytes each: then the last ones are left out.
const ITEM_MIN: usize = 40;
/// Bytes between two parts: `, ` and what stands around them.
const BETWEEN: usize = 4;

/// Cuts a value to about `limit` bytes of its text; `None` where all of it fits.
pub(super) fn cut(value: &Value, limit: usize) -> Option<Value> {
    if length(value) <= limit {
        return None;
    }
    Some(match value {
        Value::Str(text) => {
            let mut end = limit.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Value::Str(format!("{}{LEFT_OUT}", &text[..end]))
        }
        Value::List(all) => Value::List(items(all, limit)),
        Value::Tuple(all) => Value::Tuple(items(all, limit)),
        Value::Set(all) => Value::Set(items(all, limit)),
        Value::FrozenSet(all) => Value::FrozenSet(items(all, limit)),
        Value::Dict(pairs) => {
            let keys: usize = pairs.iter().map(|(key, _)| length(key) + BETWEEN).sum();
            let values = shared(pairs.iter().map(|(_, value)| value), limit.saturating_sub(keys));
            Value::Dict(pairs.iter().map(|(key, _)| key.clone()).zip(values).collect())
        }
        Value::Object { ordinal, ty, kind, fields } => {
            Value::Object { ordinal: *ordinal, ty: ty.clone(), kind: *kind, fields: named(fields, limit) }
        }
        Value::NamedTuple { ty, fields } => Value::NamedTuple { ty: ty.clone(), fields: named(fields, limit) },
        Value::Shared(ordinal, inner) => {
            Value::Shared(*ordinal, Box::new(cut(inner, limit).unwrap_or_else(|| (**inner).clone())))
        }
        // Its text is cut where it is written.
        other => other.clone(),
    })
}

fn length(value: &Value) -> usize {
    value.summary(usize::MAX).len()
}

fn named(fields: &[(String, Value)], limit: usize) -> Vec<(String, Value)> {
    let names: usize = fields.iter().map(|(name, _)| name.len() + BETWEEN).sum();
    let values = shared(fields.iter().map(|(_, value)| value), limit.saturating_sub(names));
    fields.iter().map(|(name, _)| name.clone()).zip(values).collect()
}

/// Cuts the items of a list: each a little, or where there are too many of them, the last ones away.
fn items(all: &[Value], limit: usize) -> Vec<Value> {
    let room = limit.saturating_sub(all.len() * BETWEEN);
    if room / all.len().max(1) >= ITEM_MIN {
        return shared(all.iter(), room);
    }
    let mut left = limit.saturating_sub(LEFT_OUT.len() + BETWEEN);
    let fits = |item: &&Value| {
        let takes = length(item) + BETWEEN;
        let fits = takes <= left;
        left = left.saturating_sub(takes);
        fits
    };
    let mut kept: Vec<Value> = all.iter().take_while(fits).cloned().collect();
    kept.push(Value::Str(LEFT_OUT.into()));
    kept
}

/// Shares the room out: what is short stays whole, and the others get equal parts of the rest.
fn shared<'v>(values: impl Iterator<Item = &'v Value>, room: usize) -> Vec<Value> {
    let values: Vec<(&Value, usize)> = values.map(|value| (value, length(value))).collect();
    let mut sizes: Vec<usize> = values.iter().map(|(_, size)| *size).collect();
    sizes.sort_unstable();
    let (mut left, mut most) = (room, usize::MAX);
    for (at, size) in sizes.iter().enumerate() {
        let each = left / (sizes.len() - at);
        if *size > each {
            most = each;
            break;
        }
        left -= size;
    }
    values.into_iter().map(|(value, _)| cut(value, most).unwrap_or_else(|| value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: usize) -> Value {
        Value::Str("x".repeat(length))
    }

    fn dict(pairs: &[(&str, Value)]) -> Value {
        Value::Dict(pairs.iter().map(|(key, value)| (Value::Str((*key).into()), value.clone())).collect())
    }

    #[test]
    fn what_fits_is_left_as_it_is() {
        assert_eq!(cut(&dict(&[("a", text(50))]), 100), None);
    }

    #[test]
    fn the_longest_part_is_cut_and_a_short_one_after_it_is_whole() {
        let rows = Value::List((0..2_000).map(|number| Value::Str(format!("row {number} {}", "x".repeat(90)))).collect());
        let small = dict(&[("answer", Value::Int(42))]);
        let shorter =
            cut(&dict(&[("small", small.clone()), ("rows", rows), ("tail", Value::Str("TAIL".into()))]), 5_000).unwrap();
        let Value::Dict(pairs) = &shorter else { panic!("{shorter:?}") };
        assert_eq!((&pairs[0].1, &pairs[2].1), (&small, &Value::Str("TAIL".into())));
        let Value::List(rows) = &pairs[1].1 else { panic!("{shorter:?}") };
        assert!(rows.len() > 30 && rows.len() < 60 && rows.last() == Some(&Value::Str(LEFT_OUT.into())), "{}", rows.len());
        assert!(length(&shorter) <= 5_000);
    }

    #[test]
    fn several_long_parts_get_equal_room() {
        let shorter = cut(&Value::List(vec![text(4_000), text(10), text(4_000)]), 1_000).unwrap();
        let Value::List(all) = &shorter else { panic!("{shorter:?}") };
        assert_eq!(all[1], text(10));
        assert!((450..520).contains(&length(&all[0])) && length(&all[0]) == length(&all[2]), "{}", length(&all[0]));
        assert!(shorter.summary(usize::MAX).contains("x…'"));
    }
}
