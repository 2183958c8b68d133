//! `pytead-tui config show`: the settings in force and where each comes from.

use crate::base::error::Trouble;
use crate::cli::args::{Config, ConfigAction, Global};
use crate::cli::exit::{OK, WRONG};
use crate::cli::output::Output;
use crate::cli::start::{root_of, settings, trust_of};

/// Prints the settings.
pub fn config(global: &Global, args: &Config) -> Result<u8, Trouble> {
    let ConfigAction::Show { origin } = args.action;
    let mut out = Output::stdout(global.format);
    let root = root_of(global, None)?;
    let loaded = settings(global, &root, trust_of(global, &root)?)?;
    out.result("settings", &loaded.settings);
    for trouble in loaded.warnings.iter().chain(&loaded.mistakes) {
        out.trouble(trouble);
    }
    for shown in &loaded.origins {
        let from = shown.origin.to_string();
        out.result("setting", &serde_json::json!({ "name": shown.name, "value": shown.value, "origin": from }));
        out.say(if origin {
            format!("{} = {}  # {from}", shown.name, shown.value)
        } else {
            format!("{} = {}", shown.name, shown.value)
        });
    }
    Ok(if loaded.mistakes.is_empty() { OK } else { WRONG })
}
