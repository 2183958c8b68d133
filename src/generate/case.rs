//! What a case of a test is: a recorded call as the parts of one. `cases.rs` makes them, `render.rs` writes them.

use std::collections::BTreeSet;

use crate::base::hash::Digest;
use crate::domain::call::{Argument, CallId, Outcome};
use crate::domain::function::{Function, FunctionId};
use crate::domain::reason::Reason;
use crate::domain::value::Value;
use crate::generate::act::{self, Act, Target};
use crate::generate::expect::Assertion;
use crate::generate::graph;
use crate::generate::layout::{Expr, Item};
use crate::generate::project::AwaitBy;
use crate::generate::raises::Raises;
use crate::generate::scope::Import;
use crate::generate::statement::Statement;
use crate::generate::surroundings::Laid;

/// How the value of the act is come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrap {
    /// As it is.
    Plain,
    /// `asyncio.run(…)`, or `await …` in a test that is a coroutine function.
    Await(AwaitBy),
    /// `list(…)`
    Collect,
    /// `list(itertools.islice(…, n))`: more was there, or nobody knows.
    First(usize),
    /// `[list(item) for item in …]`
    Each,
    /// An asynchronous generator, collected in a coroutine.
    CollectAsync(AwaitBy),
    /// The first items of one: more was there, or nobody knows.
    FirstAsync(AwaitBy, usize),
    /// `async with … as result:`
    WithAsync(AwaitBy),
    /// `with … as result:`
    With,
}

impl Wrap {
    /// Tells whether the act is more than an expression: a statement, or a coroutine of its own.
    #[must_use]
    pub fn is_statement(self) -> bool {
        matches!(self, Self::With | Self::CollectAsync(_) | Self::FirstAsync(..) | Self::WithAsync(_))
    }

    /// Gives how the value is come by in a test that is a coroutine function for another reason: a loop runs there already.
    #[must_use]
    pub fn in_coroutine(self) -> Self {
        match self {
            Self::Await(AwaitBy::Run) => Self::Await(AwaitBy::AsyncioAuto),
            Self::CollectAsync(AwaitBy::Run) => Self::CollectAsync(AwaitBy::AsyncioAuto),
            Self::FirstAsync(AwaitBy::Run, count) => Self::FirstAsync(AwaitBy::AsyncioAuto, count),
            Self::WithAsync(AwaitBy::Run) => Self::WithAsync(AwaitBy::AsyncioAuto),
            other => other,
        }
    }

    /// Tells what awaits the act.
    #[must_use]
    pub fn awaits(self) -> AwaitBy {
        match self {
            Self::Await(by) | Self::CollectAsync(by) | Self::FirstAsync(by, _) | Self::WithAsync(by) => by,
            Self::Plain | Self::Collect | Self::First(_) | Self::Each | Self::With => AwaitBy::Run,
        }
    }
}

/// How a case ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// By these assertions.
    Returns,
    /// By an exception.
    Raises(Raises),
    /// A generator that raises after these items.
    RaisesAfter(Expr, usize, Raises),
}

/// One argument as code.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseArgument {
    /// As recorded, without what objects computed once and keep.
    pub recorded: Argument,
    /// One item, or the parts of `*args` and `**kwargs`.
    pub items: Vec<Item>,
}

/// A recorded call as the parts of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The call.
    pub call: CallId,
    /// How often its input was seen.
    pub times: u64,
    /// An accepted test has its input (R27).
    pub settled: bool,
    /// Made by people's own code (R30).
    pub direct: bool,
    /// Where it was called.
    pub caller: Option<(FunctionId, u32)>,
    /// Hash of its input.
    pub input: Digest,
    /// The name that leads to the function, where another one made it.
    pub bound: Option<FunctionId>,
    /// What stands around it (R16, R17).
    pub laid: Laid,
    /// Lines before the act.
    pub setup: Vec<Statement>,
    /// What the function is called on.
    pub target: Target,
    /// The arguments, the receiver left out.
    pub args: Vec<CaseArgument>,
    /// How the value is come by.
    pub wrap: Wrap,
    /// How it ends.
    pub ending: Ending,
    /// What is asserted of the result and, later, of what changed.
    pub assertions: Vec<Assertion>,
    /// What it prints: `out` or `err`, and the text (R15).
    pub printed: Vec<(&'static str, Expr)>,
    /// What it warns (R15).
    pub warns: Option<Raises>,
    /// The name of the result.
    pub result: String,
    /// Imports of all this.
    pub imports: BTreeSet<Import>,
    /// Local names in use.
    pub locals: BTreeSet<String>,
    /// So many private fields are set, as only the class itself should (R11).
    pub by_hand: usize,
    /// A number for each way from line to line that the call took and each fault it notices, where that is known.
    pub reached: BTreeSet<u32>,
    /// A number for each thing that its arguments show a reader; filled in for choosing.
    pub shows: BTreeSet<u32>,
    /// The kind of outcome, for choosing: `int>0`, `raises ValueError`.
    pub class: String,
    /// The recorded outcome.
    pub outcome: Outcome,
    /// What the assertions look at, by its name: the result and what the call changed.
    pub seen: Vec<(String, Value)>,
    /// The order of a dict is a part of what the function gives.
    pub ordered: bool,
    /// The arguments and the receiver as one expression, and what it has to be (R1).
    pub check: (String, Value),
}

impl Case {
    /// Writes the act with these items in place of the arguments.
    ///
    /// # Errors
    /// Fails with the reason when the function is not called by people.
    pub fn act(&self, function: &Function, items: Vec<Vec<Item>>) -> Result<Act, Reason> {
        let args = self.args.iter().zip(items).map(|(arg, items)| (arg.recorded.kind, arg.recorded.given, items)).collect();
        let names = self.args.iter().map(|arg| arg.recorded.name.as_str());
        act::act(function, &self.target, act::assemble(&function.params, names, args))
    }

    /// Gives the length of its source, for choosing the shortest.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.weight_of_setup() + self.assertions.iter().map(|assertion| assertion.expected.flat().len()).sum::<usize>()
    }

    /// Gives the length of what stands before the assertions.
    pub(super) fn weight_of_setup(&self) -> usize {
        let setup: usize = self.setup.iter().map(|statement| statement.prefix.len() + statement.value.flat().len()).sum();
        let args: usize = self.args.iter().flat_map(|arg| &arg.items).map(|item| item.value.flat().len()).sum();
        setup + args
    }

    /// Gives the imports of the evaluation that checks the arguments: what stands beside a test is not there yet.
    #[must_use]
    pub fn import_lines(&self) -> Vec<String> {
        self.imports.iter().filter(|import| !graph::is_beside(import)).map(Import::statement).collect()
    }
}
