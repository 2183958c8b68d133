//! The grammar of clauses: a sentence in, a [`Clause`] out, or where it stopped being one.
//!
//! Nothing is guessed: a sentence that the grammar does not cover whole is not a clause. Which functions the names mean
//! is `names.rs`.

use crate::base::sentence::Sentence;
use crate::domain::clause::{Calls, Clause, Head, Scope, Test, Times, Which};
use crate::judge::forms;
use crate::judge::phrases::{Parsed, Parser, Stop};
use crate::judge::words;

/// Why a sentence is no clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    /// The sentence.
    pub sentence: String,
    /// Where in it, in bytes.
    pub at: usize,
    /// What the grammar can do with the rest, or what it would need there.
    pub why: Sentence,
}

impl std::fmt::Display for Unclear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rest = self.sentence.get(self.at..).unwrap_or_default().trim_end_matches('.');
        if rest.is_empty() { write!(f, "{} at its end.", self.why) } else { write!(f, "{} at “{rest}”.", self.why) }
    }
}

impl Unclear {
    /// Forms of clauses that share most words with the sentence: at most three.
    #[must_use]
    pub fn nearest(&self) -> Vec<&'static str> {
        let words: Vec<String> = self.sentence.split_whitespace().map(str::to_lowercase).collect();
        let mut scored: Vec<(usize, &'static str)> = forms::sentences()
            .map(|form| (form.split(' ').filter(|word| words.iter().any(|own| own == word)).count(), form))
            .collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().take(3).map(|(_, form)| form).collect()
    }
}

/// Reads one sentence.
///
/// # Errors
///
/// [`Unclear`] when the grammar does not cover all of it.
pub fn parse(sentence: &str) -> Result<Clause, Unclear> {
    let unclear = |at, why: Sentence| Unclear { sentence: sentence.to_owned(), at, why };
    let tokens = words::tokens(sentence).map_err(|at| unclear(at, "Nothing a clause is made of".into()))?;
    let mut parser = Parser::new(words::rewritten(tokens), sentence.trim_end().len());
    parser.clause().map_err(|Stop { at, why }| unclear(at, why))
}

/// Cuts a text into sentences: by line, bullets and full stops.
#[must_use]
pub fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in text.lines() {
        let line = unnumbered(line.trim().trim_start_matches(['-', '*', '•']).trim_start());
        let mut rest = line;
        // A full stop ends a sentence where a space or the line's end follows it; not inside quotes.
        let mut quote = None;
        let mut from = 0;
        for (at, c) in line.char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '"' | '`') => quote = Some(c),
                (None, '.') => {
                    let tail = &line[at + 1..];
                    if tail.starts_with(' ') && !is_abbreviated(&line[from..at], tail) {
                        out.push(line[from..at].trim());
                        from = at + 1;
                        rest = tail;
                    }
                }
                _ => {}
            }
        }
        out.push(rest.trim());
    }
    out.retain(|sentence| !sentence.is_empty());
    out
}

/// Tells whether a text ends with a short form that a full stop belongs to. Some end a sentence too, where a capital follows.
fn is_abbreviated(text: &str, rest: &str) -> bool {
    const SHORT: &[&str] = &["e.g", "i.e", "vs", "cf", "approx", "incl", "mr", "mrs", "dr"];
    const OR_ENDS: &[&str] = &["a.m", "p.m", "u.s", "u.k"];
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let is_of = |words: &[&str]| words.iter().any(|short| word.eq_ignore_ascii_case(short));
    is_of(SHORT) || is_of(OR_ENDS) && rest.trim_start().starts_with(char::is_lowercase)
}

/// Leaves out the number of an item in a list: `1. `, `2) `.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(line.len() - rest.len()));
    rest.strip_prefix(['.', ')']).filter(|rest| is_number && rest.starts_with(' ')).map_or(line, str::trim_start)
}

impl Parser {
    fn clause(&mut self) -> Parsed<Clause> {
        let head = self.head()?;
        let (head, scope) = match head {
            // "A is called before B" has become an order of two already.
            head if self.done() => (head, Scope::Whole),
            head => {
                let scope = self.scope()?;
                (head, scope)
            }
        };
        let may_not_occur = self.eat_sign("(") && {
            self.need("may not occur").or_else(|_| self.need("must not occur"))?;
            self.need_sign(")")?;
            true
        };
        if !self.done() {
            return self.stop("There is no clause that goes on like this");
        }
        Ok(Clause { head, scope, may_not_occur })
    }

