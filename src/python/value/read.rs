//! Trees of plain data to values: the tagged tuples, and tuples taken apart field by field.

use crate::domain::secret::{Look, SecretLength, SecretType};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::python::marshal::{DecodeError, Tree};

/// Gives the value a tree stands for.
///
/// # Errors
/// When a tagged tuple does not have one of the forms of `docs/spool.md`.
pub fn from_tree(tree: Tree) -> Result<Value, DecodeError> {
    Ok(match tree {
        Tree::None => Value::None,
        Tree::Mark => return Err(DecodeError::form("a mark stands outside a tagged tuple")),
        Tree::Ellipsis => Value::Ellipsis,
        Tree::Bool(value) => Value::Bool(value),
        Tree::Int(number) => Value::Int(number),
        Tree::BigInt(digits) => Value::BigInt(digits),
        Tree::Float(number) => Value::Float(number),
        Tree::Complex(real, imaginary) => Value::Complex(real, imaginary),
        Tree::Str(text) => Value::Str(text),
        Tree::RawStr(bytes) => Value::RawStr(bytes),
        Tree::Bytes(bytes) => Value::Bytes(bytes),
        Tree::List(items) => Value::List(values(items)?),
        Tree::Set(items) => Value::Set(values(items)?),
        Tree::FrozenSet(items) => Value::FrozenSet(values(items)?),
        Tree::Dict(pairs) => {
            let pair = |(key, value)| Ok((from_tree(key)?, from_tree(value)?));
            Value::Dict(pairs.into_iter().map(pair).collect::<Result<_, DecodeError>>()?)
        }
        Tree::Tuple(items) if items.first() == Some(&Tree::Mark) => tagged(items)?,
        Tree::Tuple(items) => Value::Tuple(values(items)?),
    })
}

fn values(items: Vec<Tree>) -> Result<Vec<Value>, DecodeError> {
    items.into_iter().map(from_tree).collect()
}

fn tagged(items: Vec<Tree>) -> Result<Value, DecodeError> {
    let mut items = items.into_iter();
    items.next();
    let mut parts = Parts { items, what: "a tagged value" };
    let tag = parts.text()?;
    let value = match tag.as_str() {
        "obj" => Value::Object { ordinal: parts.natural()?, ty: parts.ty()?, kind: parts.kind()?, fields: parts.fields()? },
        "sub" => {
            Value::Sub { ordinal: parts.natural()?, ty: parts.ty()?, base: Box::new(parts.value()?), fields: parts.fields()? }
        }
        "ref" => Value::Ref(parts.natural()?),
        "mut" => Value::Shared(parts.natural()?, Box::new(parts.value()?)),
        "name" => Value::Name(parts.ty()?),
        "enum" => Value::Enum { ty: parts.ty()?, name: parts.text_or_none()?, value: Box::new(parts.value()?) },
        "nt" => {
            let ty = parts.ty()?;
            let names = parts.texts()?;
            let values = parts.values()?;
            if names.len() != values.len() {
                return Err(DecodeError::form("a named tuple has as many names as values"));
            }
            Value::NamedTuple { ty, fields: names.into_iter().zip(values).collect() }
        }
        "new" => Value::New { ty: parts.ty()?, args: parts.values()?, kwargs: parts.fields()? },
        "exc" => Value::Exception { ordinal: parts.natural()?, ty: parts.ty()?, args: parts.values()?, fields: parts.fields()? },
        "gen" => Value::Generator { ty: parts.ty()?, args: parts.fields()? },
        "partial" => Value::Partial { function: Box::new(parts.value()?), args: parts.values()?, kwargs: parts.fields()? },
        "method" => Value::Method { receiver: Box::new(parts.value()?), name: parts.text()? },
        "file" => Value::File { class: parts.text()?, content: Box::new(parts.value()?), position: parts.natural()? },
        "ndarray" => {
            let dtype = parts.text()?;
            let shape = parts.sequence()?.into_iter().map(natural).collect::<Result<_, _>>()?;
            Value::Array { dtype, shape, items: parts.values()? }
        }
        "secret" => Value::Secret { kind: parts.text()?, ordinal: parts.natural()?, look: parts.look()? },
        "cut" => Value::Cut {
            ty: parts.text()?,
            length: parts.natural_or_none()?,
            head: Box::new(parts.value()?),
            tail: Box::new(parts.value()?),
            hash: parts.text()?,
        },
        "opaque" => Value::Opaque { ordinal: parts.natural()?, ty: parts.ty()? },
        other => return Err(DecodeError::form(format!("there is no tag {other:?}"))),
    };
    if !parts.is_empty() {
        return Err(DecodeError::form(format!("a value tagged {tag:?} has too many parts")));
    }
    Ok(value)
}

/// Takes a tuple apart, field by field, each of the kind it should be.
pub struct Parts {
    items: std::vec::IntoIter<Tree>,
    what: &'static str,
}

impl Parts {
    /// Begins with a tuple; `what` names it in errors.
    ///
    /// # Errors
    /// When the tree is no tuple.
    pub fn of(tree: Tree, what: &'static str) -> Result<Self, DecodeError> {
        match tree {
            Tree::Tuple(items) => Ok(Self { items: items.into_iter(), what }),
            _ => Err(DecodeError::form(format!("{what} is a tuple"))),
        }
    }

    /// Takes the next field as it is.
    ///
    /// # Errors
    /// When there is none. This and the kind of the field are the errors of all that follow.
    pub fn tree(&mut self) -> Result<Tree, DecodeError> {
        self.items.next().ok_or_else(|| DecodeError::form(format!("{} has too few parts", self.what)))
    }

