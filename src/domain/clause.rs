//! Clauses: sentences about a journey that rules can decide, and what came of them.
//!
//! The words that make a clause are `judge/grammar.rs`, what it means is `judge/evaluate.rs`. Written with `{}` a
//! clause is its canonical sentence, which parses to the same clause again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::sentence::Sentence;
use crate::domain::journey::{LineId, Phase};
use crate::domain::value::Value;

/// A sentence: what has to hold, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// What has to hold.
    pub head: Head,
    /// Which part of the journey it is about.
    pub scope: Scope,
    /// Nothing to decide is as good as decided.
    pub may_not_occur: bool,
}

/// The calls that a clause speaks of: of one function, with these arguments, that ended like this.
#[derive(Debug, Clone, PartialEq)]
pub struct Calls {
    /// The function as written; names are exact.
    pub function: String,
    /// Parameters and what they have to be.
    pub with: Vec<(String, Test)>,
    /// How the call ended.
    pub ending: Option<Ending>,
}

impl Calls {
    /// All calls of a function.
    #[must_use]
    pub fn of(function: impl Into<String>) -> Self {
        Self { function: function.into(), with: Vec::new(), ending: None }
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It returned something like this.
    Returning(Test),
    /// It raised this exception or one derived from it.
    Raising(String),
    /// It raised anything.
    Failing,
}

/// What a value has to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Equal to this.
    Is(Value),
    /// Another one than this.
    IsNot(Value),
    /// A text in which this regular expression is found.
    Matches(String),
    /// A text or container with this in it.
    Contains(Value),
    /// One of these.
    OneOf(Vec<Value>),
    /// A number on this side of that one.
    Compared(Order, f64),
    /// A number that differs by less than a millionth of it.
    CloseTo(f64),
    /// Whatever it is.
    Any,
}

/// The sides of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// So many, or more.
    AtLeast(u32),
    /// So many, or fewer.
    AtMost(u32),
    /// So many.
    Exactly(u32),
}

/// Which of several results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first.
    First,
    /// The last.
    Last,
}

/// What has to hold.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Head {
    /// The calls are so many.
    Count { calls: Calls, times: Times },
    /// Each call is preceded by one that ended before it began, in this order; all occur.
    Sequence(Vec<Calls>),
    /// Each call is preceded by the condition.
    OnlyAfter { calls: Calls, first: Calls },
    /// Nothing was called between the two.
    ImmediatelyAfter { calls: Calls, first: Calls },
    /// After each call comes one of the others.
    Followed { calls: Calls, by: Vec<Calls> },
    /// Each call has one of its own after it.
    Paired { calls: Calls, with: Calls },
    /// Where the condition was met the calls come, or do not come.
    If { condition: Calls, then: Calls, called: bool },
    /// Every call of the function returns this.
    Returns { function: String, test: Test },
    /// Every call of the function returns what a call inside it returned.
    ReturnsResultOf { function: String, of: String },
    /// A call of the function raises this.
    Raises { function: String, exception: String },
    /// No call of the function raises.
    NeverRaises { function: String },
    /// The exception is raised below a call of the function, and handled.
    RaisedInside { exception: String, function: String, handled: bool, by: Option<String> },
    /// A parameter is the result of another function, or a field of it.
    Receives { calls: Calls, parameter: String, from: String, field: Option<String> },
    /// Two results are equal, or are not.
    SameResult { one: (Which, String), other: (Which, String), equal: bool },
    /// Both functions get the same argument.
    SameArgument { one: String, other: String, parameter: String },
    /// Every call has the argument.
    EveryHas { calls: Calls, parameter: String, test: Test },
    /// The argument takes these values, in this order.
    Successively { calls: Calls, parameter: String, values: Vec<Value> },
    /// Each call of the function leads to one of the other.
    Within { function: String, calls: Calls },
    /// All calls happen below a call of the function.
    OnlyInside { calls: Calls, function: String },
    /// Between the two nothing of this.
    NeverBetween { first: Calls, last: Calls, calls: Calls },
    /// All calls happen between the two.
    OnlyBetween { calls: Calls, first: Calls, last: Calls },
    /// Calls of the function go on at the same time, or never do.
    Overlap { function: String, overlap: bool },
    /// The argument's content is the same after each call.
    KeepsArgument { function: String, parameter: String },
}

