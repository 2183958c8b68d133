//! The phrases that clauses are made of: calls with their arguments, conditions, values, numbers, scopes.

use crate::base::sentence::Sentence;
use crate::domain::clause::{Calls, Ending, Order, Scope, Test, Times};
use crate::domain::journey::Phase;
use crate::domain::value::Value;
use crate::judge::words::{Kind, Token};

/// Words that are no names where a name is expected.
const RESERVED: &[&str] = &[
    "never",
    "nothing",
    "no",
    "first",
    "every",
    "each",
    "between",
    "after",
    "before",
    "if",
    "when",
    "then",
    "is",
    "called",
    "calls",
    "only",
    "inside",
    "per",
    "and",
    "or",
    "with",
    "the",
    "not",
    "unless",
    "returning",
    "returns",
    "raising",
    "raises",
];

/// Where a sentence stopped being a clause, and why.
pub(super) struct Stop {
    pub at: usize,
    pub why: Sentence,
}

pub(super) type Parsed<T> = Result<T, Stop>;

pub(super) struct Parser {
    tokens: Vec<Token>,
    pub at: usize,
    /// Where the sentence ends, in bytes.
    end: usize,
}

impl Parser {
    pub(super) fn new(tokens: Vec<Token>, end: usize) -> Self {
        Self { tokens, at: 0, end }
    }

    /// "A returns v", "A raises X", "A fails".
    pub(super) fn condition(&mut self) -> Parsed<Calls> {
        let calls = self.condition_or_calls()?;
        if calls.ending.is_none() {
            return self.stop("“returns …”, “raises …” or “fails” was expected before this or");
        }
        Ok(calls)
    }

    pub(super) fn condition_or_calls(&mut self) -> Parsed<Calls> {
        let mut calls = self.calls()?;
        if calls.ending.is_none() {
            calls.ending = if self.eat("returns") {
                Some(Ending::Returning(self.test()?))
            } else if self.eat("raises") {
                Some(Ending::Raising(self.name()?))
            } else if self.eat("fails") {
                Some(Ending::Failing)
            } else {
                None
            };
        }
        Ok(calls)
    }

    /// "A", "A with n=1, m=2", "A returning v", "A raising X".
    pub(super) fn calls(&mut self) -> Parsed<Calls> {
        let mut calls = Calls::of(self.name()?);
        if self.eat("with") {
            calls.with.push(self.argument()?);
            self.more_arguments(&mut calls)?;
        }
        if self.eat("returning") {
            calls.ending = Some(Ending::Returning(self.test()?));
        } else if self.eat("raising") {
            calls.ending = Some(Ending::Raising(self.name()?));
        } else if self.eat("failing") {
            calls.ending = Some(Ending::Failing);
        }
        Ok(calls)
    }

    /// ", m=2, …"; a comma before anything else belongs to the sentence.
    pub(super) fn more_arguments(&mut self, calls: &mut Calls) -> Parsed<()> {
        loop {
            let start = self.at;
            if !self.eat_sign(",") || self.name().is_err() || !self.at_test() {
                self.at = start;
                return Ok(());
            }
            self.at = start + 1;
            calls.with.push(self.argument()?);
        }
    }

    /// "n=4", "n > 4", "name matches /x/".
    pub(super) fn argument(&mut self) -> Parsed<(String, Test)> {
        let name = self.name()?;
        if self.eat_sign("=") || self.eat_sign("==") || self.eat("equal to") {
            return Ok((name, self.test()?));
        }
        if !self.at_test() {
            return self.stop("“=” or a comparison was expected");
        }
        Ok((name, self.test()?))
    }

