//! `pytead-tui types`: type stubs from recorded calls, printed or written into a folder.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{self, Global};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::engine;

/// Makes stubs, and prints them or writes them.
pub async fn types(global: &Global, args: args::Types) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = engine(global, &mut out).await?;
    args.former.take_in(&handle, &mut out).await?;
    let mut functions = Vec::new();
    for text in &args.targets {
        functions.extend(handle.find(text)?);
    }
    let stubs = handle.stubs(functions, args.dir.is_some()).await?;
    if let Some(folder) = &args.dir {
        handle.write_stubs(folder, &stubs)?;
    }
    handle.close().await;
    if stubs.is_empty() {
        out.say("No calls to take types from: record some first, as in pytead-tui run pytest -q.");
    }
    for stub in &stubs {
        out.result("stub", stub);
        match &args.dir {
            Some(folder) if stub.functions > 0 => {
                let functions = text::count(stub.functions, "function");
                let path = folder.join(stub.path.as_str());
                out.say(format!("{}: types of {functions}", text::display_line(&path.display().to_string())));
            }
            Some(_) => {}
            None => out.say(format!("# {}\n{}", stub.path, stub.text)),
        }
    }
    let beside = stubs.iter().filter(|stub| stub.functions == 0).count();
    if args.dir.is_some() && beside > 0 {
        let modules = text::count(beside, "more module");
        out.say(format!("And {modules} of their packages without recorded calls: a folder of stubs stands for whole packages."));
    }
    Ok(OK)
}
