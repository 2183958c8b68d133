//! R13: what several tests of a function begin with stands once, as a fixture above them.
//!
//! Its name tells what it makes and for which function, so that the fixtures of two drafts for one file never meet.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::function::Function;
use crate::generate::act::Target;
use crate::generate::case::Case;
use crate::generate::scope::{Import, snake};
use crate::generate::statement::Statement;
use crate::generate::surroundings::Laid;
use crate::generate::trim::has_word;

/// Fewer tests are read better with their beginning in them, and so is a beginning of fewer lines.
const TESTS_MIN: usize = 3;
const LINES_MIN: usize = 2;

/// What tests begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fixture {
    /// Its name, which the tests take as a parameter.
    pub(super) name: String,
    /// What it makes is called so in the code of a case.
    local: String,
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// What it needs besides the imports of its cases.
    pub(super) imports: BTreeSet<Import>,
}

/// Finds the one beginning that enough cases share; gives the fixture and the places of these cases.
pub(super) fn shared(cases: &[&Case], function: &Function) -> Option<(Fixture, BTreeSet<usize>)> {
    let mut alike: BTreeMap<(String, Vec<String>), BTreeSet<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let lines: Vec<String> = case.setup.iter().flat_map(|statement| statement.lines(4)).collect();
        if let Some(local) = made(case).filter(|_| lines.len() >= LINES_MIN && case.laid == Laid::default()) {
            alike.entry((local.to_owned(), lines)).or_default().insert(at);
        }
    }
    let ((local, setup), places) =
        alike.into_iter().filter(|(_, places)| places.len() >= TESTS_MIN).max_by_key(|(_, places)| places.len())?;
    let name = format!("{}_for_{}", local.trim_end_matches('_'), snake(function.name().trim_matches('_')));
    let mut lines = vec!["@pytest.fixture".to_owned(), format!("def {name}():")];
    lines.extend(setup);
    lines.push(format!("    return {local}"));
    Some((Fixture { name, local, lines, imports: BTreeSet::from([Import::module("pytest")]) }, places))
}

/// Gives the only name of a case's set-up that the rest of it uses: that of its receiver.
fn made(case: &Case) -> Option<&str> {
    let Target::Object(receiver) = &case.target else { return None };
    let bound = case.setup.iter().filter_map(Statement::bound).filter(|name| *name != receiver);
    let others: Vec<&str> = bound.filter(|name| !name.contains(['.', '['])).collect();
    let code = case.args.iter().flat_map(|arg| &arg.items).map(|item| item.value.flat());
    let asserted = case.assertions.iter().map(|assertion| {
        let asked = assertion.asked.as_ref().map(|asked| asked.call.flat()).unwrap_or_default();
        format!("{} {asked} {}", assertion.subject, assertion.expected.flat())
    });
    let rest: Vec<String> = code.chain(asserted).collect();
    let is_used = |name: &&str| rest.iter().any(|text| has_word(text, name));
    let is_bound = case.setup.iter().any(|statement| statement.bound() == Some(receiver));
    (is_bound && !others.iter().any(is_used)).then_some(receiver)
}

impl Fixture {
    /// Writes a line of a test with the fixture in place of the name of what it makes.
    pub(super) fn instead(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut quote = None;
        let mut word = String::new();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            let is_part = quote.is_none() && (c == '_' || c.is_alphanumeric());
            if is_part {
                word.push(c);
            }
            if !word.is_empty() && (!is_part || chars.peek().is_none()) {
                // Neither an attribute nor the name of an argument.
                let is_it = word == self.local && !out.ends_with('.') && (c != '=' || chars.peek() == Some(&'='));
                out.push_str(if is_it { &self.name } else { &word });
                word.clear();
            }
            if is_part {
                continue;
            }
            out.push(c);
            match quote {
                None if matches!(c, '"' | '\'') => quote = Some(c),
                Some(_) if c == '\\' => out.extend(chars.next()),
                Some(open) if c == open => quote = None,
                _ => {}
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_replaced_where_it_is_one() {
        let fixture = Fixture { name: "cart_for_add".into(), local: "cart".into(), lines: vec![], imports: BTreeSet::new() };
        for (line, written) in [
            ("    assert cart.add(1) == cart", "    assert cart_for_add.add(1) == cart_for_add"),
            ("    cart += 1", "    cart_for_add += 1"),
            (
                "    f(x.cart, cart=1, y=cart, z=\"a cart\\\"cart\") == cart_2",
                "    f(x.cart, cart=1, y=cart_for_add, z=\"a cart\\\"cart\") == cart_2",
            ),
            ("        cart,", "        cart_for_add,"),
            ("    assert cart==1", "    assert cart_for_add==1"),
        ] {
            assert_eq!(fixture.instead(line), written);
        }
    }
}
