//! Bringing models to this machine as a job of the workbench: asked about where they are large, cancelled, gone on with.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths;
use crate::domain::event::{JobKind, Level};
use crate::domain::job_subject::JobSubject;
use crate::domain::question::About;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::questions;
use crate::llm::demo;
use crate::llm::hub::download::{Hub, LARGE};
use crate::llm::hub::{self, Cache, Wanted};

/// Gets a model by its name, or the usual one.
///
/// # Errors
/// Fails with a sentence when it cannot be got, and where it is large and nobody can be asked.
pub async fn get(core: &Arc<Core>, model: Option<&str>) -> Result<Done, Trouble> {
    let variable = |name: &str| std::env::var(name).ok();
    if model == Some(demo::NAME) {
        return Err(Trouble::usage("The demo model is a part of this program."));
    }
    let cache = Cache::find(variable)?;
    let named = Wanted::parse(model.unwrap_or(hub::USUAL))?;
    if let Some(path) = cache.file(&named) {
        core.say(Level::Done, "model", format!("{named} is here: {}.", paths::tilde(&path)));
        return Ok(Done::Nothing);
    }
    let source = Hub::find(core.settings().network, variable);
    let job = core.jobs.begin(JobKind::Download, JobSubject::Model(named.to_string()), 0);
    let told = || job.event().into_iter().for_each(|event| core.announce(event));
    told();
    let work = async {
        let (wanted, offer) = source.find_offer(model, &cache).await?;
        job.progress(offer.here, offer.size);
        told();
        let missing = offer.size - offer.here;
        if missing > LARGE {
            let about = About::LargeDownload { model: wanted.to_string(), bytes: missing };
            if !questions::ask(core, about.clone(), None).await? {
                return Err(about.declined());
            }
        }
        let path = source
            .get(&wanted, &offer, &cache, |progress| {
                job.progress(progress.done, progress.size);
                #[allow(clippy::cast_precision_loss)] // a rate for people
                job.rate(progress.done, Some(progress.rate as f64));
                told();
            })
            .await?;
        Ok((wanted, path))
    };
    let got = job.unless_cancelled(work).await;
    match got {
        Some(Ok((wanted, path))) => {
            job.end(true);
            let said = format!("{wanted} is here: {}. pytead-tui model use chooses it.", paths::tilde(&path));
            core.say(Level::Done, "model", said);
            Ok(Done::Nothing)
        }
        Some(Err(trouble)) => {
            job.end(false);
            Err(trouble)
        }
        None => {
            job.end(false);
            core.say(Level::Info, "cancelled", "The download stopped. What is here is kept: get it again, and it goes on.");
            Ok(Done::Nothing)
        }
    }
}
