//! Words for a value: what is special about it first, then what it is.

use crate::domain::value::{TypeName, Value, python_float};
use crate::generate::scope::snake;

/// Longer words tell nothing more.
pub(super) const WORD_MAX: usize = 24;

/// Lists words for an argument, from the general to the particular.
pub(super) fn value_words(param: &str, value: &Value) -> Vec<String> {
    let param = slug(param).unwrap_or_else(|| "value".into());
    match value {
        Value::None => vec![format!("without_{param}")],
        Value::Bool(true) => vec![param],
        Value::Bool(false) => vec![format!("not_{param}")],
        Value::Int(number) => number_words(&param, &number.to_string()),
        Value::Float(number) if number.is_nan() => vec![format!("nan_{param}")],
        Value::Float(number) if number.is_infinite() => {
            vec![format!("{}infinite_{param}", if *number < 0.0 { "minus_" } else { "" })]
        }
        Value::Float(number) => number_words(&param, &python_float(*number)),
        Value::BigInt(digits) => number_words(&param, digits),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) => number_words(&param, text),
            _ => vec![param],
        },
        Value::New { ty, args, .. } if ty.module == "pandas" && matches!(ty.qualname.as_str(), "DataFrame" | "Series") => {
            table_words(&param, args.first())
        }
        // A lambda, by its text.
        Value::New { ty, .. } if ty.qualname == "eval" => vec![format!("with_{param}")],
        Value::New { ty, .. } if ty.module == "operator" && matches!(ty.qualname.as_str(), "getitem" | "or_") => {
            type_slug(value).or_else(|| slug(&ty.qualname)).into_iter().collect()
        }
        Value::New { ty, args, .. } => made_words(&param, ty, args),
        Value::Object { ty, fields, .. } | Value::NamedTuple { ty, fields } => {
            let mut words = vec![snake(ty.short())];
            words.extend(fields.iter().filter(|(_, value)| is_plain(value)).flat_map(|(name, value)| value_words(name, value)));
            words
        }
        Value::Sub { ty, .. } => vec![snake(ty.short())],
        Value::Str(text) => text_words(&param, text),
        Value::Exception { ty, args, .. } => {
            let mut words = vec![snake(ty.short())];
            if let Some(Value::Str(text)) = args.first() {
                words.extend(text_words(&param, text));
            }
            words
        }
        Value::Enum { name: Some(name), .. } => {
            slug(name).into_iter().flat_map(|name| [name.clone(), format!("{param}_{name}")]).collect()
        }
        Value::Name(ty) => vec![snake(ty.short())],
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) | Value::Array { items, .. } => {
            let mut words: Vec<String> = odd_words(&param, items);
            if items.len() > 1 {
                words.extend(content_slug(items));
            }
            words.extend(size_words(&param, items.len(), value));
            if let [one] = items.as_slice() {
                words.extend(content_words(&param, one));
            }
            words
        }
        Value::Dict(pairs) => {
            let mut words: Vec<String> = Vec::new();
            if pairs.len() > 1 {
                let keys: Vec<Value> = pairs.iter().map(|(key, _)| key.clone()).collect();
                words.extend(content_slug(&keys));
            }
            words.extend(size_words(&param, pairs.len(), value));
            if let [(key, one)] = pairs.as_slice() {
                words.extend(content_words(&key.summary(WORD_MAX), one));
            }
            words
        }
        Value::Shared(_, value) => value_words(&param, value),
        // The same object as another argument.
        Value::Ref(_) => Vec::new(),
        Value::Bytes(bytes) if bytes.is_empty() => vec![format!("empty_{param}")],
        other => slug(other.type_name()).map(|kind| format!("{param}_{kind}")).into_iter().collect(),
    }
}

/// Says what is odd about the items of a sequence: a word counts only where no other case has it.
fn odd_words(param: &str, items: &[Value]) -> Vec<String> {
    if items.len() < 2 {
        return Vec::new();
    }
    let negative = |item: &Value| match item {
        Value::Int(number) => *number < 0,
        Value::Float(number) => *number < 0.0,
        _ => false,
    };
    let any = |odd: &dyn Fn(&Value) -> bool| items.iter().any(odd) && !items.iter().all(odd);
    let is_empty = |item: &Value| match item {
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Tuple(items) => items.is_empty(),
        _ => false,
    };
    let mut words = Vec::new();
    for (is_so, word) in [
        (any(&|item| *item == Value::None), format!("none_in_{param}")),
        (any(&|item| matches!(item, Value::Float(number) if number.is_nan())), format!("nan_in_{param}")),
        (any(&is_empty), format!("empty_in_{param}")),
        (any(&negative), format!("negative_in_{param}")),
        (items.windows(2).all(|pair| pair[0] == pair[1]), format!("equal_{param}")),
        (items.iter().enumerate().any(|(at, item)| items[..at].contains(item)), format!("repeated_{param}")),
    ] {
        if is_so {
            words.push(word);
        }
    }
    words
}

