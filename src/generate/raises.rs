//! R14: what a test says of an exception: the nearest type that can be imported, its message, and what else it carries.

use crate::base::text;
use crate::domain::call::Call;
use crate::domain::function::Function;
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::{self, Expr, WIDTH};
use crate::generate::project::{CAUSE, Lookup, Project};
use crate::generate::repr::repr;
use crate::generate::scope::Import;

/// The exception as a test names it.
pub const CAUGHT: &str = "caught.value";

/// Longer messages are not matched in part.
const MESSAGE_MAX: usize = 120;
/// Longer messages are not asserted.
const WHOLE_MAX: usize = 500;
/// More signs than these that a pattern has to escape are read better as a text.
const ESCAPES_MAX: usize = 4;
/// Shorter texts may be in a message by chance.
const VALUE_MIN: usize = 3;

/// What a test says of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// It is this, from its beginning to its end.
    Whole(String),
    /// This is in it.
    Part(String),
}

impl Message {
    /// Gives the text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Whole(text) | Self::Part(text) => text,
        }
    }

    /// Writes the expression for `match=`, and tells whether it needs `re`; `None` where the message is asserted by itself,
    /// because no pattern of at most `room` columns says it.
    fn pattern(&self, room: usize) -> Option<(Expr, bool)> {
        const SIGNS: &[char] = &['(', ')', '[', ']', '{', '}', '?', '*', '+', '|', '^', '$', '.'];
        match self {
            Self::Part(text) if text.contains(SIGNS) || text.contains('\\') => {
                Some((Expr::Atom(format!("re.escape({})", layout::string(text))), true))
            }
            Self::Part(text) => Some((Expr::Text(text.clone()), false)),
            Self::Whole(message) => {
                let quote = if message.contains('"') { '\'' } else { '"' };
                let plain = !message.contains(['\\', quote]) && !message.chars().any(char::is_control);
                let escaped: String =
                    message.chars().flat_map(|c| SIGNS.contains(&c).then_some('\\').into_iter().chain([c])).collect();
                let pattern = format!("r{quote}^{escaped}${quote}");
                let reads = message.matches(SIGNS).count() <= ESCAPES_MAX && text::width(&pattern) <= room;
                (plain && reads).then_some((Expr::Atom(pattern), false))
            }
        }
    }
}

/// An expected exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raises {
    /// The type as spelled.
    pub class: String,
    /// Its import.
    pub import: Option<Import>,
    /// The message, or the part of it that is stable.
    pub message: Option<Message>,
    /// What else it carries: its arguments, attributes and parts, asserted of [`CAUGHT`].
    pub carried: Vec<Assertion>,
    /// The project's own code raises it.
    pub is_own: bool,
}

impl Raises {
    /// Writes the pattern for `match=` of a context manager, if one says the message well. pytest looks for it in the notes, too.
    #[must_use]
    pub fn pattern(&self, manager: &str) -> Option<(Expr, bool)> {
        let has_notes = self.carried.iter().any(|part| part.subject.ends_with(NOTES));
        let whole = matches!(self.message, Some(Message::Whole(_)));
        self.message.as_ref().filter(|_| !(whole && has_notes))?.pattern(self.room(manager))
    }

    /// Gives the columns that a pattern has on the line of its context manager.
    fn room(&self, manager: &str) -> usize {
        WIDTH.saturating_sub("    with (, match=) as caught:".len() + manager.len() + self.class.len())
    }

    /// Asserts a message by itself, which no pattern says well.
    #[must_use]
    pub fn said(expected: Expr) -> Assertion {
        Assertion::new(&format!("str({CAUGHT})"), Relation::Equal, expected)
    }
}

/// An exception that was recorded.
struct Raised<'v> {
    ty: &'v TypeName,
    args: &'v [Value],
    fields: &'v [(String, Value)],
    /// Its type names, as far as they are known.
    mro: Vec<String>,
    /// The project's own code raises such.
    is_own: bool,
}

