//! The model that the settings choose.

use std::path::Path;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::compat::semantic;
use crate::domain::question::Consent;
use crate::domain::settings::{Ask, Settings};
use crate::llm::choose;
use crate::llm::provider::Provider;

/// The variable of tests that run because of a save, where that asks no model.
pub const AFTER_SAVE: &str = "PYTEAD_AFTER_SAVE";

/// Says why no model is asked, and what to do: what goes on after "and", and what after "to let a model decide:".
#[must_use]
pub fn unasked(settings: &Settings, root: &Path) -> (&'static str, &'static str) {
    let is_after_save = std::env::var_os(AFTER_SAVE).is_some();
    if is_after_save && settings.model.provider.is_some() {
        return (
            "a save asks none.",
            "t in the workbench asks it, and so does each save with watch.judge: model in your settings.",
        );
    }
    if settings.judge.ask == Ask::Off && !is_after_save {
        return ("judge.ask is off in your settings.", "set judge.ask to on in your settings.");
    }
    // A trusted folder's would have been chosen.
    if settings.model.provider.is_none() && semantic::file(root).get("SEMANTIC_MODEL").is_some_and(|model| !model.is_empty()) {
        return (
            "the one that .env names counts in a trusted folder only: pytead-tui trust.",
            "the one that .env names counts once you trust the folder: pytead-tui trust.",
        );
    }
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_named = |name: &str| is_set(name) || semantic::file(root).contains_key(name);
    if settings.model.provider.is_none() && is_named("SEMANTIC_BASE_URL") {
        return (
            "SEMANTIC_BASE_URL chooses none by itself: SEMANTIC_MODEL names the model.",
            "put its name into SEMANTIC_MODEL: SEMANTIC_BASE_URL chooses none by itself.",
        );
    }
    if settings.model.provider.is_none() && is_named("SEMANTIC_PROVIDER") {
        return (
            "SEMANTIC_PROVIDER chooses none by itself: SEMANTIC_MODEL names the model.",
            "put its name into SEMANTIC_MODEL: SEMANTIC_PROVIDER chooses none by itself.",
        );
    }
    (
        "none is chosen: see pytead-tui model, or name a server in model.provider. llm-pytest asked Claude Code: pytead-tui model use \
         claude_code.",
        "pytead-tui model lists those of this machine, and model.provider in your settings names a server.",
    )
}

/// Gives the provider that the settings choose; it sends to another machine only where `consent` names that.
///
/// # Errors
/// As [`choose::choose`].
pub fn provider(settings: &Settings, root: &Path, consent: &Consent) -> Result<Arc<dyn Provider>, Trouble> {
    let variable = |name: &str| match name.strip_prefix(semantic::FROM_FILE) {
        // Named only where the folder is trusted, and for the host it was given with.
        Some(name) => semantic::file(root).remove(name),
        None => std::env::var(name).ok(),
    };
    choose::choose(settings, root, |host| consent.send_to.contains(host), variable)
}