    fn head(&mut self) -> Parsed<Head> {
        if self.eat("calls of") {
            let function = self.name()?;
            let overlap = !self.eat("never");
            self.need("overlap")?;
            return Ok(Head::Overlap { function, overlap });
        }
        if self.eat("calls") {
            let calls = self.calls()?;
            return self.counted_or_ordered(calls);
        }
        if self.eat("never calls") || self.eat("no call to") || self.eat("no calls to") {
            return Ok(Head::Count { calls: self.calls()?, times: Times::Exactly(0) });
        }
        if self.eat("no exception escapes") {
            return Ok(Head::NeverRaises { function: self.name()? });
        }
        if self.eat("first") {
            let mut steps = vec![self.calls()?];
            while self.eat_then() {
                steps.push(self.calls()?);
            }
            if steps.len() < 2 {
                return self.stop("“, then” and another call are missing");
            }
            return Ok(Head::Sequence(steps));
        }
        if self.eat("after") {
            let calls = self.calls()?;
            self.need_sign(",")?;
            let mut by = vec![self.calls()?];
            while self.eat("or") {
                by.push(self.calls()?);
            }
            self.need("is called")?;
            return Ok(Head::Followed { calls, by });
        }
        if self.eat("between") {
            let first = self.calls()?;
            self.need("and")?;
            let last = self.calls()?;
            self.need_sign(",")?;
            let calls = self.calls()?;
            self.need("is not called")?;
            return Ok(Head::NeverBetween { first, last, calls });
        }
        if self.eat("every call of") || self.eat("every") {
            return self.every();
        }
        if self.eat("if") {
            let condition = self.condition()?;
            let _ = self.eat_sign(",");
            let _ = self.eat("then");
            let then = self.calls()?;
            let called = if self.eat("is not called") { false } else { self.need("is called").map(|()| true)? };
            return Ok(Head::If { condition, then, called });
        }
        if self.eat("the result of") {
            let function = self.name()?;
            let _ = self.eat("is") || self.eat("equals");
            return Ok(Head::Returns { function, test: self.test()? });
        }
        if self.eat("the") {
            return self.same_result();
        }
        if let Some(times) = self.times_of_calls() {
            return Ok(Head::Count { calls: self.calls()?, times });
        }
        let calls = self.calls()?;
        self.said_of(calls)
    }

    /// What follows "every" or "every call of".
    fn every(&mut self) -> Parsed<Head> {
        let calls = self.calls()?;
        if self.eat("has a matching") {
            return Ok(Head::Paired { calls, with: self.calls()? });
        }
        if self.eat("is followed by") {
            let mut by = vec![self.calls()?];
            while self.eat("or") {
                by.push(self.calls()?);
            }
            return Ok(Head::Followed { calls, by });
        }
        self.need("has")?;
        let (parameter, test) = self.argument()?;
        Ok(Head::EveryHas { calls, parameter, test })
    }

    /// "the first result of A equals the last result of B".
    fn same_result(&mut self) -> Parsed<Head> {
        let one = self.which_result()?;
        let equal = if self.eat("differs from") { false } else { self.need("equals").map(|()| true)? };
        self.need("the")?;
        let other = self.which_result()?;
        Ok(Head::SameResult { one, other, equal })
    }

    fn which_result(&mut self) -> Parsed<(Which, String)> {
        let which = if self.eat("first result of") {
            Which::First
        } else {
            self.need("last result of")?;
            Which::Last
        };
        Ok((which, self.name()?))
    }

    /// What is said of the calls that a sentence begins with.
    fn said_of(&mut self, calls: Calls) -> Parsed<Head> {
        if self.eat("is called") {
            return self.counted_or_ordered(calls);
        }
        if self.eat("is not called") {
            return self.not_called(calls);
        }
        if self.eat("is followed by") {
            return Ok(Head::Followed { calls, by: vec![self.calls()?] });
        }
        // From here on a plain function is meant.
        let plain = calls.with.is_empty() && calls.ending.is_none();
        let function = calls.function;
        if plain && self.eat("is raised inside") {
            let exception = function;
            let function = self.name()?;
            let handled = self.eat("and handled") || self.eat("and is handled");
            let by = if handled && self.eat("by") { Some(self.name()?) } else { None };
            return Ok(Head::RaisedInside { exception, function, handled, by });
        }
        if plain && self.eat("returns the result of") {
            return Ok(Head::ReturnsResultOf { function, of: self.name()? });
        }
        if plain && self.eat("returns") {
            return Ok(Head::Returns { function, test: self.test()? });
        }
        if plain && (self.eat("never raises") || self.eat("never fails")) {
            return Ok(Head::NeverRaises { function });
        }
        if plain && self.eat("raises") {
            return Ok(Head::Raises { function, exception: self.name()? });
        }
        if plain && self.eat("calls") {
            return Ok(Head::Within { function, calls: self.calls()? });
        }
        if plain && self.eat("does not change") {
            let _ = self.eat("its argument") || self.eat("argument");
            return Ok(Head::KeepsArgument { function, parameter: self.name()? });
        }
        if plain && self.eat("and") {
            let other = self.name()?;
            self.need("get the same")?;
            return Ok(Head::SameArgument { one: function, other, parameter: self.name()? });
        }
        self.stop("There is no clause that goes on like this")
    }

