//! Arrays of numpy and frames of pandas: written as people write them, and compared by the functions of their libraries.
//!
//! Owns what is special about these two; what else a value may be is `build.rs` and `expect.rs`.

use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value, python_float};
use crate::generate::alike::is_short;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, PARTS_MAX, Relation};
use crate::generate::layout::{Expr, Item};
use crate::generate::tables::{Check, Table};

/// Cells of a table that people read in a test.
const CELLS_MAX: usize = 40;

/// Above this a whole number does not come back from a float, which a column with something missing is made of first.
const EXACT: u64 = 1 << 53;

impl Builder<'_, '_> {
    /// Makes an array from its elements.
    pub(super) fn array(&mut self, dtype: &str, shape: &[u64], items: &[Value]) -> Result<Expr, Stop> {
        let size: u64 = shape.iter().product();
        if u64::try_from(items.len()) != Ok(size) {
            return no(ReasonCode::UnsupportedArray.with("does not fit its shape"));
        }
        if shape.len() > 1 && size == 0 {
            let shape = Value::Tuple(shape.iter().map(|length| Value::Int(length.cast_signed())).collect());
            return self.evenly("zeros", &[shape], dtype);
        }
        let mut made = vec![self.elements(dtype, shape, items)?.into()];
        if !infers(dtype, items) {
            made.push(Item::keyword("dtype", self.dtype(dtype)?));
        }
        Ok(Expr::call_with(&self.numpy("array")?, made))
    }

    /// Writes the elements of an array as lists in lists.
    fn elements(&mut self, dtype: &str, shape: &[u64], items: &[Value]) -> Result<Expr, Stop> {
        let flat: Vec<Expr> = items.iter().map(|item| self.element(dtype, item)).collect::<Result<_, _>>()?;
        Ok(nested(&flat, shape))
    }

    fn element(&mut self, dtype: &str, item: &Value) -> Result<Expr, Stop> {
        match item {
            Value::Float(number) if number.is_finite() => Ok(self.float(shortest(dtype, *number))),
            Value::Float(number) if number.is_nan() => self.numpy("nan").map(Expr::Atom),
            Value::Float(number) => {
                let infinite = self.numpy("inf")?;
                Ok(Expr::Atom(if *number > 0.0 { infinite } else { format!("-{infinite}") }))
            }
            item => self.value(item, "value"),
        }
    }

    /// Makes an array whose numbers follow a rule.
    pub(super) fn by_rule(&mut self, rule: &str, args: &[Value], kwargs: &[(String, Value)]) -> Result<Expr, Stop> {
        if let ("reshape", [inner, Value::Tuple(shape)]) = (rule, args) {
            let inner = self.value(inner, "array")?;
            let shape = self.values(shape, "shape")?;
            return Ok(inner.then(Expr::call(".reshape", shape)));
        }
        if let ("asfortranarray", [inner]) = (rule, args) {
            let inner = self.value(inner, "array")?;
            // What is compared is not how the numbers lie.
            return if self.expecting.is_some() { Ok(inner) } else { Ok(Expr::call(&self.numpy(rule)?, vec![inner])) };
        }
        match kwargs {
            [(name, Value::Str(dtype))] if name == "dtype" => self.evenly(rule, args, dtype),
            _ => no(ReasonCode::UnsupportedArray.with("has no dtype")),
        }
    }

    fn evenly(&mut self, rule: &str, args: &[Value], dtype: &str) -> Result<Expr, Stop> {
        let mut args = args.to_vec();
        if rule == "arange" && args.len() == 3 {
            let is =
                |value: &Value, number: f64| matches!(value, Value::Int(_) | Value::Float(_)) && as_float(value) == Some(number);
            if is(&args[2], 1.0) {
                args.pop();
                if is(&args[0], 0.0) {
                    args.remove(0);
                }
            }
        }
        let mut made: Vec<Item> = Vec::new();
        for arg in &args {
            made.push(self.element(dtype, arg)?.into());
        }
        let is_default = match rule {
            "zeros" | "ones" | "linspace" => dtype == "<f8",
            _ => infers(dtype, args.get(args.len().saturating_sub(1)..).unwrap_or_default()),
        };
        if !is_default {
            made.push(Item::keyword("dtype", self.dtype(dtype)?));
        }
        Ok(Expr::call_with(&self.numpy(rule)?, made))
    }

