//! Recorded calls → examples for a docstring: few, short and explaining, laid out in the docstring's own style.
//!
//! What an example prints is found out by running it, and the docstring with it is run again by doctest before anybody sees
//! it; both are the engine's. Says nothing about a function without a docstring, and adds nothing where examples are.

use crate::domain::function::{Function, FunctionKind};
use crate::generate::act::Act;
use crate::generate::case::{Case, Ending};
use crate::generate::expect::{RESULT, Relation};
use crate::generate::layout::Expr;
use crate::generate::render::parts::wrapped;
use crate::generate::scope::Import;
use crate::generate::statement::Statement;
use crate::generate::surroundings::Laid;
use crate::source::docstring::Docstring;

/// More examples of a function explain nothing more.
const EXAMPLES_MAX: usize = 3;
/// Calls that are tried for them.
const TRIED_MAX: usize = 9;
/// Longer examples are read by nobody: lines of code, and lines they print.
const LINES_MAX: usize = 6;
const PRINTED_MAX: usize = 5;
/// Columns of a line with its indentation.
const WIDTH: usize = 88;

/// A recorded call as an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Statements to import what it needs.
    pub imports: Vec<String>,
    /// Its own statements, each whole, in order.
    pub statements: Vec<String>,
    /// The exception it ends with, by its bare name.
    pub raises: Option<String>,
    /// The kind of its outcome.
    class: String,
}

/// What an example did when it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// What each statement printed, imports first.
    pub printed: Vec<String>,
    /// The exception's bare name, and its last line.
    pub raised: Option<(String, String)>,
}

/// Says why a function gets no examples, whatever was recorded.
#[must_use]
pub fn refused(function: &Function) -> Option<&'static str> {
    let name = function.name();
    if function.docstring.is_none() {
        return Some("it has no docstring");
    }
    if function.docstring.as_deref().is_some_and(has_examples) {
        return Some("it has examples already");
    }
    if name.starts_with('_') || function.kind == FunctionKind::Nested || function.id.qualname().contains('#') {
        return Some("it is not called by readers of its documentation");
    }
    None
}

/// Tells whether a docstring shows examples of any kind.
fn has_examples(text: &str) -> bool {
    text.contains(">>>") || text.lines().any(|line| matches!(line.trim().trim_end_matches(':'), "Example" | "Examples"))
}

/// Turns cases into examples worth trying: the shortest of each kind of outcome first, those that give something before
/// those that give nothing.
#[must_use]
pub fn candidates(function: &Function, cases: Vec<Case>) -> Vec<Example> {
    let gives_nothing = |class: &str| class.ends_with(" empty") || class.ends_with(" None") || class.contains("nothing");
    let mut all: Vec<_> = cases.iter().filter_map(|case| Some((case, example(case, function)?))).collect();
    all.sort_by_key(|(case, example)| {
        let length: usize = example.statements.iter().map(String::len).sum();
        (!case.direct, gives_nothing(&example.class), length, case.call)
    });
    let mut out: Vec<Example> = Vec::new();
    let mut later = Vec::new();
    for (_, example) in all {
        if out.iter().chain(&later).any(|known: &Example| known.statements == example.statements) {
            continue;
        }
        if out.iter().any(|known| known.class == example.class) { later.push(example) } else { out.push(example) }
    }
    out.extend(later);
    out.truncate(TRIED_MAX);
    out
}

