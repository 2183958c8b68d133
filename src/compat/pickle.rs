//! Pickles of plain values, read opcode by opcode. Nothing named in one is ever looked up, imported or called.
//!
//! What stands for more than `None`, truth values, numbers, texts, bytes, lists, tuples, dicts and sets is refused, but for dates, times and
//! decimals, whose forms are known (`known.rs`), and objects of the project's own classes, of which the state is read.

use std::collections::HashMap;

use crate::compat::trace::Refused;
use crate::domain::value::{ObjectKind, TypeName, Value};

mod known;

/// Values of one pickle, those that stand in several places counted in each.
const NODES_MAX: usize = 100_000;
/// Containers may be nested this deep.
const DEPTH_MAX: usize = 100;

/// A value that is being made; containers grow while others refer to them.
enum Node {
    Whole(Value),
    List(Vec<usize>),
    Tuple(Vec<usize>),
    Set(Vec<usize>),
    FrozenSet(Vec<usize>),
    Dict(Vec<(usize, usize)>),
    /// A type that is known, by its name: good for being called alone.
    Named(TypeName),
    /// What such a type makes of a tuple.
    Made(TypeName, usize),
    /// An object of the project's, with its state.
    Object(TypeName, Option<usize>),
}

/// Tells whether a type is one of the project's.
pub type IsOurs<'a> = dyn Fn(&TypeName) -> bool + 'a;

/// Reads a pickle of plain values, and of objects of the project's own types.
///
/// # Errors
/// When it is damaged, or holds anything else.
pub fn load(bytes: &[u8], is_ours: &IsOurs<'_>) -> Result<Value, Refused> {
    let (nodes, memo) = (Vec::new(), HashMap::new());
    let mut machine = Machine { bytes, at: 0, nodes, stack: Vec::new(), marks: Vec::new(), memo, is_ours };
    let root = machine.run()?;
    let mut uses = vec![0_u32; machine.nodes.len()];
    for node in &machine.nodes {
        for part in parts(node) {
            uses[part] = uses[part].saturating_add(1);
        }
    }
    let mut build = Build { nodes: &machine.nodes, uses, numbers: HashMap::new(), open: Vec::new(), left: NODES_MAX };
    build.value(root, 0)
}

fn parts(node: &Node) -> Vec<usize> {
    match node {
        Node::Whole(_) | Node::Named(_) => Vec::new(),
        Node::Made(_, args) => vec![*args],
        Node::Object(_, state) => state.iter().copied().collect(),
        Node::List(items) | Node::Tuple(items) | Node::Set(items) | Node::FrozenSet(items) => items.clone(),
        Node::Dict(pairs) => pairs.iter().flat_map(|(key, value)| [*key, *value]).collect(),
    }
}

struct Build<'a> {
    nodes: &'a [Node],
    uses: Vec<u32>,
    /// Containers that are one object in several places.
    numbers: HashMap<usize, u64>,
    open: Vec<usize>,
    left: usize,
}