impl Raised<'_> {
    fn is_a(&self, names: &[&str]) -> bool {
        let is = |module: &str, name: &str| module == "builtins" && names.contains(&name);
        is(&self.ty.module, &self.ty.qualname)
            || self.mro.iter().filter_map(|name| name.split_once(':')).any(|(module, name)| is(module, name))
    }

    fn is_os_error(&self) -> bool {
        let by_name = ["FileNotFoundError", "FileExistsError", "PermissionError", "IsADirectoryError", "NotADirectoryError"];
        self.is_a(&["OSError"]) || self.is_a(&by_name)
    }
}

impl Builder<'_, '_> {
    /// Reads a recorded exception.
    ///
    /// # Errors
    /// Fails with the reason when a test cannot expect it.
    pub(super) fn raised(&mut self, exception: &Value, mro: &[String], function: &Function) -> Result<Raises, Stop> {
        let Value::Exception { ty, args, fields, .. } = exception else {
            return no(ReasonCode::ExceptionNotRecorded);
        };
        if matches!(ty.qualname.as_str(), "GeneratorExit" | "KeyboardInterrupt" | "CancelledError" | "StopAsyncIteration") {
            return no(ReasonCode::ExternalException.of(ty.short()));
        }
        let above = mro.iter().filter_map(|name| name.split_once(':')).map(|(module, name)| TypeName::new(module, name));
        let mut reason = None;
        for candidate in std::iter::once(ty.clone()).chain(above) {
            if candidate.qualname.split('.').any(|part| part.starts_with('_')) || candidate.qualname == "object" {
                continue;
            }
            match self.scope.spell(&self.project.facades.public(&candidate)) {
                Ok((class, import)) => {
                    let worded_by_python = matches!(args.as_slice(), [Value::Str(text)] if is_of_the_interpreter(text));
                    let is_own = self.project.class(ty).is_some()
                        || ty.qualname == "AssertionError"
                        || !worded_by_python && is_raised_near(ty, function, self.project);
                    let raised = Raised { ty, args, fields, mro: mro.to_vec(), is_own };
                    let message = self.message(&raised);
                    let carried = self.carried(&raised, message.as_ref())?;
                    return Ok(Raises { class, import, message, carried, is_own });
                }
                Err(why) => reason = Some(why),
            }
        }
        no(reason.unwrap_or_else(|| ReasonCode::PrivateException.of(ty.short())))
    }

    /// Gives what `str(exception)` is on every machine and every supported Python, or what is in it.
    fn message(&self, raised: &Raised<'_>) -> Option<Message> {
        let Raised { ty, args: [Value::Str(text)], is_own, .. } = raised else { return None };
        if raised.is_a(&["SystemExit", "SyntaxError", "OSError"]) && !is_own || raised.is_a(&["SystemExit", "SyntaxError"]) {
            return None;
        }
        if ty.module != "builtins"
            && !matches!(self.project.method(ty, "__str__"), Lookup::Missing)
            && !raised.is_a(&["KeyError"])
        {
            return None;
        }
        if raised.is_a(&["KeyError"]) {
            // What it says is the key as code.
            let own = matches!(self.project.method(ty, "__str__"), Lookup::Found(_));
            let plain = !text.contains(['\'', '\\']) && !text.chars().any(char::is_control) && text.len() <= MESSAGE_MAX;
            return (!own && plain && is_stable_text(text)).then(|| Message::Whole(format!("'{text}'")));
        }
        if *is_own && is_stable(text, WHOLE_MAX) {
            return Some(Message::Whole(text.clone()));
        }
        if !is_own && let Some(part) = given_part(text, self.call) {
            return Some(Message::Part(part));
        }
        is_stable_text(text).then(|| Message::Part(text.clone()))
    }

