//! Why functions have no test, as lines: grouped by the code of the reason, or all of one function.

use std::collections::{BTreeMap, HashSet};

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::output::Output;
use crate::cli::show;
use crate::domain::function::FunctionId;
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::engine::{Handle, Why};

/// Functions that are named in a group; the rest is counted.
const NAMED: usize = 6;

/// Functions whose calls have no test for one kind of reason.
struct Group<'a> {
    code: ReasonCode,
    functions: Vec<&'a FunctionId>,
    calls: u64,
    /// The first reason of it, which tells for all where they say the same.
    example: &'a LeftOut,
    is_one: bool,
}

/// Says why functions have no test: each once, by the reason that most of its calls have. Gives how many there are.
pub fn grouped(out: &mut Output, left_out: &[(FunctionId, LeftOut)], is_left: impl Fn(&FunctionId) -> bool) -> usize {
    let mut main: BTreeMap<&FunctionId, &LeftOut> = BTreeMap::new();
    for (function, left) in left_out.iter().filter(|(function, _)| is_left(function)) {
        let held = main.entry(function).or_insert(left);
        if left.calls > held.calls {
            *held = left;
        }
    }
    if main.is_empty() {
        return 0;
    }
    out.say(format!("\nNo test for {}:", text::count(main.len(), "function")));
    for group in groups(&main) {
        let functions = text::count(group.functions.len(), "function");
        out.say(format!("  {}  {functions}, {}", group.code.code(), calls(group.calls)));
        let message = group.example.reason.message();
        out.say(match group.is_one {
            true => format!("      {message}"),
            false => format!("      for example {}: {message}", group.functions[0]),
        });
        // The line that does not parse is told by itself.
        if group.code != ReasonCode::SyntaxError {
            out.say(format!("      fix: {}", group.example.reason.fix()));
        }
        let named: Vec<String> = group.functions.iter().take(NAMED).map(ToString::to_string).collect();
        let more = group.functions.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {}", text::thousands(more) + " more") } else { String::new() };
        out.say(format!("      {}{more}", named.join(", ")));
    }
    out.say("  gen --why FUNCTION lists all reasons of a function.");
    main.len()
}

fn groups<'a>(main: &BTreeMap<&'a FunctionId, &'a LeftOut>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (function, left) in main {
        match groups.iter_mut().find(|group| group.code == left.reason.code) {
            Some(group) => {
                group.functions.push(function);
                group.calls += left.calls;
                group.is_one &= group.example.reason.message() == left.reason.message();
            }
            None => groups.push(Group {
                code: left.reason.code,
                functions: vec![function],
                calls: left.calls,
                example: left,
                is_one: true,
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.functions.len()));
    groups
}

/// Says all that is known of why calls of functions have no test.
pub fn explain(handle: &Handle, out: &mut Output, found: &[Why]) -> Result<(), Trouble> {
    for why in found {
        out.result("why", why);
        out.say(why.function.to_string());
        match why.tests.as_slice() {
            [] => out.say("  no accepted test"),
            tests => out.say(format!("  {}: {}", text::count(tests.len(), "accepted test"), tests.join(", "))),
        }
        for id in &why.proposals {
            out.say(show::proposal(&handle.proposal(*id)?));
        }
        if why.left_out.is_empty() {
            out.say("  all of its recorded calls are in a test or a draft");
            continue;
        }
        let all: u64 = why.left_out.iter().map(|left| left.calls).sum();
        let codes: HashSet<ReasonCode> = why.left_out.iter().map(|left| left.reason.code).collect();
        out.say(format!("  {} without a test, for {}:", calls(all), text::count(codes.len(), "reason")));
        for left in &why.left_out {
            out.say(format!("  {}  {}", left.reason.code.code(), calls(left.calls)));
            out.say(format!("      {}\n      fix: {}", left.reason.message(), left.reason.fix()));
        }
    }
    Ok(())
}

fn calls(number: u64) -> String {
    text::count(usize::try_from(number).unwrap_or(usize::MAX), "call")
}