/// Lists words for what the standard library makes: a time by how long it is, a date as it is written.
fn made_words(param: &str, ty: &TypeName, args: &[Value]) -> Vec<String> {
    let numbers: Vec<i64> =
        args.iter().map_while(|arg| if let Value::Int(number) = arg { Some(*number) } else { None }).collect();
    let class = snake(ty.short());
    match (ty.qualname.as_str(), numbers.as_slice(), args) {
        ("timedelta", [days, seconds, micros], _) => duration_words(param, *days, *seconds, *micros),
        ("date", [year, month, day], _) => vec![format!("{param}_{year}_{month:02}_{day:02}"), class],
        ("datetime", [year, month, day, hour, minute, rest @ ..], _) => {
            let date = format!("{param}_{year}_{month:02}_{day:02}");
            let mut words = Vec::from_iter((args.len() > 7).then(|| format!("aware_{param}")));
            let seconds = rest.first().filter(|second| **second != 0).map_or_else(String::new, |second| format!("_{second:02}"));
            words.extend([date.clone(), format!("{date}_at_{hour:02}_{minute:02}{seconds}")]);
            words
        }
        ("time", [hour, minute, ..], _) => vec![format!("{param}_at_{hour:02}_{minute:02}")],
        ("Fraction", [above, below], _) if *above >= 0 => vec![format!("{param}_{above}_over_{below}")],
        ("PosixPath" | "WindowsPath" | "Path" | "PurePath" | "PurePosixPath", _, [Value::Str(path)]) => {
            text_words(param, path.rsplit('/').next().unwrap_or(path))
        }
        ("UUID", _, _) => vec![class],
        ("OrderedDict" | "Counter" | "deque" | "bytearray", _, [held, ..]) | ("defaultdict", _, [_, held]) => {
            let mut words = vec![class];
            words.extend(value_words(param, held));
            words
        }
        _ => {
            let content = content_slug(args).map(|content| format!("{class}_{content}"));
            [Some(class), content].into_iter().flatten().collect()
        }
    }
}

/// Lists words for a frame or a series: whether it is empty, whether something is missing, and how many rows it has.
fn table_words(param: &str, data: Option<&Value>) -> Vec<String> {
    fn rows(column: &Value) -> &[Value] {
        match column {
            Value::List(items) => items,
            Value::New { args, .. } => args.first().map_or(&[], rows),
            _ => &[],
        }
    }
    let columns: Vec<&[Value]> = match data {
        Some(Value::Dict(pairs)) => pairs.iter().map(|(_, column)| rows(column)).collect(),
        Some(column) => vec![rows(column)],
        None => Vec::new(),
    };
    let missing = |item: &Value| *item == Value::None || matches!(item, Value::Float(number) if number.is_nan());
    let count = columns.first().map_or(0, |rows| rows.len());
    if count == 0 {
        return vec![format!("empty_{param}")];
    }
    let mut words = Vec::from_iter(columns.iter().any(|rows| rows.iter().any(missing)).then(|| format!("missing_in_{param}")));
    words.extend(columns.first().and_then(|rows| content_slug(rows)).filter(|_| columns.len() == 1));
    words.push(if count == 1 { format!("one_row_of_{param}") } else { format!("{count}_rows_of_{param}") });
    words
}

/// Writes a type as people say it: `list_int`, `optional_str`, `int_or_str`; without its parameters where that is long.
fn type_slug(value: &Value) -> Option<String> {
    let is_none = |part: &Value| match part {
        Value::None => true,
        Value::Name(ty) => ty.qualname == "NoneType",
        _ => false,
    };
    let all = |parts: &[Value], between: &str| -> Option<String> {
        parts.iter().map(type_slug).collect::<Option<Vec<_>>>().map(|parts| parts.join(between))
    };
    match value {
        part if is_none(part) => Some("none".into()),
        Value::Name(ty) => Some(snake(ty.short())),
        Value::Str(text) => slug(text),
        Value::New { ty, args, .. } if ty.qualname == "or_" => all(args, "_or_").filter(|words| words.len() <= WORD_MAX),
        Value::New { ty, args, .. } if ty.qualname == "getitem" => {
            let [of, held] = args.as_slice() else { return None };
            let held = if let Value::Tuple(held) = held { held.as_slice() } else { std::slice::from_ref(held) };
            let of = type_slug(of)?;
            let whole = match held {
                [one, none] | [none, one] if of == "union" && is_none(none) => {
                    type_slug(one).map(|one| format!("optional_{one}"))
                }
                held => all(held, "_").map(|held| format!("{of}_{held}")),
            };
            whole.filter(|words| words.len() <= WORD_MAX).or(Some(of))
        }
        _ => None,
    }
}