    /// Asserts what an exception carries besides its message.
    fn carried(&mut self, raised: &Raised<'_>, message: Option<&Message>) -> Result<Vec<Assertion>, Stop> {
        let Raised { args, fields, is_own, .. } = raised;
        let mut all = Vec::new();
        match args {
            _ if raised.is_a(&["SystemExit"]) => {
                let code = match args {
                    [] => Value::None,
                    [code] => code.clone(),
                    several => Value::Tuple(several.to_vec()),
                };
                let relation = if code == Value::None { Relation::Is } else { Relation::Equal };
                if let Some(expected) = self.if_any(&code)? {
                    all.push(Assertion::new(&format!("{CAUGHT}.code"), relation, expected));
                }
            }
            [Value::Str(text), Value::List(parts) | Value::Tuple(parts)]
                if parts.iter().all(is_exception) && !parts.is_empty() =>
            {
                all.push(Assertion::new(&format!("{CAUGHT}.message"), Relation::Equal, Expr::Text(text.clone())));
                all.extend(self.parts_of_group(&format!("{CAUGHT}.exceptions"), parts)?);
            }
            [Value::Int(number), words, rest @ ..] if raised.is_os_error() => {
                if *is_own {
                    let pair = Value::Tuple(vec![Value::Int(*number), words.clone()]);
                    let pair = self.if_any(&pair)?.map(|pair| Assertion::new(&format!("{CAUGHT}.args"), Relation::Equal, pair));
                    all.extend(pair);
                } else if raised.ty.qualname == "OSError" {
                    let number = Expr::Atom(number.to_string());
                    all.push(Assertion::new(&format!("{CAUGHT}.errno"), Relation::Equal, number));
                }
                if let Some(name) = rest.first().filter(|name| **name != Value::None)
                    && let Some(name) = self.if_any(name)?
                {
                    all.push(Assertion::new(&format!("{CAUGHT}.filename"), Relation::Equal, name));
                }
            }
            [_, _, start, end, _] if raised.is_a(&["UnicodeDecodeError", "UnicodeEncodeError"]) => {
                let place = Value::Tuple(vec![start.clone(), end.clone()]);
                if let Some(place) = self.if_any(&place)? {
                    let subject = format!("({CAUGHT}.start, {CAUGHT}.end)");
                    all.push(Assertion::new(&subject, Relation::Equal, place));
                }
            }
            [] => {}
            _ if message.is_some() => {}
            _ if args.iter().all(|arg| if *is_own { is_steady(arg) } else { is_given(arg, self.call) }) => {
                if let Some(args) = self.if_any(&Value::Tuple(args.to_vec()))? {
                    all.push(Assertion::new(&format!("{CAUGHT}.args"), Relation::Equal, args));
                }
            }
            _ => {}
        }
        let call = self.call;
        let is_foreign = self.project.class(raised.ty).is_none();
        let told = |(name, value): &&(String, Value)| {
            let is_said = is_foreign && is_said_by(args, value);
            name != NOTES && name != CAUSE && (*is_own || is_given(value, call)) && !is_said
        };
        let told: Vec<(&str, &Value)> = fields.iter().filter(told).map(|(name, value)| (name.as_str(), value)).collect();
        all.extend(self.attributes(CAUGHT, &told)?);
        if let Some((_, notes)) = fields.iter().find(|(name, _)| name == NOTES)
            && let Some(notes) = self.if_any(notes)?
        {
            all.push(Assertion::new(&format!("{CAUGHT}.{NOTES}"), Relation::Equal, notes));
        }
        if *is_own
            && let Some((_, cause)) = fields.iter().find(|(name, _)| name == CAUSE)
            && let Some(cause) = self.if_any(cause)?
        {
            all.push(Assertion::new(&format!("type({CAUGHT}.{CAUSE})"), Relation::Is, cause));
        }
        Ok(all)
    }

    /// Gives an exception without what is asserted of it by something else.
    pub(super) fn without_what_is_said(&self, exception: &Value) -> Value {
        match exception {
            Value::Exception { ordinal, ty, args, fields } if self.project.class(ty).is_none() => {
                let fields = fields.iter().filter(|(name, value)| name == CAUSE || !is_said_by(args, value)).cloned().collect();
                Value::Exception { ordinal: *ordinal, ty: ty.clone(), args: args.clone(), fields }
            }
            other => other.clone(),
        }
    }