impl Build<'_> {
    fn value(&mut self, at: usize, depth: usize) -> Result<Value, Refused> {
        self.left = self.left.checked_sub(1).ok_or(Refused::TooLarge)?;
        if depth > DEPTH_MAX {
            return Err(Refused::TooLarge);
        }
        if let Some(number) = self.numbers.get(&at) {
            return Ok(Value::Ref(*number));
        }
        if self.open.contains(&at) {
            return Err(Refused::NotPlain("a tuple or set that contains itself".into()));
        }
        let node = &self.nodes[at];
        let object = matches!(node, Node::Object(..));
        let changeable = matches!(node, Node::List(_) | Node::Set(_) | Node::Dict(_));
        let number = (object || changeable && (self.uses[at] > 1 || depth == 0 && self.uses[at] > 0)).then(|| {
            let number = self.numbers.len() as u64 + 1;
            self.numbers.insert(at, number);
            number
        });
        self.open.push(at);
        let value = match node {
            Node::Whole(value) => value.clone(),
            Node::Named(ty) if !known::is(ty) => Value::Name(ty.clone()),
            Node::Named(ty) => return Err(not_plain(&format!("{}.{}", ty.module, ty.qualname))),
            Node::Made(ty, args) => match self.value(*args, depth + 1)? {
                Value::Tuple(args) if known::is(ty) => known::made(ty, args)?,
                Value::Tuple(args) => Value::New { ty: ty.clone(), args, kwargs: Vec::new() },
                _ => return Err(damaged()),
            },
            Node::Object(ty, state) => {
                let fields = state.map_or(Ok(Vec::new()), |state| self.state(state, depth + 1))?;
                self.open.pop();
                let ordinal = number.unwrap_or_default();
                return Ok(Value::Object { ordinal, ty: ty.clone(), kind: ObjectKind::Plain, fields });
            }
            Node::List(items) => Value::List(self.values(items, depth)?),
            Node::Tuple(items) => Value::Tuple(self.values(items, depth)?),
            Node::Set(items) => Value::Set(self.values(items, depth)?),
            Node::FrozenSet(items) => Value::FrozenSet(self.values(items, depth)?),
            Node::Dict(pairs) => {
                let mut made = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    let (key, value) = (self.value(*key, depth + 1)?, self.value(*value, depth + 1)?);
                    // As in Python, a key that comes again has its last value.
                    match made.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) if pairs.len() <= 1_000 => *known = value,
                        _ => made.push((key, value)),
                    }
                }
                Value::Dict(made)
            }
        };
        self.open.pop();
        Ok(match number {
            Some(number) => Value::Shared(number, Box::new(value)),
            None => value,
        })
    }

    fn values(&mut self, items: &[usize], depth: usize) -> Result<Vec<Value>, Refused> {
        items.iter().map(|item| self.value(*item, depth + 1)).collect()
    }

    /// Gives the fields of an object: what its dict holds, and behind that what its slots do.
    fn state(&mut self, at: usize, depth: usize) -> Result<Vec<(String, Value)>, Refused> {
        let odd = || Refused::NotPlain("an object with a state of its own form".into());
        let mut fields = Vec::new();
        match &self.nodes[at] {
            Node::Whole(Value::None) => {}
            Node::Tuple(parts) if parts.len() == 2 => {
                for part in parts {
                    fields.extend(self.state(*part, depth + 1)?);
                }
            }
            Node::Dict(pairs) => {
                for (name, value) in pairs {
                    let Node::Whole(Value::Str(name)) = &self.nodes[*name] else { return Err(odd()) };
                    fields.push((name.clone(), self.value(*value, depth + 1)?));
                }
            }
            _ => return Err(odd()),
        }
        Ok(fields)
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    stack: Vec<usize>,
    marks: Vec<usize>,
    memo: HashMap<u64, usize>,
    is_ours: &'a IsOurs<'a>,
}

fn not_plain(name: &str) -> Refused {
    Refused::NotPlain(format!("{name:?}, something of a program"))
}

fn damaged() -> Refused {
    Refused::NoTrace("the pickle is damaged".into())
}