    /// Writes what numpy calls `<i8` as people do: `np.int64`, `bool`, `"datetime64[D]"`.
    fn dtype(&mut self, dtype: &str) -> Result<Expr, Stop> {
        let (order, rest) = dtype.split_at_checked(1).unwrap_or(("", dtype));
        let native = matches!(order, "<" | "|");
        let bits = |size: &str| size.parse::<u32>().ok().and_then(|size| size.checked_mul(8));
        match (rest.split_at_checked(1), native) {
            (Some(("b", "1")), true) => Ok(Expr::atom("bool")),
            (Some((kind @ ("i" | "u" | "f" | "c"), size)), true) => {
                let Some(bits) = bits(size) else { return no(ReasonCode::UnsupportedArray.with("has a dtype without a name")) };
                let name = match kind {
                    "i" => "int",
                    "u" => "uint",
                    "f" => "float",
                    _ => "complex",
                };
                self.numpy(&format!("{name}{bits}")).map(Expr::Atom)
            }
            (Some(("M", unit)), true) => Ok(Expr::Text(unit.replacen('8', "datetime64", 1))),
            (Some(("m", unit)), true) => Ok(Expr::Text(unit.replacen('8', "timedelta64", 1))),
            _ => Ok(Expr::Text(dtype.trim_start_matches('|').to_owned())),
        }
    }

    fn numpy(&mut self, name: &str) -> Result<String, Stop> {
        self.spell(&TypeName::new("numpy", name))
    }

    /// Makes something of pandas; `None` where the general form is the right one.
    pub(super) fn of_pandas(&mut self, name: &str, args: &[Value], kwargs: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        match (name, args) {
            ("DataFrame", [Value::Dict(columns)]) => self.frame(columns, kwargs).map(Some),
            ("Series", [data]) => {
                legible(name, length(data))?;
                let mut made = vec![self.column(data)?.into()];
                for wanted in ["index", "dtype", "name"] {
                    if let Some((_, value)) = kwargs.iter().find(|(name, _)| name == wanted) {
                        made.push(self.beside(wanted, value)?);
                    }
                }
                Ok(Some(Expr::call_with(&self.pandas(name)?, made)))
            }
            ("Categorical" | "CategoricalIndex", [items @ Value::List(values)]) => {
                let is_told = |name: &str, value: &Value| !(name == "categories" && sorted(values).as_ref() == Some(value));
                let mut made = vec![self.column(items)?.into()];
                for (name, value) in kwargs.iter().filter(|(name, value)| is_told(name, value)) {
                    made.push(self.beside(name, value)?);
                }
                Ok(Some(Expr::call_with(&self.pandas(name)?, made)))
            }
            ("DatetimeIndex", [Value::List(items)]) if items.len() > 1 => {
                // What pandas reads off texts has the same unit as what it counts up itself.
                let Some(freq) = kwargs.iter().find(|(name, _)| name == "freq").filter(|_| !has(kwargs, "dtype")) else {
                    return Ok(None);
                };
                let mut made = vec![self.value(&items[0], "start")?.into()];
                made.push(Item::keyword("periods", Expr::Atom(items.len().to_string())));
                made.extend(self.named(std::slice::from_ref(freq))?);
                made.extend(self.named(&kwargs.iter().filter(|(name, _)| name == "name").cloned().collect::<Vec<_>>())?);
                Ok(Some(Expr::call_with(&self.pandas("date_range")?, made)))
            }
            ("RangeIndex", [start, stop, step]) => {
                let mut args = vec![start.clone(), stop.clone(), step.clone()];
                if *step == Value::Int(1) {
                    args.pop();
                    if *start == Value::Int(0) {
                        args.remove(0);
                    }
                }
                let mut made: Vec<Item> = self.values(&args, "range")?.into_iter().map(Item::from).collect();
                made.extend(self.named(kwargs)?);
                Ok(Some(Expr::call_with(&self.pandas(name)?, made)))
            }
            ("Timestamp.as_unit" | "Timedelta.as_unit", [time, unit]) => {
                let time = self.value(time, "time")?;
                // `==` does not look at it.
                if self.expecting.is_some() {
                    return Ok(Some(time));
                }
                let unit = self.value(unit, "unit")?;
                Ok(Some(time.then(Expr::call(".as_unit", vec![unit]))))
            }
            ("Index" | "array", [items]) => {
                let mut made = vec![self.column(items)?.into()];
                for (name, value) in kwargs {
                    made.push(self.beside(name, value)?);
                }
                Ok(Some(Expr::call_with(&self.pandas(name)?, made)))
            }
            _ => Ok(None),
        }
    }