    /// Asserts the exceptions of a group, and what each of them carries besides its arguments.
    fn parts_of_group(&mut self, subject: &str, parts: &[Value]) -> Result<Vec<Assertion>, Stop> {
        let told = parts.iter().map(|part| self.repr_of(part)).collect::<Option<Vec<String>>>();
        let mut all = Vec::new();
        if let Some(told) = told {
            let texts = Expr::list(told.into_iter().map(Expr::Text).collect());
            all.push(Assertion::new(&format!("[repr(part) for part in {subject}]"), Relation::Equal, texts));
        } else {
            let mut held = Vec::new();
            for part in parts {
                if let Value::Exception { ty, args, .. } = part {
                    let class = Expr::Atom(self.spell(ty)?);
                    held.push(Expr::tuple(vec![class, self.expected(&Value::Tuple(args.clone()))?]));
                }
            }
            let look = format!("[(type(part), part.args) for part in {subject}]");
            all.push(Assertion::new(&look, Relation::Equal, Expr::list(held)));
        }
        all.extend(self.fields_of_parts(subject, parts)?);
        Ok(all)
    }

    /// Asserts what the exceptions of a group carry besides their arguments, and those of the groups among them.
    fn fields_of_parts(&mut self, subject: &str, parts: &[Value]) -> Result<Vec<Assertion>, Stop> {
        let mut all = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let Value::Exception { args, fields, .. } = part else { continue };
            let subject = format!("{subject}[{at}]");
            let public = fields.iter().filter(|(name, _)| !name.starts_with('_'));
            let public: Vec<(&str, &Value)> = public.map(|(name, value)| (name.as_str(), value)).collect();
            all.extend(self.attributes(&subject, &public)?);
            if let [_, Value::List(inner) | Value::Tuple(inner)] = args.as_slice() {
                all.extend(self.fields_of_parts(&format!("{subject}.exceptions"), inner)?);
            }
        }
        Ok(all)
    }

    /// Writes `repr(exception)`, where its class leaves that to Python.
    fn repr_of(&self, exception: &Value) -> Option<String> {
        let Value::Exception { ty, args, .. } = exception else { return None };
        if ty.module != "builtins" && !matches!(self.project.method(ty, "__repr__"), Lookup::Missing) {
            return None;
        }
        let told = |arg: &Value| match arg {
            Value::List(parts) if parts.iter().all(is_exception) => {
                let parts = parts.iter().map(|part| self.repr_of(part)).collect::<Option<Vec<String>>>()?;
                Some(format!("[{}]", parts.join(", ")))
            }
            Value::Str(text) if !is_stable(text, WHOLE_MAX) => None,
            other => repr(other),
        };
        let args = args.iter().map(told).collect::<Option<Vec<String>>>()?;
        Some(format!("{}({})", ty.short(), args.join(", ")))
    }

    /// Writes what something is compared with, if it has a form.
    pub(super) fn if_any(&mut self, value: &Value) -> Result<Option<Expr>, Stop> {
        let before = self.work.clone();
        match self.expected(value) {
            Ok(expected) => Ok(Some(expected)),
            Err(Stop::Again(ordinal)) => Err(Stop::Again(ordinal)),
            Err(Stop::No(_)) => {
                self.work = before;
                Ok(None)
            }
        }
    }
}

/// Tells whether an attribute of a framework's exception is nothing, or what its arguments say already.
fn is_said_by(args: &[Value], value: &Value) -> bool {
    *value == Value::None || args.contains(value)
}

pub(in crate::generate) const NOTES: &str = "__notes__";

fn is_exception(value: &Value) -> bool {
    matches!(value, Value::Exception { .. })
}

