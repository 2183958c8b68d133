//! `pytead-tui types`: type stubs from recorded calls, printed or written into a folder.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{self, Global};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::engine;
use crate::engine::drafting::type_stubs::{HEADER, Stub};

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
    handle.close().await;
    if stubs.is_empty() {
        out.say("No calls to take types from: record some first, as in pytead-tui run pytest -q.");
    }
    for stub in &stubs {
        out.result("stub", stub);
        match &args.dir {
            Some(folder) => {
                let path = folder.join(stub.path.as_str());
                write(&path, stub)?;
                if stub.functions > 0 {
                    let functions = text::count(stub.functions, "function");
                    out.say(format!("{}: types of {functions}", path.display()));
                }
            }
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

/// Writes a stub; only one of ours is written over.
fn write(path: &Path, stub: &Stub) -> Result<(), Trouble> {
    let name = text::display_line(&path.display().to_string()).into_owned();
    let fail = |error: std::io::Error| Trouble::environment(format!("{name} was not written.")).because(format!("{error}."));
    match std::fs::read_to_string(path) {
        Ok(text) if !text.starts_with(HEADER) => {
            return Err(Trouble::usage(format!("{name} was not written."))
                .because("There is a stub already that pytead-tui did not make.")
                .so("Choose another folder with -d, or remove it."));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(fail(error)),
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    std::fs::write(path, &stub.text).map_err(fail)
}
