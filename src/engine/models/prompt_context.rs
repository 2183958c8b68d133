//! What a model is told about a function: its text or its promise, what it needs, and what was recorded of it.

use std::collections::BTreeMap;

use crate::base::error::Trouble;
use crate::base::text::display_line;
use crate::domain::function::{Function, FunctionKind};
use crate::domain::settings::Dependencies;
use crate::domain::value::{TypeName, Value};
use crate::engine::calls;
use crate::engine::calls::views;
use crate::engine::checks::secrets::{self, Places};
use crate::engine::python::environment::Packages;
use crate::engine::state::core::Core;
use crate::generate::demo;
use crate::llm::choose;
use crate::llm::prompt::{self, Earlier, Prompt, Question};
use crate::llm::provider::Form;
use crate::llm::trained::{self, Template};
use crate::source::needs::{self, Needs};

/// Recorded calls shown to a model.
const CALLS_SHOWN: usize = 12;
/// Recorded calls looked at for the types of parameters.
const CALLS_READ: usize = 8;
/// Largest template of a person's own, in bytes.
const TEMPLATE_MAX: u64 = 64 << 10;

/// Writes what a model of this name is asked for tests of a function, and what its answer has to look like.
///
/// # Errors
/// Fails when the function's file or the person's template cannot be read, and when the demo model knows nothing of it.
pub fn question(
    core: &Core,
    function: &Function,
    model: &str,
    earlier: Option<Earlier<'_>>,
    remark: Option<&str>,
) -> Result<(Prompt, Form), Trouble> {
    if choose::is_demo(&core.settings()) {
        of_demo(core, function)
    } else {
        Ok((prompt(core, function, model, earlier, remark)?, Form::Text))
    }
}

/// Tells whether a model of this name is told what a function needs of others: one that reads the function itself is not.
pub fn says_needs(core: &Core, model: &str) -> bool {
    let settings = core.settings();
    let settings = &settings.prompt;
    let reads_source = settings.source && Template::find(&settings.template, model, read) == Ok(Template::General);
    settings.dependencies != Dependencies::Off && !reads_source && !choose::is_demo(&core.settings())
}

/// Writes what the demo model is asked.
fn of_demo(core: &Core, function: &Function) -> Result<(Prompt, Form), Trouble> {
    let calls = calls::read::confirmed_calls(core, &function.id)?;
    demo::question(function, calls.iter().map(|(call, effect)| (call, effect))).ok_or_else(|| {
        Trouble::usage(format!("The demo model has nothing to say of {}.", function.id))
            .because("It only arranges recorded calls of plain functions, whose arguments and results are numbers, texts and the like.")
            .so("Record a program that calls it, try another function, or choose a model: pytead-tui model.")
    })
}