fn example(case: &Case, function: &Function) -> Option<Example> {
    let act = case.act(function, case.args.iter().map(|arg| arg.items.clone()).collect()).ok()?;
    let Act::Value(call) = act else { return None };
    let around = case.laid != Laid::default() || case.setup.iter().any(Statement::raises);
    if around || case.warns.is_some() || case.printed.iter().any(|(stream, _)| *stream == "err") {
        return None;
    }
    let mut statements: Vec<String> = Vec::new();
    for statement in &case.setup {
        statements.push(statement.lines(0).join("\n"));
    }
    let value = match case.wrap {
        wrap if wrap.is_statement() => return None,
        wrap => wrapped(&call, wrap),
    };
    statements.push(lines(&value));
    let raises = match &case.ending {
        // A message that differs from run to run explains nothing.
        Ending::Raises(raised) => Some(raised.message.as_ref().and_then(|_| raised.class.rsplit('.').next())?.to_owned()),
        Ending::RaisesAfter(..) => return None,
        Ending::Returns => None,
    };
    let of_result = |subject: &str| subject.contains(RESULT);
    if raises.is_none() && !case.assertions.iter().any(|assertion| of_result(&assertion.subject)) && case.printed.is_empty() {
        // Nothing comes back: what it changed is what it does.
        let changed: Vec<String> = case
            .assertions
            .iter()
            .filter(|assertion| matches!(assertion.relation, Relation::Equal | Relation::Is))
            .map(|assertion| assertion.asked.as_ref().map_or_else(|| assertion.subject.clone(), |asked| asked.call.flat()))
            .collect();
        if changed.is_empty() {
            return None;
        }
        statements.extend(changed.into_iter().take(2));
    }
    let own = function.id.module();
    let text = statements.join("\n");
    let needed = |import: &&Import| {
        let is_own = matches!(import, Import::From { module, .. } if module == own);
        !is_own && crate::generate::trim::has_word(&text, import.bound())
    };
    let imports = case.imports.iter().filter(needed).map(Import::statement).collect();
    Some(Example { imports, statements, raises, class: case.class.clone() })
}

fn lines(value: &Expr) -> String {
    value.lines(0, "", "").join("\n")
}

/// Chooses among examples that were run, and writes them as doctest reads them; nothing where none explains.
#[must_use]
pub fn block(tried: &[(Example, Shown)], indent: usize, root: &str) -> Vec<String> {
    let honest: Vec<&(Example, Shown)> = tried.iter().filter(|(example, shown)| explains(example, shown, indent, root)).collect();
    let (raising, plain): (Vec<_>, Vec<_>) = honest.into_iter().partition(|(example, _)| example.raises.is_some());
    if plain.is_empty() {
        return Vec::new();
    }
    // One that raises tells where the others end.
    let room = EXAMPLES_MAX - raising.len().min(1);
    let mut imported: Vec<&String> = Vec::new();
    let mut out: Vec<String> = Vec::new();
    let mut spaced = false;
    for (example, shown) in plain.into_iter().take(room).chain(raising.into_iter().take(1)) {
        let long = example.statements.len() > 1 || !example.imports.is_empty();
        if !out.is_empty() && (long || spaced) {
            out.push(String::new());
        }
        spaced = long;
        for (at, statement) in example.imports.iter().chain(&example.statements).enumerate() {
            if example.imports.contains(statement) {
                if imported.contains(&statement) {
                    continue;
                }
                imported.push(statement);
            }
            for (line, text) in statement.lines().enumerate() {
                out.push(format!("{} {text}", if line == 0 { ">>>" } else { "..." }));
            }
            out.extend(shown.printed.get(at).into_iter().flat_map(|printed| printed.lines()).map(str::to_owned));
        }
        if let Some((_, last)) = &shown.raised {
            out.extend(["Traceback (most recent call last):".to_owned(), "    ...".to_owned(), last.trim_end().to_owned()]);
        }
    }
    out
}

/// Tells whether an example is short, ends as its call did, and says the same on every machine.
fn explains(example: &Example, shown: &Shown, indent: usize, root: &str) -> bool {
    if shown.raised.as_ref().map(|(name, _)| name.rsplit('.').next().unwrap_or(name)) != example.raises.as_deref() {
        return false;
    }
    let printed: String = shown.printed.concat();
    let last = shown.raised.as_ref().map_or("", |(_, text)| text.trim_end());
    let code: usize = example.statements.iter().map(|statement| statement.lines().count()).sum();
    let fits = |line: &str, more: usize| crate::base::text::width(line) + indent + more <= WIDTH;
    let says_something = shown.raised.is_some() || !printed.trim().is_empty();
    let is_plain = |text: &str| {
        let unlike = |c: char| c.is_control() && c != '\n' || c == '\u{feff}';
        !text.contains(" at 0x") && !text.contains("\"\"\"") && !text.contains("'''") && !text.contains(unlike)
    };
    says_something
        && code <= LINES_MAX
        && printed.lines().count() <= PRINTED_MAX
        // A blank line, or what looks like a prompt, would mean something else in a docstring.
        && printed.lines().all(|line| !line.trim().is_empty() && !line.starts_with(">>>") && !line.starts_with("...") && fits(line, 0))
        && !last.contains('\n')
        && fits(last, 0)
        && example.imports.iter().chain(&example.statements).flat_map(|statement| statement.lines()).all(|line| fits(line, 4))
        && is_plain(&printed)
        && is_plain(last)
        && is_plain(&example.statements.concat())
        && !crate::generate::surroundings::is_private_path(&printed, root)
        && !has_long_fraction(&printed)
}