/// Which part of a journey a clause is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    /// All of it; of a test, what the test itself does.
    Whole,
    /// What a test's fixtures do before it.
    During(Phase),
    /// What happened below calls of the function.
    Inside(String),
    /// What happened below a call of the function, for each of them.
    InEach(String),
    /// The calls with equal arguments, for each of these.
    Per(Vec<String>),
    /// From the end of the first to the beginning of the second, for each of them.
    Between(Calls, Calls),
    /// After the first of these ended.
    After(Calls),
    /// Before the first of these began.
    Before(Calls),
}

/// What came of a clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Outcome {
    /// It was met, so often.
    Holds { times: usize },
    /// It was not.
    Violated,
    /// Nothing happened that it speaks of.
    Vacuous,
    /// The recording does not decide it.
    Unknown { reason: Sentence },
}

/// A decided clause: what came of it, and the lines that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The result.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Why, for people.
    pub why: Sentence,
    /// The lines that show it: of a violation as few as it takes.
    pub evidence: Vec<LineId>,
    /// What a reader asks first: calls of the same name elsewhere, lines that were not reached.
    pub closest: Vec<String>,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.head, self.scope)?;
        if self.may_not_occur { f.write_str(" (may not occur)") } else { Ok(()) }
    }
}

/// Words of the grammar: a name that is one of them stands in back-ticks.
const WORDS: &str = "\
    after and any anything are argument at be before between by call called calls can cannot change changes check close \
    comes concurrently contains differs do does each eight ensure equal equals escapes every exactly exception failing \
    fails false first five followed four from get gets handled happen happens has have if immediately in inside is it its \
    just last least make matches matching may more most must mutate modify needs never nine no none not nothing null occur \
    of once one only or outside overlap per precede precedes raise raised raises raising result return returned returning \
    returns same setup seven shall should single six sure teardown ten than that the then three throws time times to true \
    twice two unless up verify was when whenever with zero";

/// A name as it is written in a clause.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_word = self.0.contains('\'') || WORDS.split(' ').any(|word| word.eq_ignore_ascii_case(self.0));
        if is_word { write!(f, "`{}`", self.0) } else { f.write_str(self.0) }
    }
}

/// Names one after the other.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, Name(name))?;
        }
        Ok(())
    }
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Name(&self.function), With(&self.with))?;
        match &self.ending {
            None => Ok(()),
            Some(Ending::Returning(test)) => write!(f, " returning {test}"),
            Some(Ending::Raising(exception)) => write!(f, " raising {}", Name(exception)),
            Some(Ending::Failing) => f.write_str(" failing"),
        }
    }
}

/// Calls as a condition says them: `A returns True`.
struct Condition<'a>(&'a Calls);

impl fmt::Display for Condition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Name(&self.0.function), With(&self.0.with))?;
        match &self.0.ending {
            None => Ok(()),
            Some(Ending::Returning(test)) => write!(f, " returns {test}"),
            Some(Ending::Raising(exception)) => write!(f, " raises {}", Name(exception)),
            Some(Ending::Failing) => f.write_str(" fails"),
        }
    }
}

/// What the arguments have to be: ` with n=4, copies > 1`.
struct With<'a>(&'a [(String, Test)]);

impl fmt::Display for With<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, test)) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { " with " } else { ", " })?;
            write!(f, "{}", Argument(name, test))?;
        }
        Ok(())
    }
}

/// A parameter and its test: `copies=4`, `copies > 4`, `name matches /x/`.
struct Argument<'a>(&'a str, &'a Test);

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Test::Is(value) => write!(f, "{}={}", Name(self.0), Literal(value)),
            test => write!(f, "{} {test}", Name(self.0)),
        }
    }
}

