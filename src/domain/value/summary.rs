//! How recorded values read on one line, for people.

use crate::domain::secret;
use crate::domain::value::{ObjectKind, Value, python_float};

/// Writes a value as [`Value::summary`] says.
pub(super) fn of(value: &Value, limit: usize) -> String {
    let mut writer = Writer { out: String::new(), limit };
    writer.value(value, 0);
    if writer.full() {
        let mut end = limit.min(writer.out.len());
        while !writer.out.is_char_boundary(end) {
            end -= 1;
        }
        writer.out.truncate(end);
        writer.out.push('…');
    }
    writer.out
}

struct Writer {
    out: String,
    limit: usize,
}

impl Writer {
    fn full(&self) -> bool {
        self.out.len() > self.limit
    }

    fn value(&mut self, value: &Value, depth: usize) {
        if self.full() {
            return;
        }
        if depth > 12 {
            self.out.push('…');
            return;
        }
        match value {
            Value::None => self.out.push_str("None"),
            Value::Ellipsis => self.out.push_str("..."),
            Value::Bool(true) => self.out.push_str("True"),
            Value::Bool(false) => self.out.push_str("False"),
            Value::Int(number) => self.out.push_str(&number.to_string()),
            Value::BigInt(digits) => self.out.push_str(digits),
            Value::Float(number) => self.out.push_str(&python_float(*number)),
            Value::Complex(real, imaginary) => {
                self.out.push_str(&format!("complex({}, {})", python_float(*real), python_float(*imaginary)));
            }
            Value::Str(text) => self.string(text),
            Value::RawStr(bytes) => self.string(&String::from_utf8_lossy(bytes)),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::List(items) => self.sequence("[", items, "]", depth),
            Value::Tuple(items) if items.len() == 1 => self.sequence("(", items, ",)", depth),
            Value::Tuple(items) => self.sequence("(", items, ")", depth),
            Value::Set(items) if items.is_empty() => self.out.push_str("set()"),
            Value::Set(items) => self.sequence("{", items, "}", depth),
            Value::FrozenSet(items) => self.sequence("frozenset({", items, "})", depth),
            Value::Dict(pairs) => {
                self.out.push('{');
                for (index, (key, value)) in pairs.iter().enumerate() {
                    self.comma(index);
                    self.value(key, depth + 1);
                    self.out.push_str(": ");
                    self.value(value, depth + 1);
                    if self.full() {
                        return;
                    }
                }
                self.out.push('}');
            }
            Value::Object { ordinal, ty, kind: ObjectKind::Plain, fields } => {
                self.out.push_str(&format!("{}#{ordinal}", ty.short()));
                if depth == 0 && !fields.is_empty() {
                    self.out.push('(');
                    self.fields(fields, "=", depth);
                    self.out.push(')');
                }
            }
            Value::Object { ty, fields, .. } | Value::NamedTuple { ty, fields } => {
                self.out.push_str(ty.short());
                self.out.push('(');
                self.fields(fields, "=", depth);
                self.out.push(')');
            }
            // A mock is what its own call makes.
            Value::Sub { ty, base, .. } if matches!(base.as_ref(), Value::New { ty: made, .. } if made == ty) => {
                self.value(base, depth);
            }
            Value::Sub { ty, base, .. } => self.call(ty.short(), std::slice::from_ref(base), &[], depth),
            Value::Ref(ordinal) => self.out.push_str(&format!("#{ordinal}")),
            Value::Shared(_, value) => self.value(value, depth),
            Value::Name(ty) => self.out.push_str(if ty.qualname.is_empty() { &ty.module } else { &ty.qualname }),
            Value::Enum { ty, name: Some(name), .. } => self.out.push_str(&format!("{}.{name}", ty.short())),
            Value::Enum { ty, value, .. } => self.call(ty.short(), std::slice::from_ref(value), &[], depth),
            // `call.log.info(…)`
            Value::New { ty, args, kwargs } if ty.module == "unittest.mock" => self.call(&ty.qualname, args, kwargs, depth),
            Value::New { ty, args, kwargs } => self.call(ty.short(), args, kwargs, depth),
            Value::Exception { ty, args, .. } => self.call(ty.short(), args, &[], depth),
            Value::Generator { ty, args } => {
                self.out.push_str(ty.short());
                self.out.push('(');
                self.fields(args, "=", depth);
                self.out.push(')');
            }
            Value::Partial { function, args, kwargs } => {
                self.out.push_str("partial(");
                self.value(function, depth + 1);
                for arg in args {
                    self.out.push_str(", ");
                    self.value(arg, depth + 1);
                }
                if !kwargs.is_empty() {
                    self.out.push_str(", ");
                    self.fields(kwargs, "=", depth);
                }
                self.out.push(')');
            }
            Value::Method { receiver, name } => {
                self.value(receiver, depth + 1);
                self.out.push_str(&format!(".{name}"));
            }
            Value::File { class, content, .. } => self.call(class, std::slice::from_ref(content), &[], depth),
            Value::Array { dtype, items, .. } => {
                self.sequence("array([", items, "]", depth);
                self.out.push_str(&format!(", {dtype})"));
            }
            Value::Secret { kind, ordinal, .. } => self.out.push_str(&format!("‹secret:{kind}#{}›", secret::shown(*ordinal))),
            Value::Cut { ty, length, head, .. } => {
                self.value(head, depth + 1);
                match length {
                    Some(length) => self.out.push_str(&format!("… {ty} of {length}")),
                    None => self.out.push_str(&format!("… {ty}")),
                }
            }
            Value::Opaque { ordinal, ty } => self.out.push_str(&format!("{}#{ordinal}", ty.short())),
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn sequence(&mut self, open: &str, items: &[Value], close: &str, depth: usize) {
        self.out.push_str(open);
        for (index, item) in items.iter().enumerate() {
            self.comma(index);
            self.value(item, depth + 1);
            if self.full() {
                return;
            }
        }
        self.out.push_str(close);
    }

    fn fields(&mut self, fields: &[(String, Value)], joint: &str, depth: usize) {
        for (index, (name, value)) in fields.iter().enumerate() {
            self.comma(index);
            self.out.push_str(name);
            self.out.push_str(joint);
            self.value(value, depth + 1);
            if self.full() {
                return;
            }
        }
    }

    fn call<V: std::borrow::Borrow<Value>>(&mut self, name: &str, args: &[V], kwargs: &[(String, Value)], depth: usize) {
        self.out.push_str(name);
        self.out.push('(');
        for (index, arg) in args.iter().enumerate() {
            self.comma(index);
            self.value(arg.borrow(), depth + 1);
        }
        if !args.is_empty() && !kwargs.is_empty() {
            self.out.push_str(", ");
        }
        self.fields(kwargs, "=", depth);
        self.out.push(')');
    }

    fn string(&mut self, text: &str) {
        let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
        self.out.push(quote);
        for c in text.chars() {
            if self.full() {
                return;
            }
            match c {
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\\' => self.out.push_str("\\\\"),
                c if c == quote => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                c if (c as u32) < 0x20 || c == '\x7f' => self.out.push_str(&format!("\\x{:02x}", c as u32)),
                c => self.out.push(c),
            }
        }
        self.out.push(quote);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.out.push_str("b'");
        for byte in bytes {
            if self.full() {
                return;
            }
            match byte {
                b'\n' => self.out.push_str("\\n"),
                b'\t' => self.out.push_str("\\t"),
                b'\r' => self.out.push_str("\\r"),
                b'\\' => self.out.push_str("\\\\"),
                b'\'' => self.out.push_str("\\'"),
                0x20..0x7f => self.out.push(char::from(*byte)),
                _ => self.out.push_str(&format!("\\x{byte:02x}")),
            }
        }
        self.out.push('\'');
    }
}