    fn pandas(&mut self, name: &str) -> Result<String, Stop> {
        self.spell(&TypeName::new("pandas", name))
    }

    fn frame(&mut self, columns: &[(Value, Value)], kwargs: &[(String, Value)]) -> Result<Expr, Stop> {
        legible("DataFrame", columns.iter().map(|(_, column)| length(column)).sum())?;
        let mut made = Vec::new();
        let mut types = Vec::new();
        for (label, column) in columns {
            let label = self.value(label, "column")?;
            if let Some((items, dtype)) = converted(column) {
                types.push((label.clone(), Expr::Text(dtype.to_owned())));
                made.push((label, self.column(items)?));
            } else {
                made.push((label, self.column(column)?));
            }
        }
        let mut items = vec![Item::from(Expr::dict(made))];
        for (name, value) in kwargs {
            items.push(self.beside(name, value)?);
        }
        let frame = Expr::call_with(&self.pandas("DataFrame")?, items);
        let is_one = types.len() > 1 && types.len() == columns.len() && types.iter().all(|(_, dtype)| *dtype == types[0].1);
        Ok(match types.as_slice() {
            [] => frame,
            [(_, dtype), ..] if is_one => frame.then(Expr::call(".astype", vec![dtype.clone()])),
            _ => frame.then(Expr::call(".astype", vec![Expr::dict(types)])),
        })
    }

    /// Writes the items of a column; in one of floats what is missing is None, as people write it.
    fn column(&mut self, column: &Value) -> Result<Expr, Stop> {
        let Value::List(items) = column else { return self.value(column, "column") };
        let floats = items.iter().all(|item| matches!(item, Value::Float(_)))
            && items.iter().any(|item| matches!(item, Value::Float(number) if !number.is_nan()));
        let mut made = Vec::new();
        for item in items {
            made.push(match item {
                Value::Float(number) if floats && number.is_nan() => Expr::atom("None"),
                item => self.value(item, "value")?,
            });
        }
        Ok(Expr::list(made))
    }

    /// Writes what stands beside the items: an index is a list where that makes the same, and a dtype may be a builtin.
    fn beside(&mut self, name: &str, value: &Value) -> Result<Item, Stop> {
        let written = match value {
            Value::Str(dtype) if name == "dtype" && dtype == "object" => Expr::atom("object"),
            Value::New { ty, args, kwargs } if ty.module == "pandas" && ty.qualname == "Index" && kwargs.is_empty() => {
                args.first().map_or_else(
                    || no(ReasonCode::UnsupportedDataframe.of("Index").with("has no labels")),
                    |items| self.column(items),
                )?
            }
            other => self.value(other, name)?,
        };
        Ok(Item::keyword(name, written))
    }

    /// Asserts an array, a frame, a series or an index by the function that its library has for it.
    pub(super) fn tested(&mut self, subject: &str, value: &Value, table: Table) -> Result<Vec<Assertion>, Stop> {
        // What is built here is no operand of `==`.
        let expecting = self.expecting.take();
        let found =
            if table == Table::Array { self.array_tested(subject, value) } else { self.frame_tested(subject, value, table) };
        self.expecting = expecting;
        found
    }

    fn array_tested(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let Some((dtype, shape)) = self::shape(value) else { return no(ReasonCode::UnsupportedArray.with("has no known shape")) };
        let expected = match value {
            // Type and shape are asserted by themselves.
            Value::Array { dtype, shape, items } if !items.is_empty() && !dtype.contains(['M', 'm']) => {
                self.elements(dtype, shape, items)?
            }
            value => self.value(value, "expected")?,
        };
        let tolerance: &[&str] = match dtype.trim_start_matches(['<', '>', '|', '=']) {
            "f2" => &["rtol=1e-3"],
            "f4" | "c8" => &["rtol=1e-6"],
            "f8" | "c16" => &["rtol=1e-9"],
            _ => &[],
        };
        let name = if tolerance.is_empty() { "testing.assert_array_equal" } else { "testing.assert_allclose" };
        self.numpy(name)?;
        let function = if tolerance.is_empty() { "np.testing.assert_array_equal" } else { "np.testing.assert_allclose" };
        let shape: Vec<Expr> = shape.iter().map(|length| Expr::Atom(length.to_string())).collect();
        Ok(vec![
            Assertion::new(subject, Relation::By(Check { function, tolerance }), expected),
            Assertion::new(&format!("{subject}.dtype"), Relation::Equal, self.dtype(&dtype)?),
            // A single number equals an array of any shape that is full of it.
            Assertion::new(&format!("{subject}.shape"), Relation::Equal, Expr::tuple(shape)),
        ])
    }