/// Tells whether the function, another one of its module, or one of a module that this imports names the type: then a `raise`
/// of the project is more likely to have worded the message than Python or a package.
fn is_raised_near(ty: &TypeName, function: &Function, project: Project<'_>) -> bool {
    let names = |function: &Function| function.uses.contains(ty.short());
    if names(function) {
        return true;
    }
    let Some(module) = (project.module)(function.id.module()) else { return false };
    let imported = module.imports.iter().flat_map(|import| {
        let below = import.name.as_ref().map(|name| format!("{}.{name}", import.module));
        std::iter::once(import.module.clone()).chain(below)
    });
    module.functions.iter().any(names)
        || imported.filter_map(|name| (project.module)(&name)).any(|module| module.functions.iter().any(names))
}

/// Gives the part of a message that one of the call's own values gave.
fn given_part(text: &str, call: &Call) -> Option<String> {
    let mut found: Option<String> = None;
    for arg in &call.args {
        arg.value.walk(&mut |value| {
            let part = match value {
                Value::Str(given) if !given.is_empty() => [format!("'{given}'"), given.clone()].into_iter().find(|part| {
                    // A plain word may be one of Python's own.
                    let tells = part.chars().count() >= VALUE_MIN && !part.chars().all(char::is_alphabetic);
                    tells && text.contains(part.as_str()) && is_stable_text(part)
                }),
                _ => None,
            };
            if let Some(part) = part
                && found.as_ref().is_none_or(|other| other.len() < part.len())
            {
                found = Some(part);
            }
            true
        });
    }
    found
}

/// Tells whether a value is one that the call was given, or no text, which Python may word otherwise.
fn is_given(value: &Value, call: &Call) -> bool {
    match value {
        Value::Str(text) => {
            call.args.iter().any(|arg| !arg.value.walk(&mut |part| !matches!(part, Value::Str(given) if given == text)))
        }
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Bytes(_) => true,
        _ => false,
    }
}

/// Tells whether a value reads alike on every machine.
fn is_steady(value: &Value) -> bool {
    value.walk(&mut |part| !matches!(part, Value::Str(text) if !text.is_empty() && !is_stable(text, WHOLE_MAX)))
}

/// Tells whether a short message can be expected on every machine and every supported Python.
#[must_use]
pub fn is_stable_text(text: &str) -> bool {
    is_stable(text, MESSAGE_MAX) && !text.contains(['\n', '\r', '\\'])
}

fn is_stable(text: &str, most: usize) -> bool {
    !text.is_empty()
        && text.chars().count() <= most
        && !text.contains("0x")
        && !text.contains("frozenset(")
        && !holds_set(text)
        && !holds_absolute_path(text)
        && !is_of_the_interpreter(text)
}

/// Tells whether a text shows a set of texts, whose order is another in each process; a dict keeps its order.
fn holds_set(text: &str) -> bool {
    text.match_indices("{'").any(|(at, _)| {
        let first = text[at + 2..].split_once('\'').map_or("", |(_, rest)| rest);
        !first.starts_with(':')
    })
}

fn holds_absolute_path(text: &str) -> bool {
    text.split([' ', '\'', '"', '(', '=', ',']).any(|word| {
        (word.starts_with('/') && word.len() > 1 && word[1..].contains('/'))
            || word.get(1..3) == Some(":\\")
            || word.starts_with("file://")
    })
}

/// Texts of the interpreter itself, which change from version to version.
fn is_of_the_interpreter(text: &str) -> bool {
    const PARTS: &[&str] = &[
        "positional argument",
        "unexpected keyword argument",
        "required keyword-only",
        "object has no attribute",
        "has no attribute '",
        "unsupported operand type",
        "object is not",
        "not supported between instances",
        "must be str, not",
        "can only concatenate",
        "division by zero",
        "division or modulo",
        "index out of range",
        "invalid literal for",
        "could not convert string",
        "not enough values to unpack",
        "too many values to unpack",
        "indices must be",
        "is not defined",
        "unhashable type",
        "argument must be",
        "cannot access",
        "missing 1 required",
        "missing 2 required",
        "recursion depth",
        "ConversionSyntax",
        "math domain error",
        "Expecting value",
    ];
    PARTS.iter().any(|part| text.contains(part))
}
