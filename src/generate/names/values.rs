//! Words for a value: what is special about it first, then what it is. Texts are `texts.rs`.

use crate::domain::value::{TypeName, Value, python_float};
use crate::generate::names::texts::{reads_as_words, slug, text_words};
use crate::generate::scope::snake;

/// Longer words tell nothing more.
pub(super) const WORD_MAX: usize = 24;

/// Of more items nobody reads each.
const CONTENT_MAX: usize = 3;

/// More digits are no number that anybody reads.
const DIGITS_MAX: usize = 9;

/// More digits behind the point are rounded.
const PLACES_MAX: usize = 4;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Numbers as people write them in a sentence.
const NUMBERS: [&str; 13] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

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
        // A function that another one defined: by the one that makes it, unless that is a test.
        Value::New { ty, args, .. } if ty.qualname == "FunctionType" => match args.get(1) {
            Some(Value::Str(qualname)) => {
                let (outer, inner) = qualname.split_once(".<locals>.").unwrap_or((qualname, qualname));
                let outer = outer.rsplit('.').next().unwrap_or(outer);
                let name = if outer.starts_with("test") { inner.rsplit('.').next().unwrap_or(inner) } else { outer };
                slug(name).filter(|name| name != "lambda").map_or_else(|| vec![format!("with_{param}")], |name| vec![name])
            }
            _ => vec![format!("with_{param}")],
        },
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
                words.extend(content_slug(&param, items));
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
                words.extend(content_slug(&param, &keys));
            }
            words.extend(size_words(&param, pairs.len(), value));
            if let [(Value::Str(key), one)] = pairs.as_slice() {
                words.extend(content_words(key, one));
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
        ("date", [year, month, day], _) => vec![format!("{param}_{}", date(*year, *month, *day)), class],
        ("datetime", [year, month, day, hour, minute, rest @ ..], _) => {
            let date = format!("{param}_{}", date(*year, *month, *day));
            let mut words = Vec::from_iter((args.len() > 7).then(|| format!("aware_{param}")));
            let seconds = rest.first().filter(|second| **second != 0);
            let seconds = seconds.map_or_else(String::new, |second| format!("_and_{second}_seconds"));
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
            let content = content_slug(&class, args);
            [Some(class), content].into_iter().flatten().collect()
        }
    }
}

/// Writes a date as people say it: `9_feb_2024`.
fn date(year: i64, month: i64, day: i64) -> String {
    let month = usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or("month");
    format!("{day}_{month}_{year}")
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
    words.extend(columns.first().and_then(|rows| content_slug(param, rows)).filter(|_| columns.len() == 1));
    match NUMBERS.get(count) {
        Some(number) if count == 1 => words.push(format!("{number}_row_of_{param}")),
        Some(number) => words.push(format!("{number}_rows_of_{param}")),
        None => words.extend([format!("many_rows_of_{param}"), format!("{param}_of_{count}_rows")]),
    }
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
    let zero = !text.split(['e', 'E']).next().unwrap_or(text).contains(|c: char| ('1'..='9').contains(&c));
    let mut words = Vec::new();
    if zero {
        words.push(format!("zero_{param}"));
    } else if negative {
        words.push(format!("negative_{param}"));
    }
    let sign = if negative && !zero { "minus_" } else { "" };
    words.push(match digits(text.trim_start_matches('-')) {
        Digits::Few(digits) => format!("{param}_{sign}{digits}"),
        Digits::Rounded(digits) => format!("{param}_about_{sign}{digits}"),
        Digits::Small => format!("tiny_{param}"),
        Digits::Large => format!("large_{param}"),
    });
    words
}

/// A number without its sign, as part of a name.
enum Digits {
    Few(String),
    Rounded(String),
    Small,
    Large,
}

fn digits(text: &str) -> Digits {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() > DIGITS_MAX {
        return Digits::Large;
    }
    let exact = || Digits::Few(slug(text).unwrap_or_default());
    if places.len() <= PLACES_MAX || places.contains(['e', 'E']) && text.len() <= DIGITS_MAX {
        return exact();
    }
    match text.parse::<f64>() {
        Ok(number) if (0.01..1e9).contains(&number) => {
            let rounded = format!("{number:.2}");
            Digits::Rounded(slug(rounded.strip_suffix(".00").unwrap_or(&rounded)).unwrap_or_default())
        }
        Ok(number) if number < 0.01 => Digits::Small,
        _ => Digits::Large,
    }
}

/// Tells whether a value is read at a glance.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Enum { .. })
}

/// Says what a few plain values are: `ten_and_half`, or with the parameter's name where they are no words.
fn content_slug(param: &str, items: &[Value]) -> Option<String> {
    if items.is_empty() || items.len() > CONTENT_MAX || !items.iter().all(is_plain) {
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
    let words = texts.iter().all(|text| reads_as_words(text));
    // Numbers side by side, or letters, say nothing: two of them are read at a glance.
    if !words && texts.len() > 2 {
        return None;
    }
    let joined = texts.join("_and_");
    let content = if words { joined } else { format!("{param}_{joined}") };
    Some(content).filter(|word| word.len() <= WORD_MAX)
}

/// Lists words for the only item of a container.
fn content_words(param: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } => {
            fields.first().map(|(name, value)| content_words(name, value)).unwrap_or_default()
        }
        scalar if scalar.is_leaf() || is_number(scalar) => value_words(param, scalar),
        _ => Vec::new(),
    }
}

fn size_words(param: &str, size: usize, value: &Value) -> Vec<String> {
    if size == 0 {
        return vec![format!("empty_{param}"), format!("empty_{}", value.type_name())];
    }
    match NUMBERS.get(size) {
        Some(number) => vec![format!("{number}_in_{param}")],
        None => vec![format!("many_in_{param}"), format!("{param}_of_{size}")],
    }
}

/// Tells whether a value is a number.
pub(super) fn is_number(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => true,
        Value::New { ty, .. } => matches!(ty.qualname.as_str(), "Decimal" | "Fraction"),
        _ => false,
    }
}