/// Tells whether a number is printed with the noise of its last digits.
fn has_long_fraction(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .any(|number| number.split_once('.').is_some_and(|(_, digits)| digits.len() > 10))
}

/// How a docstring is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Sections with a name and a colon.
    Google,
    /// Sections with a line below their name.
    Numpy,
    /// Fields such as `:param x:`, the first of them on this line.
    Rest(usize),
    /// None of these.
    Plain,
}

/// Names of sections that Google's style knows.
const SECTIONS: &[&str] = &[
    "Args:",
    "Arguments:",
    "Attributes:",
    "Keyword Args:",
    "Note:",
    "Notes:",
    "Other Parameters:",
    "Parameters:",
    "Raises:",
    "Return:",
    "Returns:",
    "Todo:",
    "Warning:",
    "Warnings:",
    "Warns:",
    "Yield:",
    "Yields:",
];

fn style(lines: &[&str]) -> Style {
    let is_rule = |line: &str| line.trim().len() >= 3 && line.trim().chars().all(|c| c == '-');
    if lines.windows(2).any(|pair| !pair[0].trim().is_empty() && is_rule(pair[1])) {
        return Style::Numpy;
    }
    if lines.iter().any(|line| SECTIONS.contains(&line.trim())) {
        return Style::Google;
    }
    let is_field = |line: &&str| {
        let field = line.trim().strip_prefix(':').and_then(|rest| rest.split_once(':')).map(|(field, _)| field);
        let word = field.and_then(|field| field.split_whitespace().next());
        word.is_some_and(|word| {
            matches!(
                word,
                "param" | "parameter" | "arg" | "type" | "returns" | "return" | "rtype" | "raises" | "raise" | "yields"
            )
        })
    };
    lines.iter().position(is_field).map_or(Style::Plain, Style::Rest)
}