    /// Tells whether a test of an argument begins here.
    fn at_test(&self) -> bool {
        let signs = ["=", "==", "!=", "<", "<=", ">", ">="];
        match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Sign(sign), .. }) => signs.contains(sign),
            Some(token) => ["matches", "contains", "one", "close", "any", "equal"].iter().any(|word| token.is(word)),
            None => false,
        }
    }

    pub(super) fn test(&mut self) -> Parsed<Test> {
        let orders = [("<=", Order::AtMost), (">=", Order::AtLeast), ("<", Order::Less), (">", Order::Greater)];
        for (sign, order) in orders {
            if self.eat_sign(sign) {
                return Ok(Test::Compared(order, self.number()?));
            }
        }
        if self.eat_sign("!=") {
            return Ok(Test::IsNot(self.value()?));
        }
        if self.eat("any") || self.eat("anything") {
            return Ok(Test::Any);
        }
        if self.eat("matches") {
            let Some(Token { kind: Kind::Pattern(pattern), .. }) = self.tokens.get(self.at).cloned() else {
                return self.stop("A pattern /…/ was expected");
            };
            if let Err(error) = regex::Regex::new(&pattern) {
                return self.stop(&format!("The pattern cannot be read ({error})"));
            }
            self.at += 1;
            return Ok(Test::Matches(pattern));
        }
        if self.eat("contains") {
            return Ok(Test::Contains(self.value()?));
        }
        if self.eat("one of") {
            return match self.value()? {
                Value::List(values) | Value::Tuple(values) => Ok(Test::OneOf(values)),
                _ => self.stop("A list was expected before this or"),
            };
        }
        if self.eat("close to") {
            return Ok(Test::CloseTo(self.number()?));
        }
        Ok(Test::Is(self.value()?))
    }

    fn number(&mut self) -> Parsed<f64> {
        if let Some(Token { kind: Kind::Number(text), .. }) = self.tokens.get(self.at)
            && let Ok(number) = text.replace('_', "").parse::<f64>()
            && number.is_finite()
        {
            self.at += 1;
            return Ok(number);
        }
        self.stop("A number was expected")
    }

    /// A literal of Python or JSON.
    fn value(&mut self) -> Parsed<Value> {
        let Some(token) = self.tokens.get(self.at).cloned() else { return self.stop("A value was expected") };
        self.at += 1;
        let word = |words: &[&str]| words.iter().any(|word| token.is(word));
        Ok(match &token.kind {
            Kind::Text(text) => Value::Str(text.clone()),
            Kind::Number(text) => {
                let digits = text.replace('_', "");
                match digits.parse() {
                    Ok(number) => Value::Int(number),
                    Err(_) if digits.contains(['.', 'e', 'E']) => Value::Float(digits.parse().unwrap_or(f64::NAN)),
                    Err(_) => Value::BigInt(digits),
                }
            }
            Kind::Word(_) if word(&["True"]) => Value::Bool(true),
            Kind::Word(_) if word(&["False"]) => Value::Bool(false),
            Kind::Word(_) if word(&["None", "null"]) => Value::None,
            Kind::Sign("[") => Value::List(self.values("]")?),
            Kind::Sign("(") => Value::Tuple(self.values(")")?),
            Kind::Sign("{") => Value::Dict(self.pairs()?),
            _ => {
                self.at -= 1;
                return self.stop("A value was expected");
            }
        })
    }

    fn values(&mut self, close: &'static str) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        while !self.eat_sign(close) {
            values.push(self.value()?);
            if !self.eat_sign(",") {
                self.need_sign(close)?;
                break;
            }
        }
        Ok(values)
    }

    fn pairs(&mut self) -> Parsed<Vec<(Value, Value)>> {
        let mut pairs = Vec::new();
        while !self.eat_sign("}") {
            let key = self.value()?;
            self.need_sign(":")?;
            pairs.push((key, self.value()?));
            if !self.eat_sign(",") {
                self.need_sign("}")?;
                break;
            }
        }
        Ok(pairs)
    }

    /// "exactly one call to", "at most 3 calls to".
    pub(super) fn times_of_calls(&mut self) -> Option<Times> {
        let start = self.at;
        let bound = self.bound();
        let number = self.whole_number();
        let calls = self.eat("call to") || self.eat("calls to");
        let times = number.filter(|_| calls).map(|number| bound.unwrap_or(Times::Exactly)(number));
        if times.is_none() {
            self.at = start;
        }
        times
    }

    /// "once", "exactly twice", "at most 5 times".
    pub(super) fn times(&mut self) -> Option<Times> {
        let start = self.at;
        let bound = self.bound();
        let number = if self.eat("once") {
            Some(1)
        } else if self.eat("twice") {
            Some(2)
        } else {
            self.whole_number().filter(|_| self.eat("times") || self.eat("time"))
        };
        let times = number.map(|number| bound.unwrap_or(Times::Exactly)(number));
        if times.is_none() {
            self.at = start;
        }
        times
    }

    fn bound(&mut self) -> Option<fn(u32) -> Times> {
        if self.eat("at least") {
            Some(Times::AtLeast)
        } else if self.eat("at most") || self.eat("up to") {
            Some(Times::AtMost)
        } else if self.eat("exactly") || self.eat("only") || self.eat("just") {
            Some(Times::Exactly)
        } else {
            None
        }
    }

    fn whole_number(&mut self) -> Option<u32> {
        const WORDS: [&str; 11] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        let token = self.tokens.get(self.at)?;
        let number = match &token.kind {
            Kind::Number(text) => text.parse().ok()?,
            _ => u32::try_from(WORDS.iter().position(|word| token.is(word))?).ok()?,
        };
        self.at += 1;
        Some(number)
    }

    pub(super) fn scope(&mut self) -> Parsed<Scope> {
        if self.eat("inside") {
            return Ok(Scope::Inside(self.name()?));
        }
        if self.eat("in setup") {
            return Ok(Scope::During(Phase::Setup));
        }
        if self.eat("in teardown") {
            return Ok(Scope::During(Phase::Teardown));
        }
        if self.eat("in each") {
            let _ = self.eat("call of");
            return Ok(Scope::InEach(self.name()?));
        }
        if self.eat("per") {
            if !self.eat_sign("(") {
                return Ok(Scope::Per(vec![self.name()?]));
            }
            let mut names = vec![self.name()?];
            while self.eat_sign(",") {
                names.push(self.name()?);
            }
            self.need_sign(")")?;
            return Ok(Scope::Per(names));
        }
        if self.eat("between") {
            let first = self.calls()?;
            self.need("and")?;
            return Ok(Scope::Between(first, self.calls()?));
        }
        if self.eat("after") {
            return Ok(Scope::After(self.calls()?));
        }
        if self.eat("before") {
            return Ok(Scope::Before(self.calls()?));
        }
        Ok(Scope::Whole)
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        let name = match self.tokens.get(self.at).map(|token| &token.kind) {
            Some(Kind::Name(name)) => name.clone(),
            Some(Kind::Word(word)) if !RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved)) => word.clone(),
            _ => return self.stop("A name was expected"),
        };
        self.at += 1;
        Ok(name)
    }

    pub(super) fn peek_then(&self) -> bool {
        let comma = matches!(self.tokens.get(self.at), Some(Token { kind: Kind::Sign(","), .. }));
        self.tokens.get(self.at + usize::from(comma)).is_some_and(|token| token.is("then"))
    }

    pub(super) fn eat_then(&mut self) -> bool {
        let found = self.peek_then();
        if found {
            let _ = self.eat_sign(",");
            self.at += 1;
        }
        found
    }

    pub(super) fn eat(&mut self, words: &str) -> bool {
        let count = words.split(' ').count();
        let found = self.tokens.len() >= self.at + count
            && words.split(' ').zip(&self.tokens[self.at..]).all(|(word, token)| token.is(word));
        if found {
            self.at += count;
        }
        found
    }

    pub(super) fn need(&mut self, words: &str) -> Parsed<()> {
        if self.eat(words) { Ok(()) } else { self.stop(&format!("“{words}” was expected")) }
    }

    pub(super) fn eat_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token { kind: Kind::Sign(own), .. }) if *own == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn need_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat_sign(sign) { Ok(()) } else { self.stop(&format!("“{sign}” was expected")) }
    }

    pub(super) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn stop<T>(&self, why: &str) -> Parsed<T> {
        Err(Stop { at: self.tokens.get(self.at).map_or(self.end, |token| token.at), why: why.into() })
    }
}