/// Lists words for a length of time: `1_hour`, `2_days_30_minutes`.
fn duration_words(param: &str, days: i64, seconds: i64, micros: i64) -> Vec<String> {
    let total = (i128::from(days) * 86_400 + i128::from(seconds)) * 1_000_000 + i128::from(micros);
    if total == 0 {
        return vec![format!("zero_{param}")];
    }
    let mut rest = total.unsigned_abs();
    let mut parts = Vec::new();
    for (unit, size) in
        [("day", 86_400_000_000_u128), ("hour", 3_600_000_000), ("minute", 60_000_000), ("second", 1_000_000), ("microsecond", 1)]
    {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            parts.push(format!("{count}_{unit}{}", if count == 1 { "" } else { "s" }));
        }
    }
    let sign = if total < 0 { "minus_" } else { "" };
    let exact = format!("{param}_{sign}{}", parts.join("_"));
    let mut words = Vec::from_iter((total < 0).then(|| format!("negative_{param}")));
    words.extend(parts.first().filter(|_| parts.len() > 1).map(|first| format!("{param}_{sign}{first}_and_more")));
    words.push(exact);
    // One that reads at a glance comes first.
    if parts.len() < 3 {
        words.reverse();
    }
    words
}

fn number_words(param: &str, text: &str) -> Vec<String> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return slug(text).map(|word| format!("{word}_{param}")).into_iter().collect();
    }
    let negative = text.starts_with('-');
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    let exact = slug(text.trim_start_matches('-')).unwrap_or_default();
    if exact.len() > WORD_MAX {
        return vec![format!("{}_{param}", if negative { "negative" } else { "large" })];
    }
    match (zero, negative) {
        (true, _) => vec![format!("zero_{param}"), format!("{param}_{exact}")],
        (false, true) => vec![format!("negative_{param}"), format!("{param}_minus_{exact}")],
        (false, false) => vec![format!("{param}_{exact}")],
    }
}

fn text_words(param: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![format!("empty_{param}")];
    }
    if text.trim().is_empty() {
        return vec![format!("blank_{param}")];
    }
    if !text.is_ascii() {
        return vec![format!("unicode_{param}")];
    }
    let mut odd = Vec::from_iter((text.trim_end().contains('\n')).then(|| format!("lines_of_{param}")));
    odd.extend((text.trim() != text).then(|| format!("padded_{param}")));
    odd.extend(plain_text_words(param, text));
    odd
}

fn plain_text_words(param: &str, text: &str) -> Vec<String> {
    match slug(text) {
        Some(word) if word.len() <= WORD_MAX && !word.starts_with(|c: char| c.is_ascii_digit()) => {
            vec![word.clone(), format!("{param}_{word}")]
        }
        Some(word) if word.len() <= WORD_MAX => vec![format!("{param}_{word}")],
        Some(word) => {
            let mut words = vec![format!("long_{param}")];
            // Its beginning, up to where a word ends.
            let fits = word.match_indices('_').map(|(at, _)| at).rfind(|at| *at <= WORD_MAX);
            words.extend(fits.map(|at| format!("{param}_{}", &word[..at])));
            words
        }
        None => vec![format!("{param}_of_signs")],
    }
}

/// Tells whether a value is read at a glance.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Enum { .. })
}

/// Writes a few plain values as part of a name: `1_2_none`.
fn content_slug(items: &[Value]) -> Option<String> {
    const ITEMS: usize = 4;
    if items.is_empty() || items.len() > ITEMS || !items.iter().all(is_plain) {
        return None;
    }
    let texts: Vec<String> = items
        .iter()
        .map(|item| match item {
            Value::Str(text) => slug(text),
            Value::Int(number) if *number < 0 => Some(format!("minus_{}", number.unsigned_abs())),
            Value::Float(number) => {
                let digits = python_float(number.abs());
                let digits = slug(digits.strip_suffix(".0").unwrap_or(&digits));
                digits.map(|digits| if *number < 0.0 { format!("minus_{digits}") } else { digits })
            }
            Value::Enum { name, .. } => slug(name.as_deref()?),
            other => slug(&other.summary(WORD_MAX)),
        })
        .collect::<Option<_>>()?;
    Some(texts.join("_")).filter(|word| word.len() <= WORD_MAX * 2 / 3)
}