/// Gives the docstring's literal with the block in it; `None` where it cannot be put in without changing what is there.
#[must_use]
pub fn put(text: &str, docstring: &Docstring, block: &[String]) -> Option<String> {
    let content = text.get(docstring.content.clone())?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let quotes = if docstring.quotes.len() == 3 { docstring.quotes.clone() } else { "\"\"\"".to_owned() };
    let raw = docstring.prefix.contains(['r', 'R']);
    // A backslash at the end of a line joins it with what would be put behind it.
    if content.trim_end().ends_with('\\') || docstring.quotes.len() != 3 && content.contains("\"\"\"") {
        return None;
    }
    let lines: Vec<&str> = content.lines().collect();
    let style = style(&lines);
    let indent = docstring.indent.as_str();
    let inside = if style == Style::Google { format!("{indent}    ") } else { indent.to_owned() };
    let mut added: Vec<String> = match style {
        Style::Google => vec![format!("{indent}Examples:")],
        Style::Numpy => vec![format!("{indent}Examples"), format!("{indent}--------")],
        Style::Rest(_) | Style::Plain => Vec::new(),
    };
    for line in block {
        let line = if raw { line.clone() } else { line.replace('\\', "\\\\") };
        added.push(if line.is_empty() { line } else { format!("{inside}{line}") });
    }
    let added = added.join(newline);
    let (head, tail) = match style {
        Style::Rest(at) => {
            let start: usize = content.split_inclusive('\n').take(at).map(str::len).sum();
            (content.get(..start)?.trim_end(), content.get(start..)?.trim_end())
        }
        _ => (content.trim_end(), ""),
    };
    if head.trim().is_empty() {
        return None;
    }
    let tail = if tail.is_empty() { String::new() } else { format!("{newline}{newline}{tail}") };
    Some(format!("{}{quotes}{head}{newline}{newline}{added}{tail}{newline}{indent}{quotes}", docstring.prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::docstring::docstring;

    fn with_block(doc: &str) -> String {
        let text = format!("def f(x):\n    {doc}\n    return x\n");
        let found = docstring(&text, 1).unwrap();
        let block = [">>> f('a\\n')".to_owned(), "'a\\n'".to_owned()];
        put(&text, &found, &block).unwrap_or_else(|| "nothing".into())
    }

    #[test]
    fn each_style_has_its_own_place_for_examples() {
        for (doc, wanted) in [
            ("\"\"\"Adds.\"\"\"", "\"\"\"Adds.\n\n    >>> f('a\\\\n')\n    'a\\\\n'\n    \"\"\""),
            ("'Adds.'", "\"\"\"Adds.\n\n    >>> f('a\\\\n')\n    'a\\\\n'\n    \"\"\""),
            ("r\"\"\"Adds.\n    \"\"\"", "r\"\"\"Adds.\n\n    >>> f('a\\n')\n    'a\\n'\n    \"\"\""),
            (
                "\"\"\"Adds.\n\n    Args:\n        x: it.\n    \"\"\"",
                "\"\"\"Adds.\n\n    Args:\n        x: it.\n\n    Examples:\n        >>> f('a\\\\n')\n        'a\\\\n'\n    \"\"\"",
            ),
            (
                "'''Adds.\n\n    Parameters\n    ----------\n    x : int\n    '''",
                "'''Adds.\n\n    Parameters\n    ----------\n    x : int\n\n    Examples\n    --------\n    >>> f('a\\\\n')\n    'a\\\\n'\n    '''",
            ),
            (
                "\"\"\"Adds.\n\n    More.\n\n    :param x: it\n    :returns: it\n    \"\"\"",
                "\"\"\"Adds.\n\n    More.\n\n    >>> f('a\\\\n')\n    'a\\\\n'\n\n    :param x: it\n    :returns: it\n    \"\"\"",
            ),
        ] {
            assert_eq!(with_block(doc), wanted);
        }
    }

    #[test]
    fn what_cannot_be_added_to_is_left_alone() {
        for doc in ["\"\"\":param x: it\"\"\"", "\"\"\"\"\"\"", "'a\\\"\\\"\\\" \"\"\"'", "\"\"\"Adds. \\\n    \"\"\""] {
            assert_eq!(with_block(doc), "nothing", "{doc}");
        }
        assert!(has_examples("Adds.\n\nExample:\n    f(1)") && has_examples(">>> f()") && !has_examples("An example of x."));
    }

    fn tried(statements: &[&str], printed: &[&str], raised: Option<(&str, &str)>) -> (Example, Shown) {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let raises = raised.map(|(name, _)| name.to_owned());
        let raised = raised.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let example = Example { imports: Vec::new(), statements: owned(statements), raises, class: String::new() };
        (example, Shown { printed: owned(printed), raised })
    }

    #[test]
    fn three_are_shown_and_one_that_raises_comes_last() {
        let all = [
            tried(&["f(9)"], &[""], Some(("ValueError", "ValueError: too large\n"))),
            tried(&["f(1)"], &["1\n"], None),
            tried(&["f(2)"], &["2\n"], None),
            tried(&["f(3)"], &["3\n"], None),
        ];
        let text = block(&all, 4, "").join("\n");
        assert_eq!(
            text,
            ">>> f(1)\n1\n>>> f(2)\n2\n>>> f(9)\nTraceback (most recent call last):\n    ...\nValueError: too large"
        );
        assert!(block(&all[..1], 4, "").is_empty(), "an exception alone explains nothing");
    }

    #[test]
    fn what_says_nothing_or_says_it_otherwise_elsewhere_is_no_example() {
        let long = "x".repeat(90);
        for (statements, printed) in [
            (&["f()"][..], &[""][..]),
            (&["f()"], &["<K object at 0x7f>\n"]),
            (&["f()"], &["a\n\nb\n"]),
            (&["f()"], &["0.30000000000000004\n"]),
            (&["f()"], &["1\n2\n3\n4\n5\n6\n"]),
            (&["f()"], &[&long]),
            (&["a\nb\nc\nd\ne\nf\ng"], &["1\n"]),
        ] {
            assert!(block(&[tried(statements, printed, None)], 4, "").is_empty(), "{statements:?} {printed:?}");
        }
        let mut other = tried(&["f()"], &[""], Some(("KeyError", "KeyError: 1")));
        other.0.raises = None;
        assert!(block(&[other], 4, "").is_empty(), "it ended otherwise than its call");
    }
}