/// Writes what a model of this name is asked for tests of a function, in words of our own or the person's.
///
/// # Errors
/// Fails when the function's file or the person's template cannot be read.
pub fn prompt(
    core: &Core,
    function: &Function,
    model: &str,
    earlier: Option<Earlier<'_>>,
    remark: Option<&str>,
) -> Result<Prompt, Trouble> {
    let settings = core.settings();
    let settings = &settings.prompt;
    let template = Template::find(&settings.template, model, read).map_err(|why| {
        Trouble::usage(format!("prompt.template cannot be used: {}.", display_line(&why)))
            .so("Name general, trained, or a file with {code} in it.")
    })?;
    let index = core.index();
    let text = index.text(&function.path).ok_or_else(|| Trouble::environment(format!("{} cannot be read.", function.path)))?;
    let lines = |first: u32, last: u32| {
        let take = last.saturating_sub(first) as usize + 1;
        text.lines().skip(first.saturating_sub(1) as usize).take(take).collect::<Vec<_>>().join("\n")
    };
    let with_source = template == Template::General && settings.source;
    let source = with_source.then(|| lines(function.span.first, function.span.last));
    let module = index.module(&function.path);
    let class =
        function.id.qualname().rsplit_once('.').filter(|_| with_source && function.kind != FunctionKind::Nested).and_then(
            |(owner, _)| {
                let module = module?;
                let class = module.classes.iter().find(|class| class.qualname == owner)?;
                let init = format!("{owner}.__init__");
                let body = module.functions.iter().filter(|other| other.id.qualname() == init);
                let first = module.functions.iter().map(|f| f.span.first).filter(|line| *line > class.span.def).min();
                let head_end = first.map_or(class.span.last, |line| line.saturating_sub(1)).min(class.span.last);
                let mut parts = vec![lines(class.span.first, head_end)];
                parts.extend(body.map(|init| lines(init.span.first, init.span.last)));
                Some(parts.join("\n"))
            },
        );
    let imports: Vec<String> = module
        .map(|module| module.imports.iter().map(|import| lines(import.line, import.line).trim().to_owned()).collect())
        .unwrap_or_default();
    let calls: Vec<String> = views::calls(core, &function.id)?
        .iter()
        .take(CALLS_SHOWN)
        .map(|call| {
            let receiver = call.receiver.as_deref().map_or(String::new(), |receiver| format!("{receiver}."));
            format!("{receiver}{}{} {}", function.name(), call.arguments, call.outcome)
        })
        .collect();
    let needs = needs(core, function)?.said;
    // What was recorded lost its secrets then; code loses here what only its place tells.
    let mut redactor = secrets::of_project(&core.root);
    let places = Places::new(&index);
    let shown = secrets::without_defaults(function, &mut redactor);
    let mut safe = |code: &str| places.without_given(code, &mut redactor);
    let (source, class) = (source.as_deref().map(&mut safe), class.as_deref().map(&mut safe));
    let needs: Vec<String> = needs.iter().map(|need| safe(need)).collect();
    let earlier = earlier.map(|earlier| (safe(earlier.text), safe(earlier.failure)));
    let question = Question {
        function: &shown,
        source: source.as_deref(),
        needs: &needs,
        placement: settings.dependencies,
        class: class.as_deref(),
        imports: &imports,
        calls: &calls,
        earlier: earlier.as_ref().map(|(text, failure)| Earlier { text, failure }),
        remark,
    };
    Ok(prompt::draft(&question, &template, &mut redactor))
}

/// Writes a function without its body, as models were trained to read it.
///
/// # Errors
/// Fails when the database cannot be read.
pub fn promise(core: &Core, function: &Function) -> Result<String, Trouble> {
    let needs = needs(core, function)?.said;
    Ok(trained::code(function, &needs, Dependencies::Trained))
}

/// Finds what a function needs of others, by the index and by what is known of installed packages.
///
/// # Errors
/// Fails when the database cannot be read.
pub fn needs(core: &Core, function: &Function) -> Result<Needs, Trouble> {
    let installed = core.part::<Packages>().0.read().clone();
    Ok(needs::needs(&core.index(), &installed, function, &types(core, function)?))
}

/// Gives the types of the objects that were recorded for each parameter.
fn types(core: &Core, function: &Function) -> Result<BTreeMap<String, TypeName>, Trouble> {
    let mut types = BTreeMap::new();
    for stored in core.store().calls_of(&function.id, CALLS_READ)? {
        for argument in calls::read::decode(stored).args {
            if let Some(ty) = class_of(&argument.value) {
                types.entry(argument.name).or_insert(ty);
            }
        }
    }
    Ok(types)
}

fn class_of(value: &Value) -> Option<TypeName> {
    match value {
        Value::Object { ty, .. }
        | Value::Sub { ty, .. }
        | Value::Enum { ty, .. }
        | Value::NamedTuple { ty, .. }
        | Value::New { ty, .. }
        | Value::Exception { ty, .. } => Some(ty.clone()),
        _ => None,
    }
}

/// Reads a template of the person's own.
fn read(path: &str) -> Result<String, String> {
    let full = match path.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => path.into(),
    };
    let size = std::fs::metadata(&full).map_err(|error| format!("{path}: {error}"))?.len();
    if size > TEMPLATE_MAX {
        return Err(format!("{path} is larger than {} KiB", TEMPLATE_MAX >> 10));
    }
    std::fs::read_to_string(&full).map_err(|error| format!("{path}: {error}"))
}