    /// What can follow "A is called".
    fn counted_or_ordered(&mut self, calls: Calls) -> Parsed<Head> {
        if self.eat("before") {
            return Ok(Head::Sequence(vec![calls, self.calls()?]));
        }
        if self.peek_then() {
            let mut steps = vec![calls];
            while self.eat_then() {
                steps.push(self.calls()?);
            }
            return Ok(Head::Sequence(steps));
        }
        if self.eat("only after") {
            return Ok(Head::OnlyAfter { calls, first: self.condition_or_calls()? });
        }
        if self.eat("only if") {
            return Ok(Head::OnlyAfter { calls, first: self.condition()? });
        }
        if self.eat("immediately after") {
            return Ok(Head::ImmediatelyAfter { calls, first: self.condition_or_calls()? });
        }
        if self.eat("only inside") {
            return Ok(Head::OnlyInside { calls, function: self.name()? });
        }
        if self.eat("only between") {
            let first = self.calls()?;
            self.need("and")?;
            return Ok(Head::OnlyBetween { calls, first, last: self.calls()? });
        }
        if self.eat("if") {
            return Ok(Head::If { condition: self.condition()?, then: calls, called: true });
        }
        if self.eat("concurrently") {
            return Ok(Head::Overlap { function: calls.function, overlap: true });
        }
        if self.eat("with") {
            return self.called_with(calls);
        }
        if let Some(times) = self.times() {
            return Ok(Head::Count { calls, times });
        }
        Ok(Head::Count { calls, times: Times::AtLeast(1) })
    }

    /// What can follow "A is called with".
    fn called_with(&mut self, mut calls: Calls) -> Parsed<Head> {
        let article = self.eat("the");
        let start = self.at;
        let parameter = self.name()?;
        if self.eat("returned by") {
            return Ok(Head::Receives { calls, parameter, from: self.name()?, field: None });
        }
        if !article && self.eat("equal to the") {
            let field = if self.eat("result of") {
                None
            } else {
                let field = self.name()?;
                self.need("of the result of")?;
                Some(field)
            };
            return Ok(Head::Receives { calls, parameter, from: self.name()?, field });
        }
        self.at = start;
        let (parameter, test) = self.argument()?;
        if self.peek_then() {
            let Test::Is(value) = test else { return self.stop("Only values can follow each other") };
            let mut values = vec![value];
            while self.eat_then() {
                self.need("with")?;
                let (again, test) = self.argument()?;
                match test {
                    Test::Is(value) if again == parameter => values.push(value),
                    _ => return self.stop("The same parameter and a value were expected before this"),
                }
            }
            return Ok(Head::Successively { calls, parameter, values });
        }
        calls.with.push((parameter, test));
        self.more_arguments(&mut calls)?;
        let times = self.times().unwrap_or(Times::AtLeast(1));
        Ok(Head::Count { calls, times })
    }

    /// What can follow "A is not called".
    fn not_called(&mut self, mut calls: Calls) -> Parsed<Head> {
        if self.eat("before") {
            return Ok(Head::OnlyAfter { calls, first: self.condition_or_calls()? });
        }
        if self.eat("concurrently") {
            return Ok(Head::Overlap { function: calls.function, overlap: false });
        }
        if self.eat("if") {
            return Ok(Head::If { condition: self.condition()?, then: calls, called: false });
        }
        if self.eat("between") {
            let first = self.calls()?;
            self.need("and")?;
            return Ok(Head::NeverBetween { first, last: self.calls()?, calls });
        }
        if self.eat("outside") {
            return Ok(Head::OnlyInside { calls, function: self.name()? });
        }
        if self.eat("with") {
            let (parameter, test) = self.argument()?;
            calls.with.push((parameter, test));
            self.more_arguments(&mut calls)?;
        }
        if self.times().is_some() {
            return self.stop("“not” with a number may mean several things: say “exactly”, “at most” or “never”, before this or");
        }
        Ok(Head::Count { calls, times: Times::Exactly(0) })
    }
}
