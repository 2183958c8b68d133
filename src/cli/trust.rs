//! `pytead-tui trust`: whether a folder's code may be run, and what is allowed there besides. Kept outside the project.

use crate::base::error::Trouble;
use crate::base::{paths, text};
use crate::cli::args::{Global, Trust as Args};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::root_of;
use crate::config::places::Places;
use crate::config::project;
use crate::config::trust::TrustList;
use crate::domain::question::Consent;
use crate::domain::snapshot::Trust;

/// Trusts, takes trust back, or lists.
pub fn trust(global: &Global, args: &Args) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let trusted = TrustList::in_folder(&Places::find()?.state);
    if args.list {
        let folders = trusted.list()?;
        out.result("trusted", &folders);
        if folders.is_empty() {
            out.say("No folder is trusted.");
        }
        for entry in &folders {
            let word = if entry.trust == Trust::Trusted { "trusted" } else { "only read" };
            out.say(format!("{word}  {}{}", paths::tilde(&entry.path), besides(&entry.consent)));
        }
        return Ok(OK);
    }
    let hosts = args.send_to.iter().map(|host| host_of(host)).collect::<Result<Vec<_>, _>>()?;
    let root = match &args.folder {
        Some(folder) => project::find_root(&root_of(global, Some(folder.clone()))?),
        None => root_of(global, None)?,
    };
    out.result("trust", &serde_json::json!({ "root": root, "trusted": !args.remove }));
    if args.remove {
        trusted.set(&root, Trust::ReadOnly)?;
        out.say(format!("{} is only read from now on.", paths::tilde(&root)));
    } else {
        trusted.set(&root, Trust::Trusted)?;
        trusted.allow(&root, |consent| {
            if args.allow_weak {
                consent.weak = Some(true);
            }
            consent.send_to.extend(hosts);
        })?;
        let consent = trusted.consent(&root);
        out.say(format!("{} is trusted: its code may be run{}.", paths::tilde(&root), besides(&consent)));
    }
    Ok(OK)
}

/// Reads a host, with its port where it has one, as a question names it.
fn host_of(typed: &str) -> Result<String, Trouble> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || ".-:[]_".contains(sign);
    if typed.is_empty() || !typed.chars().all(fits) {
        return Err(Trouble::usage(format!("{} is no host.", text::display_line(typed)))
            .so("Name it alone, as in api.example.com or gateway.example.com:8443."));
    }
    Ok(typed.to_ascii_lowercase())
}

/// Says what is allowed in a folder besides running its code.
fn besides(consent: &Consent) -> String {
    let weak = match consent.weak {
        Some(true) => ", also where the sandbox is weak",
        Some(false) => ", not where the sandbox is weak",
        None => "",
    };
    let hosts: Vec<&str> = consent.send_to.iter().map(String::as_str).collect();
    let send = if hosts.is_empty() { String::new() } else { format!("; functions may be sent to {}", hosts.join(", ")) };
    format!("{weak}{send}")
}
