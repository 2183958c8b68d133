//! `pytead-tui doc`: docstring examples from recorded calls, shown as a diff; `--write` puts them into the files.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{self, Global};
use crate::cli::events::interruptible;
use crate::cli::exit::{INTERRUPTED, OK};
use crate::cli::output::Output;
use crate::cli::show;
use crate::cli::start::trusted_engine;

/// Makes examples, shows them, and writes or takes back where asked.
pub async fn doc(global: &Global, args: args::Doc) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    if args.undo {
        for path in handle.undocument()? {
            out.result("taken_back", &path);
            out.say(format!("Taken back: the examples in {path}."));
        }
        handle.close().await;
        return Ok(OK);
    }
    let mut functions = Vec::new();
    for text in &args.targets {
        functions.extend(handle.find(text)?);
    }
    let Some(made) = interruptible(&handle, &mut out, handle.document(functions)).await? else { return Ok(INTERRUPTED) };
    out.result("doc", &made);
    for edit in &made.edits {
        out.say(show::diff(edit));
    }
    if !args.targets.is_empty() || made.edits.is_empty() {
        for (function, why) in &made.left_out {
            out.say(format!("No example for {function}: {why}."));
        }
    }
    let functions = text::count(made.functions.len(), "function");
    if made.edits.is_empty() {
        out.say("Nothing to add.");
    } else if args.write {
        handle.write_examples(&made.edits)?;
        out.say(format!("Wrote the examples of {functions}. pytead-tui doc --undo takes them back."));
    } else {
        out.say(format!("Examples of {functions}, each run by doctest. Nothing was written: doc --write does."));
    }
    handle.close().await;
    Ok(OK)
}