/// Lists words for the only item of a container.
fn content_words(param: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } => {
            fields.first().map(|(name, value)| content_words(name, value)).unwrap_or_default()
        }
        scalar if scalar.children().is_empty() || is_number(scalar) => value_words(param, scalar),
        _ => Vec::new(),
    }
}

fn size_words(param: &str, size: usize, value: &Value) -> Vec<String> {
    const NUMBERS: [&str; 13] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if size == 0 {
        return vec![format!("empty_{param}"), format!("empty_{}", value.type_name())];
    }
    match NUMBERS.get(size) {
        Some(number) => vec![format!("{number}_in_{param}")],
        None => vec![format!("{size}_in_{param}")],
    }
}

/// Writes a text as part of a name; `None` when nothing is left of it.
pub(super) fn slug(text: &str) -> Option<String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    (!words.is_empty()).then(|| words.join("_"))
}

/// Tells whether a value is a number.
pub(super) fn is_number(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => true,
        Value::New { ty, .. } => matches!(ty.qualname.as_str(), "Decimal" | "Fraction"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_is_special_about_a_value() {
        let text = |text: &str| Value::Str(text.into());
        let ints = |numbers: &[i64]| Value::List(numbers.iter().map(|n| Value::Int(*n)).collect());
        let made = |class: &str, numbers: &[i64]| Value::New {
            ty: TypeName::new("datetime", class),
            args: numbers.iter().map(|n| Value::Int(*n)).collect(),
            kwargs: vec![],
        };
        let named = |name: &str| Value::Name(TypeName::new("builtins", name));
        let typed = |how: &str, args: Vec<Value>| Value::New { ty: TypeName::new("operator", how), args, kwargs: vec![] };
        let dict = typed("getitem", vec![named("dict"), Value::Tuple(vec![named("str"), named("int")])]);
        for (value, words) in [
            (typed("getitem", vec![named("list"), dict]), &["list_dict_str_int"][..]),
            (typed("getitem", vec![named("Union"), Value::Tuple(vec![named("int"), Value::None])]), &["optional_int"]),
            (typed("or_", vec![named("int"), named("str")]), &["int_or_str"]),
            (typed("getitem", vec![named("tuple"), Value::Tuple(vec![named("int"); 9])]), &["tuple"]),
            (ints(&[1, -2]), &["negative_in_x", "1_minus_2", "two_in_x"]),
            (ints(&[1, 2, 3, 4, 5]), &["five_in_x"]),
            (Value::List(vec![Value::Float(0.5), Value::Float(2.0), Value::None]), &["none_in_x", "0_5_2_none", "three_in_x"]),
            (Value::Dict(vec![(text("a b"), Value::None), (text("c"), Value::None)]), &["a_b_c", "two_in_x"]),
            (text("the quick brown fox jumps over"), &["long_x", "x_the_quick_brown_fox"]),
            (text("?!"), &["x_of_signs"]),
            (text("a\nb"), &["lines_of_x", "a_b", "x_a_b"]),
            (text(" a "), &["padded_x", "a", "x_a"]),
            (ints(&[3, 3]), &["equal_x", "repeated_x", "3_3", "two_in_x"]),
            (Value::List(vec![text("a"), Value::None]), &["none_in_x", "a_none", "two_in_x"]),
            (made("timedelta", &[0, 1, 0]), &["x_1_second"]),
            (made("timedelta", &[-1, 82_800, 0]), &["x_minus_1_hour", "negative_x"]),
            (made("timedelta", &[1, 3_661, 0]), &["x_1_day_and_more", "x_1_day_1_hour_1_minute_1_second"]),
            (made("timedelta", &[0, 0, 0]), &["zero_x"]),
            (made("date", &[2024, 2, 9]), &["x_2024_02_09", "date"]),
            (made("datetime", &[2024, 2, 9, 7, 5, 0, 0]), &["x_2024_02_09", "x_2024_02_09_at_07_05"]),
        ] {
            assert_eq!(value_words("x", &value), words, "{value:?}");
        }
    }
}