impl<'a> Machine<'a> {
    fn run(&mut self) -> Result<usize, Refused> {
        loop {
            let code = self.take(1)?[0];
            match code {
                // PROTO, FRAME, and the marks of how it was written.
                0x80 => self.take(1).map(drop)?,
                0x95 => self.take(8).map(drop)?,
                b'.' => return self.pop(),
                b'(' => self.marks.push(self.stack.len()),
                b'0' => self.pop().map(drop)?,
                b'1' => self.pop_to_mark().map(drop)?,
                b'2' => {
                    let top = self.top()?;
                    self.stack.push(top);
                }
                b'N' => self.whole(Value::None)?,
                0x88 => self.whole(Value::Bool(true))?,
                0x89 => self.whole(Value::Bool(false))?,
                b'J' => {
                    let number = i32::from_le_bytes(self.array()?);
                    self.whole(Value::Int(number.into()))?;
                }
                b'K' => {
                    let [number] = self.array()?;
                    self.whole(Value::Int(number.into()))?;
                }
                b'M' => {
                    let number = u16::from_le_bytes(self.array()?);
                    self.whole(Value::Int(number.into()))?;
                }
                0x8a => {
                    let [size] = self.array()?;
                    self.long(size.into())?;
                }
                0x8b => {
                    let size = u32::from_le_bytes(self.array()?);
                    self.long(size as usize)?;
                }
                b'I' => {
                    let value = match self.line()? {
                        "00" => Value::Bool(false),
                        "01" => Value::Bool(true),
                        digits => decimal(digits)?,
                    };
                    self.whole(value)?;
                }
                b'L' => {
                    let value = decimal(self.line()?.trim_end_matches('L'))?;
                    self.whole(value)?;
                }
                b'F' => {
                    let number = self.line()?.parse().map_err(|_| damaged())?;
                    self.whole(Value::Float(number))?;
                }
                b'G' => {
                    let number = f64::from_be_bytes(self.array()?);
                    self.whole(Value::Float(number))?;
                }
                0x8c => {
                    let [size] = self.array()?;
                    self.text(size.into())?;
                }
                b'X' => {
                    let size = u32::from_le_bytes(self.array()?);
                    self.text(u64::from(size))?;
                }
                0x8d => {
                    let size = u64::from_le_bytes(self.array()?);
                    self.text(size)?;
                }
                b'V' => {
                    let value = unescaped(self.raw_line()?)?;
                    self.whole(value)?;
                }
                b'C' => {
                    let [size] = self.array()?;
                    self.data(size.into())?;
                }
                b'B' => {
                    let size = u32::from_le_bytes(self.array()?);
                    self.data(u64::from(size))?;
                }
                0x8e => {
                    let size = u64::from_le_bytes(self.array()?);
                    self.data(size)?;
                }
                b']' => self.node(Node::List(Vec::new()))?,
                b'}' => self.node(Node::Dict(Vec::new()))?,
                b')' => self.node(Node::Tuple(Vec::new()))?,
                0x8f => self.node(Node::Set(Vec::new()))?,
                b'l' => {
                    let items = self.pop_to_mark()?;
                    self.node(Node::List(items))?;
                }
                b't' => {
                    let items = self.pop_to_mark()?;
                    self.node(Node::Tuple(items))?;
                }
                0x91 => {
                    let items = self.pop_to_mark()?;
                    self.node(Node::FrozenSet(items))?;
                }
                b'd' => {
                    let items = self.pop_to_mark()?;
                    self.node(Node::Dict(pairs(&items)?))?;
                }
                0x85..=0x87 => {
                    let count = usize::from(code - 0x84);
                    let from = self.stack.len().checked_sub(count).filter(|from| *from >= self.floor()).ok_or_else(damaged)?;
                    let items = self.stack.split_off(from);
                    self.node(Node::Tuple(items))?;
                }
                b'a' => {
                    let item = self.pop()?;
                    self.extend(vec![item])?;
                }
                b'e' | 0x90 => {
                    let items = self.pop_to_mark()?;
                    self.extend(items)?;
                }
                b's' => {
                    let (value, key) = (self.pop()?, self.pop()?);
                    self.update(vec![(key, value)])?;
                }
                b'u' => {
                    let items = self.pop_to_mark()?;
                    self.update(pairs(&items)?)?;
                }
                b'p' => {
                    let name = self.line()?.parse().map_err(|_| damaged())?;
                    self.remember(name)?;
                }
                b'q' => {
                    let [name] = self.array()?;
                    self.remember(name.into())?;
                }
                b'r' => {
                    let name = u32::from_le_bytes(self.array()?);
                    self.remember(name.into())?;
                }
                0x94 => self.remember(self.memo.len() as u64)?,
                b'g' => {
                    let name = self.line()?.parse().map_err(|_| damaged())?;
                    self.recall(name)?;
                }
                b'h' => {
                    let [name] = self.array()?;
                    self.recall(name.into())?;
                }
                b'j' => {
                    let name = u32::from_le_bytes(self.array()?);
                    self.recall(name.into())?;
                }
                b'c' => {
                    let (module, name) = (self.line()?.to_owned(), self.line()?);
                    self.named(&module, name)?;
                }
                b'i' => return Err(not_plain(&format!("{}.{}", self.line()?, self.line()?))),
                b'R' => {
                    let (args, callee) = (self.pop()?, self.pop()?);
                    let Some(Node::Named(ty)) = self.nodes.get(callee) else { return Err(damaged()) };
                    let made = Node::Made(ty.clone(), args);
                    self.node(made)?;
                }
                // An object without a state yet, and its state.
                0x81 => {
                    let (args, class) = (self.pop()?, self.pop()?);
                    let (Some(Node::Named(ty)), Some(Node::Tuple(args))) = (self.nodes.get(class), self.nodes.get(args)) else {
                        return Err(damaged());
                    };
                    if !args.is_empty() || known::is(ty) {
                        return Err(not_plain(&format!("{}.{}", ty.module, ty.qualname)));
                    }
                    let object = Node::Object(ty.clone(), None);
                    self.node(object)?;
                }
                b'b' => {
                    let state = self.pop()?;
                    let top = self.top()?;
                    match self.nodes.get_mut(top) {
                        Some(Node::Object(_, held @ None)) => *held = Some(state),
                        _ => return Err(Refused::NotPlain("a state of something else than an object".into())),
                    }
                }
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    let text = |at: usize| match &self.nodes[at] {
                        Node::Whole(Value::Str(text)) => text.clone(),
                        _ => "?".into(),
                    };
                    let (module, name) = (text(module), text(name));
                    self.named(&module, &name)?;
                }
                _ => return Err(Refused::NotPlain(format!("the instruction {code:#04x}, which makes more than plain values"))),
            }
        }
    }

    /// Takes the name of a type that is known or the project's.
    fn named(&mut self, module: &str, name: &str) -> Result<(), Refused> {
        let ty = TypeName::new(module, name);
        if known::is(&ty) || (self.is_ours)(&ty) {
            self.node(Node::Named(ty))
        } else {
            Err(not_plain(&format!("{module}.{name}")))
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Refused> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..count)).ok_or_else(damaged)?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refused> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }

    fn raw_line(&mut self) -> Result<&'a [u8], Refused> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        self.at += end + 1;
        Ok(&rest[..end])
    }

    fn line(&mut self) -> Result<&'a str, Refused> {
        std::str::from_utf8(self.raw_line()?).map(str::trim_end).map_err(|_| damaged())
    }

    fn node(&mut self, node: Node) -> Result<(), Refused> {
        if self.nodes.len() >= NODES_MAX {
            return Err(Refused::TooLarge);
        }
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
        Ok(())
    }

    fn whole(&mut self, value: Value) -> Result<(), Refused> {
        self.node(Node::Whole(value))
    }

    fn text(&mut self, size: u64) -> Result<(), Refused> {
        let bytes = self.take(usize::try_from(size).map_err(|_| damaged())?)?;
        let value = String::from_utf8(bytes.to_vec()).map_or_else(|error| Value::RawStr(error.into_bytes()), Value::Str);
        self.whole(value)
    }

    fn data(&mut self, size: u64) -> Result<(), Refused> {
        let bytes = self.take(usize::try_from(size).map_err(|_| damaged())?)?.to_vec();
        self.whole(Value::Bytes(bytes))
    }

    /// An integer as two's complement, the lowest byte first.
    fn long(&mut self, size: usize) -> Result<(), Refused> {
        let bytes = self.take(size)?;
        let sign = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
        if bytes.len() > 16 {
            return Err(Refused::NotPlain("an integer of more than 128 bits".into()));
        }
        let mut whole = [sign; 16];
        whole[..bytes.len()].copy_from_slice(bytes);
        let number = i128::from_le_bytes(whole);
        self.whole(i64::try_from(number).map_or_else(|_| Value::BigInt(number.to_string()), Value::Int))
    }

    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<usize, Refused> {
        if self.stack.len() <= self.floor() {
            return Err(damaged());
        }
        self.stack.pop().ok_or_else(damaged)
    }

    fn top(&self) -> Result<usize, Refused> {
        self.stack.last().copied().filter(|_| self.stack.len() > self.floor()).ok_or_else(damaged)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<usize>, Refused> {
        let from = self.marks.pop().ok_or_else(damaged)?;
        Ok(self.stack.split_off(from))
    }

    fn extend(&mut self, items: Vec<usize>) -> Result<(), Refused> {
        let at = self.top()?;
        match self.nodes.get_mut(at) {
            Some(Node::List(held) | Node::Set(held)) => held.extend(items),
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn update(&mut self, items: Vec<(usize, usize)>) -> Result<(), Refused> {
        let at = self.top()?;
        match self.nodes.get_mut(at) {
            Some(Node::Dict(held)) => held.extend(items),
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn remember(&mut self, name: u64) -> Result<(), Refused> {
        let top = self.top()?;
        self.memo.insert(name, top);
        Ok(())
    }

    fn recall(&mut self, name: u64) -> Result<(), Refused> {
        let known = self.memo.get(&name).copied().ok_or_else(damaged)?;
        self.stack.push(known);
        if self.stack.len() > NODES_MAX { Err(Refused::TooLarge) } else { Ok(()) }
    }
}

fn pairs(items: &[usize]) -> Result<Vec<(usize, usize)>, Refused> {
    if items.len() % 2 == 1 {
        return Err(damaged());
    }
    Ok(items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Reads a text of protocol 0: Latin-1, with `\\u` and `\\U` for all else.
fn unescaped(line: &[u8]) -> Result<Value, Refused> {
    let mut text = String::new();
    let mut rest = line;
    while let Some((byte, after)) = rest.split_first() {
        let digits = match (byte, after.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => {
                text.push(char::from(*byte));
                rest = after;
                continue;
            }
        };
        let digits = after.get(1..=digits).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or_else(damaged)?;
        let code = u32::from_str_radix(digits, 16).map_err(|_| damaged())?;
        let lone = || Refused::NotPlain("a text with half of a surrogate pair".into());
        text.push(char::from_u32(code).ok_or_else(lone)?);
        rest = &after[1 + digits.len()..];
    }
    Ok(Value::Str(text))
}

fn decimal(digits: &str) -> Result<Value, Refused> {
    let plain = digits.strip_prefix('-').unwrap_or(digits);
    if plain.is_empty() || plain.len() > 4_000 || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(damaged());
    }
    Ok(digits.parse().map_or_else(|_| Value::BigInt(digits.to_owned()), Value::Int))
}

#[cfg(test)]
mod tests;
