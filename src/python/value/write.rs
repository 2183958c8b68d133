//! Values to bytes.

use crate::domain::secret::Look;
use crate::domain::value::{TypeName, Value};
use crate::python::marshal::Writer;
use crate::python::value::read::kind_text;

/// Writes one value into a stream.
pub fn write(value: &Value, writer: &mut Writer) {
    match value {
        Value::None => writer.none(),
        Value::Ellipsis => writer.ellipsis(),
        Value::Bool(value) => writer.bool(*value),
        Value::Int(number) => writer.int(*number),
        Value::BigInt(digits) => writer.big_int(digits),
        Value::Float(number) => writer.float(*number),
        Value::Complex(real, imaginary) => writer.complex(*real, *imaginary),
        Value::Str(text) => writer.str(text),
        Value::RawStr(bytes) => writer.raw_str(bytes),
        Value::Bytes(bytes) => writer.bytes(bytes),
        Value::List(items) => {
            writer.list(items.len());
            items.iter().for_each(|item| write(item, writer));
        }
        Value::Tuple(items) => write_tuple(items, writer),
        Value::Set(items) => {
            writer.set(items.len());
            items.iter().for_each(|item| write(item, writer));
        }
        Value::FrozenSet(items) => {
            writer.frozen_set(items.len());
            items.iter().for_each(|item| write(item, writer));
        }
        Value::Dict(pairs) => {
            writer.begin_dict();
            for (key, value) in pairs {
                write(key, writer);
                write(value, writer);
            }
            writer.end_dict();
        }
        Value::Object { ordinal, ty, kind, fields } => {
            tag("obj", 5, writer);
            writer.natural(*ordinal);
            write_type(ty, writer);
            writer.str(kind_text(*kind));
            write_fields(fields, writer);
        }
        Value::Sub { ordinal, ty, base, fields } => {
            tag("sub", 5, writer);
            writer.natural(*ordinal);
            write_type(ty, writer);
            write(base, writer);
            write_fields(fields, writer);
        }
        Value::Ref(ordinal) => {
            tag("ref", 1, writer);
            writer.natural(*ordinal);
        }
        Value::Shared(ordinal, value) => {
            tag("mut", 2, writer);
            writer.natural(*ordinal);
            write(value, writer);
        }
        Value::Name(ty) => {
            tag("name", 2, writer);
            write_type(ty, writer);
        }
        Value::Enum { ty, name, value } => {
            tag("enum", 4, writer);
            write_type(ty, writer);
            match name {
                Some(name) => writer.str(name),
                None => writer.none(),
            }
            write(value, writer);
        }
        Value::NamedTuple { ty, fields } => {
            tag("nt", 4, writer);
            write_type(ty, writer);
            writer.tuple(fields.len());
            fields.iter().for_each(|(name, _)| writer.str(name));
            writer.tuple(fields.len());
            fields.iter().for_each(|(_, value)| write(value, writer));
        }
        Value::New { ty, args, kwargs } => {
            tag("new", 4, writer);
            write_type(ty, writer);
            write_tuple(args, writer);
            write_fields(kwargs, writer);
        }
        Value::Exception { ordinal, ty, args, fields } => {
            tag("exc", 5, writer);
            writer.natural(*ordinal);
            write_type(ty, writer);
            write_tuple(args, writer);
            write_fields(fields, writer);
        }
        Value::Generator { ty, args } => {
            tag("gen", 3, writer);
            write_type(ty, writer);
            write_fields(args, writer);
        }
        Value::Partial { function, args, kwargs } => {
            tag("partial", 3, writer);
            write(function, writer);
            write_tuple(args, writer);
            write_fields(kwargs, writer);
        }
        Value::Method { receiver, name } => {
            tag("method", 2, writer);
            write(receiver, writer);
            writer.str(name);
        }
        Value::File { class, content, position } => {
            tag("file", 3, writer);
            writer.str(class);
            write(content, writer);
            writer.natural(*position);
        }
        Value::Array { dtype, shape, items } => {
            tag("ndarray", 3, writer);
            writer.str(dtype);
            writer.tuple(shape.len());
            shape.iter().for_each(|length| writer.natural(*length));
            writer.list(items.len());
            items.iter().for_each(|item| write(item, writer));
        }
        Value::Secret { kind, ordinal, look } => {
            tag("secret", if look.is_some() { 4 } else { 2 }, writer);
            writer.str(kind);
            writer.natural(*ordinal);
            if let Some(Look { ty, length }) = look {
                writer.str(ty.name());
                writer.natural(length.number());
            }
        }
        Value::Cut { ty, length, head, tail, hash } => {
            tag("cut", 5, writer);
            writer.str(ty);
            match length {
                Some(length) => writer.natural(*length),
                None => writer.none(),
            }
            write(head, writer);
            write(tail, writer);
            writer.str(hash);
        }
        Value::Opaque { ordinal, ty } => {
            tag("opaque", 3, writer);
            writer.natural(*ordinal);
            write_type(ty, writer);
        }
    }
}

/// Begins a tagged tuple with so many fields after the tag.
fn tag(name: &str, fields: usize, writer: &mut Writer) {
    writer.tuple(2 + fields);
    writer.mark();
    writer.str(name);
}

fn write_type(ty: &TypeName, writer: &mut Writer) {
    writer.str(&ty.module);
    writer.str(&ty.qualname);
}

pub(super) fn write_tuple(items: &[Value], writer: &mut Writer) {
    writer.tuple(items.len());
    items.iter().for_each(|item| write(item, writer));
}

pub(super) fn write_fields(fields: &[(String, Value)], writer: &mut Writer) {
    writer.begin_dict();
    for (name, value) in fields {
        writer.str(name);
        write(value, writer);
    }
    writer.end_dict();
}