    fn frame_tested(&mut self, subject: &str, value: &Value, table: Table) -> Result<Vec<Assertion>, Stop> {
        let function = match table {
            Table::Frame => "pd.testing.assert_frame_equal",
            Table::Series => "pd.testing.assert_series_equal",
            Table::Index | Table::Array => "pd.testing.assert_index_equal",
        };
        let floats = !value.walk(&mut |part| !matches!(part, Value::Float(number) if number.is_finite()));
        let tolerance: &[&str] = match (floats, table) {
            (true, Table::Frame | Table::Series) => &["rtol=1e-9", "atol=0"],
            _ => &[],
        };
        self.pandas("testing")?;
        let expected = self.value(value, "expected")?;
        Ok(vec![Assertion::new(subject, Relation::By(Check { function, tolerance }), expected)])
    }

    /// Asserts a scalar of numpy by what it holds, and its type.
    pub(super) fn scalar_tested(&mut self, subject: &str, ty: &TypeName, held: &Value) -> Result<Vec<Assertion>, Stop> {
        if let Value::Bool(held) = held {
            let one = self.numpy(if *held { "True_" } else { "False_" })?;
            return Ok(vec![Assertion::new(subject, Relation::Is, Expr::Atom(one))]);
        }
        let held = match (ty.qualname.as_str(), held) {
            ("float32", Value::Float(number)) if !is_short(*number) => {
                let expected = Expr::Atom(python_float(shortest("<f4", *number)));
                let class = Expr::Atom(self.spell(ty)?);
                let exact = Expr::call(&class.flat(), vec![expected]);
                return Ok(vec![
                    Assertion::new(subject, Relation::Equal, exact),
                    Assertion::new(&format!("type({subject})"), Relation::Is, class),
                ]);
            }
            (_, held) => held.clone(),
        };
        let strict = std::mem::replace(&mut self.strict, false);
        let found = self.assertions(subject, &held);
        self.strict = strict;
        let mut all = found?;
        all.push(Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?)));
        Ok(all)
    }

    /// Compares the entries of a dict one by one, as each can be compared: `==` does not say whether arrays are equal.
    pub(super) fn entries(&mut self, subject: &str, pairs: &[(Value, Value)]) -> Result<Vec<Assertion>, Stop> {
        if !pairs.iter().all(|(key, _)| matches!(key, Value::Str(_) | Value::Int(_))) {
            return no(ReasonCode::NotComparable.of("dict"));
        }
        let keys: Vec<Value> = pairs.iter().map(|(key, _)| key.clone()).collect();
        let keys = self.expected(&Value::List(keys))?;
        let mut all = vec![Assertion::new(&format!("list({subject})"), Relation::Equal, keys)];
        for (key, value) in pairs {
            let key = self.expected(key)?.flat();
            all.extend(self.assertions(&format!("{subject}[{key}]"), value)?);
        }
        if all.len() > PARTS_MAX {
            return no(ReasonCode::NotComparable.of("dict"));
        }
        Ok(all)
    }
}

/// Refuses a table that nobody would read in a test.
fn legible(name: &str, cells: usize) -> Result<(), Stop> {
    if cells <= CELLS_MAX {
        return Ok(());
    }
    no(ReasonCode::UnsupportedDataframe.of(name).with(format!("has {cells} cells, more than {CELLS_MAX}")))
}

/// Counts the items of a column.
fn length(column: &Value) -> usize {
    match column {
        Value::List(items) => items.len(),
        Value::New { args, .. } => args.first().map_or(0, length),
        _ => 0,
    }
}

/// Gives dtype and shape of an array.
fn shape(value: &Value) -> Option<(String, Vec<u64>)> {
    let Value::New { ty, args, kwargs } = value else {
        let Value::Array { dtype, shape, .. } = value else { return None };
        return Some((dtype.clone(), shape.clone()));
    };
    let lengths = |value: &Value| match value {
        Value::Int(length) => u64::try_from(*length).ok().map(|length| vec![length]),
        Value::Tuple(lengths) => lengths
            .iter()
            .map(|length| if let Value::Int(length) = length { u64::try_from(*length).ok() } else { None })
            .collect::<Option<Vec<u64>>>(),
        _ => None,
    };
    if ty.qualname == "asfortranarray" {
        return shape(args.first()?);
    }
    if ty.qualname == "reshape" {
        return Some((shape(args.first()?)?.0, lengths(args.get(1)?)?));
    }
    let Some((_, Value::Str(dtype))) = kwargs.iter().find(|(name, _)| name == "dtype") else { return None };
    let shape = match (ty.qualname.as_str(), args.as_slice()) {
        ("zeros" | "ones" | "full", [shape, ..]) => lengths(shape)?,
        ("linspace", [_, _, length]) => lengths(length)?,
        ("arange", [start, stop, step]) => {
            let length = ((as_float(stop)? - as_float(start)?) / as_float(step)?).round();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let length = (0.0..1e9).contains(&length).then_some(length as u64)?;
            vec![length]
        }
        _ => return None,
    };
    Some((dtype.clone(), shape))
}