    /// Takes a value.
    ///
    /// # Errors
    /// When it is missing or malformed.
    pub fn value(&mut self) -> Result<Value, DecodeError> {
        from_tree(self.tree()?)
    }

    /// Takes the items of a tuple or list.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn sequence(&mut self) -> Result<Vec<Tree>, DecodeError> {
        sequence(self.tree()?, self.what)
    }

    /// Takes the items of a tuple or list as values.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn values(&mut self) -> Result<Vec<Value>, DecodeError> {
        values(self.sequence()?)
    }

    /// Takes what a redacted value is like; older recordings do not tell it.
    fn look(&mut self) -> Result<Option<Look>, DecodeError> {
        if self.is_empty() {
            return Ok(None);
        }
        let ty = SecretType::named(&self.text()?);
        let length = SecretLength::numbered(self.natural()?);
        ty.zip(length)
            .map(|(ty, length)| Some(Look { ty, length }))
            .ok_or_else(|| DecodeError::form("a secret has a plain type and a length"))
    }

    /// Takes a string.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn text(&mut self) -> Result<String, DecodeError> {
        text(self.tree()?)
    }

    /// Takes the items of a tuple or list as strings.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn texts(&mut self) -> Result<Vec<String>, DecodeError> {
        self.sequence()?.into_iter().map(text).collect()
    }

    /// Tells whether all fields were taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.len() == 0
    }

    /// Takes a string or `None`.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn text_or_none(&mut self) -> Result<Option<String>, DecodeError> {
        match self.tree()? {
            Tree::None => Ok(None),
            tree => text(tree).map(Some),
        }
    }

    /// Takes a number that is not negative.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn natural(&mut self) -> Result<u64, DecodeError> {
        natural(self.tree()?)
    }

    /// Takes a number that is not negative, or `None`.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn natural_or_none(&mut self) -> Result<Option<u64>, DecodeError> {
        match self.tree()? {
            Tree::None => Ok(None),
            tree => natural(tree).map(Some),
        }
    }

    /// Takes an integer.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn int(&mut self) -> Result<i64, DecodeError> {
        match self.tree()? {
            Tree::Int(number) => Ok(number),
            _ => Err(DecodeError::form(format!("{} has an integer here", self.what))),
        }
    }

    /// Takes a truth value.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.tree()? {
            Tree::Bool(value) => Ok(value),
            _ => Err(DecodeError::form(format!("{} has True or False here", self.what))),
        }
    }

    /// Takes a float or an integer.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn number(&mut self) -> Result<f64, DecodeError> {
        match self.tree()? {
            Tree::Float(number) => Ok(number),
            #[allow(clippy::cast_precision_loss)]
            Tree::Int(number) => Ok(number as f64),
            _ => Err(DecodeError::form(format!("{} has a number here", self.what))),
        }
    }

    fn ty(&mut self) -> Result<TypeName, DecodeError> {
        Ok(TypeName { module: self.text()?, qualname: self.text()? })
    }

    fn kind(&mut self) -> Result<ObjectKind, DecodeError> {
        let kind = self.text()?;
        [ObjectKind::Plain, ObjectKind::Dataclass, ObjectKind::Attrs, ObjectKind::Pydantic]
            .into_iter()
            .find(|known| kind_text(*known) == kind)
            .ok_or_else(|| DecodeError::form(format!("there is no object kind {kind:?}")))
    }

    /// Takes a dict from names to values.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn fields(&mut self) -> Result<Vec<(String, Value)>, DecodeError> {
        match self.tree()? {
            Tree::Dict(pairs) => pairs.into_iter().map(|(key, value)| Ok((text(key)?, from_tree(value)?))).collect(),
            _ => Err(DecodeError::form(format!("{} has a dict here", self.what))),
        }
    }

    /// Takes the same, or `None` for nothing that is known.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn fields_or_none(&mut self) -> Result<Vec<(String, Value)>, DecodeError> {
        if matches!(self.items.as_slice().first(), Some(Tree::None)) {
            self.tree()?;
            return Ok(Vec::new());
        }
        self.fields()
    }
}

pub(super) fn kind_text(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Plain => "plain",
        ObjectKind::Dataclass => "dataclass",
        ObjectKind::Attrs => "attrs",
        ObjectKind::Pydantic => "pydantic",
    }
}

pub(super) fn sequence(tree: Tree, what: &str) -> Result<Vec<Tree>, DecodeError> {
    match tree {
        Tree::Tuple(items) | Tree::List(items) if items.first() != Some(&Tree::Mark) => Ok(items),
        _ => Err(DecodeError::form(format!("{what} has a tuple or list here"))),
    }
}

/// Reads a name; lone surrogates, which no importable name has, are lost. One that is also the text of a secret was redacted like
/// it: nothing has that name, and the rest of the record stays.
fn text(tree: Tree) -> Result<String, DecodeError> {
    match tree {
        Tree::Str(text) => Ok(text),
        Tree::RawStr(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Tree::Tuple(items) => match items.as_slice() {
            [Tree::Mark, Tree::Str(secret), Tree::Str(kind), Tree::Int(number), ..] if secret == "secret" => {
                Ok(format!("[REDACTED:{kind}#{number}]"))
            }
            _ => Err(DecodeError::form("a name is a string")),
        },
        _ => Err(DecodeError::form("a name is a string")),
    }
}

fn natural(tree: Tree) -> Result<u64, DecodeError> {
    let number = match tree {
        Tree::Int(number) => u64::try_from(number).ok(),
        Tree::BigInt(digits) => digits.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| DecodeError::form("an ordinal, a length or a position is a number from 0 up"))
}