/// A value as it is written in a clause.
struct Literal<'a>(&'a Value);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.summary(usize::MAX))
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) => write!(f, "{}", Literal(value)),
            Self::IsNot(value) => write!(f, "!= {}", Literal(value)),
            Self::Matches(pattern) => write!(f, "matches /{}/", pattern.replace('/', "\\/")),
            Self::Contains(value) => write!(f, "contains {}", Literal(value)),
            Self::OneOf(values) => write!(f, "one of {}", Literal(&Value::List(values.clone()))),
            Self::Compared(order, number) => write!(f, "{order} {number}"),
            Self::CloseTo(number) => write!(f, "close to {number}"),
            Self::Any => f.write_str("any"),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (how, number) = match *self {
            Self::AtLeast(number) => ("at least ", number),
            Self::AtMost(number) => ("at most ", number),
            Self::Exactly(number) => ("exactly ", number),
        };
        match number {
            1 => write!(f, "{how}once"),
            2 => write!(f, "{how}twice"),
            number => write!(f, "{how}{number} times"),
        }
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::First { "first" } else { "last" })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { calls, times } => {
                // "A is called with n=4" reads better than "A with n=4 is called"; an ending leaves no other place.
                let (name, with) = match calls.ending {
                    None => (Name(&calls.function).to_string(), With(&calls.with).to_string()),
                    Some(_) => (calls.to_string(), String::new()),
                };
                match times {
                    Times::AtLeast(1) => write!(f, "{name} is called{with}"),
                    Times::Exactly(0) => write!(f, "{name} is never called{with}"),
                    times => write!(f, "{name} is called{with} {times}"),
                }
            }
            Self::Sequence(steps) => match steps.as_slice() {
                [one, other] => write!(f, "{one} is called before {other}"),
                steps => {
                    for (at, step) in steps.iter().enumerate() {
                        write!(f, "{}{step}", if at == 0 { "first " } else { ", then " })?;
                    }
                    Ok(())
                }
            },
            Self::OnlyAfter { calls, first } => write!(f, "{calls} is called only after {first}"),
            Self::ImmediatelyAfter { calls, first } => write!(f, "{calls} is called immediately after {first}"),
            Self::Followed { calls, by } => {
                write!(f, "after {calls}, ")?;
                for (at, call) in by.iter().enumerate() {
                    write!(f, "{}{call}", if at == 0 { "" } else { " or " })?;
                }
                f.write_str(" is called")
            }
            Self::Paired { calls, with } => write!(f, "every {calls} has a matching {with}"),
            Self::If { condition, then, called } => {
                let not = if *called { "" } else { "not " };
                write!(f, "if {} then {then} is {not}called", Condition(condition))
            }
            Self::Returns { function, test } => write!(f, "{} returns {test}", Name(function)),
            Self::ReturnsResultOf { function, of } => write!(f, "{} returns the result of {}", Name(function), Name(of)),
            Self::Raises { function, exception } => write!(f, "{} raises {}", Name(function), Name(exception)),
            Self::NeverRaises { function } => write!(f, "no exception escapes {}", Name(function)),
            Self::RaisedInside { exception, function, handled, by } => {
                write!(f, "{} is raised inside {}", Name(exception), Name(function))?;
                if *handled {
                    f.write_str(" and handled")?;
                }
                by.as_ref().map_or(Ok(()), |by| write!(f, " by {}", Name(by)))
            }
            Self::Receives { calls, parameter, from, field } => {
                let from = field.as_ref().map_or_else(|| from.clone(), |field| format!("{from}.{field}"));
                write!(f, "{calls} is called with {} returned by {}", Name(parameter), Name(&from))
            }
            Self::SameResult { one, other, equal } => {
                let verb = if *equal { "equals" } else { "differs from" };
                write!(f, "the {} result of {} {verb} the {} result of {}", one.0, Name(&one.1), other.0, Name(&other.1))
            }
            Self::SameArgument { one, other, parameter } => {
                write!(f, "{} and {} get the same {}", Name(one), Name(other), Name(parameter))
            }
            Self::EveryHas { calls, parameter, test } => write!(f, "every call of {calls} has {}", Argument(parameter, test)),
            Self::Successively { calls, parameter, values } => {
                write!(f, "{calls} is called")?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{} with {}={}", if at == 0 { "" } else { ", then" }, Name(parameter), Literal(value))?;
                }
                Ok(())
            }
            Self::Within { function, calls } => write!(f, "{} calls {calls}", Name(function)),
            Self::OnlyInside { calls, function } => write!(f, "{calls} is called only inside {}", Name(function)),
            Self::NeverBetween { first, last, calls } => write!(f, "between {first} and {last}, {calls} is never called"),
            Self::OnlyBetween { calls, first, last } => write!(f, "{calls} is called only between {first} and {last}"),
            Self::Overlap { function, overlap: true } => write!(f, "calls of {} overlap", Name(function)),
            Self::Overlap { function, overlap: false } => write!(f, "{} is never called concurrently", Name(function)),
            Self::KeepsArgument { function, parameter } => {
                write!(f, "{} does not change its argument {}", Name(function), Name(parameter))
            }
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::During(phase) => write!(f, " in {phase}"),
            Self::Inside(function) => write!(f, " inside {}", Name(function)),
            Self::InEach(function) => write!(f, " in each {}", Name(function)),
            Self::Per(parameters) if parameters.len() == 1 => write!(f, " per {}", Names(parameters)),
            Self::Per(parameters) => write!(f, " per ({})", Names(parameters)),
            Self::Between(first, last) => write!(f, " between {first} and {last}"),
            Self::After(calls) => write!(f, " after {calls}"),
            Self::Before(calls) => write!(f, " before {calls}"),
        }
    }
}
