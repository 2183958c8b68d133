//! `pytead-tui index`: the project as it is read; nothing is run, so it needs no trust.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Index};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::engine;

/// Prints counts, or the functions asked for.
pub async fn index(global: &Global, args: Index) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = engine(global, &mut out).await?;
    let snapshot = handle.refreshed().await;
    for wanted in &args.functions {
        for id in handle.find(wanted)? {
            let Some(function) = handle.function(&id) else { continue };
            out.result("function", &function);
            out.say(format!("{}  {}:{}-{}", function.id, function.path, function.span.first, function.span.last));
            if let Some(first) = function.docstring.as_deref().and_then(|doc| doc.lines().next()) {
                out.say(format!("    {first}"));
            }
        }
    }
    if args.functions.is_empty() {
        out.result("files", &snapshot.files);
        out.result("functions", &snapshot.functions);
        out.say(format!(
            "{}: {} in {}.",
            snapshot.project,
            text::count(snapshot.functions.len(), "function"),
            text::count(snapshot.files.len(), "file")
        ));
        for file in snapshot.files.iter() {
            if let Some(error) = file.error {
                let known = if file.functions > 0 { " What is known of it is from before." } else { "" };
                out.say(format!("! {} does not parse: line {}, column {}.{known}", file.path, error.line, error.column));
            }
        }
    }
    handle.close().await;
    Ok(OK)
}