#[allow(clippy::cast_precision_loss)]
fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn has(kwargs: &[(String, Value)], wanted: &str) -> bool {
    kwargs.iter().any(|(name, _)| name == wanted)
}

/// Tells whether numpy takes this dtype for these elements by itself.
fn infers(dtype: &str, items: &[Value]) -> bool {
    let all = |is_one: &dyn Fn(&Value) -> bool| !items.is_empty() && items.iter().all(is_one);
    let longest = |length: &dyn Fn(&Value) -> usize| items.iter().map(length).max().unwrap_or(0).max(1).to_string();
    match dtype {
        "|b1" => all(&|item| matches!(item, Value::Bool(_))),
        "<i8" => all(&|item| matches!(item, Value::Int(_))),
        "<f8" => items.iter().all(|item| matches!(item, Value::Float(_))),
        "<c16" => all(&|item| matches!(item, Value::Complex(..))),
        _ => match dtype.split_at_checked(2) {
            Some(("<U", length)) if all(&|item| matches!(item, Value::Str(_))) => {
                length == longest(&|item| if let Value::Str(text) = item { text.chars().count() } else { 0 })
            }
            Some(("|S", length)) if all(&|item| matches!(item, Value::Bytes(_))) => {
                length == longest(&|item| if let Value::Bytes(bytes) = item { bytes.len() } else { 0 })
            }
            _ => false,
        },
    }
}

/// Gives the float of the fewest digits that is the same number in an array of this dtype.
fn shortest(dtype: &str, number: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation)]
    let single = number as f32;
    if !dtype.ends_with("f4") || f64::from(single).to_bits() != number.to_bits() {
        return number;
    }
    single.to_string().parse().unwrap_or(number)
}

/// Folds a flat list into rows.
fn nested(flat: &[Expr], shape: &[u64]) -> Expr {
    match shape {
        [] => flat.first().cloned().unwrap_or_else(|| Expr::list(Vec::new())),
        [_] => Expr::list(flat.to_vec()),
        [_, rest @ ..] => {
            let row = usize::try_from(rest.iter().product::<u64>()).unwrap_or(usize::MAX).max(1);
            Expr::list(flat.chunks(row).map(|chunk| nested(chunk, rest)).collect())
        }
    }
}

/// Gives the items and the dtype of a column that `astype` makes of what pandas takes the items for.
fn converted(column: &Value) -> Option<(&Value, &str)> {
    let Value::New { ty, args, kwargs } = column else { return None };
    let ([items @ Value::List(values)], [(name, Value::Str(dtype))]) = (args.as_slice(), kwargs.as_slice()) else { return None };
    let is_large = |value: &Value| match value {
        Value::Int(number) => number.unsigned_abs() > EXACT,
        value => matches!(value, Value::BigInt(_)),
    };
    let loses = values.contains(&Value::None) && values.iter().any(is_large);
    let is_it = ty.module == "pandas" && ty.qualname == "array" && name == "dtype";
    (is_it && dtype != "object" && !loses).then_some((items, dtype.as_str()))
}

/// Gives the categories that pandas finds in items by itself: what there is, sorted.
fn sorted(items: &[Value]) -> Option<Value> {
    let mut texts = std::collections::BTreeSet::new();
    let mut numbers = std::collections::BTreeSet::new();
    for item in items {
        match item {
            Value::Str(text) => drop(texts.insert(text.clone())),
            Value::Int(number) => drop(numbers.insert(*number)),
            Value::None => {}
            _ => return None,
        }
    }
    match (texts.is_empty(), numbers.is_empty()) {
        (false, true) => Some(Value::List(texts.into_iter().map(Value::Str).collect())),
        (true, false) => Some(Value::List(numbers.into_iter().map(Value::Int).collect())),
        _ => None,
    }
}
