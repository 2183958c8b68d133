//! What a person may throw away of what the project keeps, and what that frees. Decisions and accepted tests are not among it.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::engine::models::draft::KEPT;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::trust::require_trust;
use crate::llm::cassette::Folder;
use crate::store::Unwanted;

/// What to throw away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clean {
    /// Recordings that nothing rests on.
    pub recordings: bool,
    /// Drafts nobody decided on, and the answers of models that are kept so that these are not asked twice.
    pub drafts: bool,
    /// Only what is older than this.
    pub older_than: Option<Duration>,
    /// Only find out.
    pub dry_run: bool,
}

/// What was thrown away, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Recordings.
    pub recordings: u64,
    /// Their calls.
    pub calls: u64,
    /// Recordings that stay, because drafts, changes or decisions rest on them.
    pub kept_recordings: u64,
    /// Drafts.
    pub drafts: u64,
    /// Drafts that stay, because a decision on them was taken back and may be made again.
    pub kept_drafts: u64,
    /// Kept answers of models; recorded ones, which are committed, are none of these.
    pub answers: u64,
    /// Their bytes.
    pub answer_bytes: u64,
    /// Bytes of the database.
    pub bytes: u64,
    /// Nothing was removed yet.
    pub dry_run: bool,
}

/// Throws away, or finds out what that would be.
pub async fn clean(core: &Arc<Core>, clean: Clean) -> Result<Cleaned, Trouble> {
    require_trust(&core.root, core.trust())?;
    let Clean { recordings, drafts, older_than, dry_run } = clean;
    let before = older_than.map(|age| Moment(clock::now().0.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))));
    let worker = core.clone();
    let cleaned = blocking(move || worker.store().clean(Unwanted { recordings, drafts, before }, !dry_run)).await??;
    let kept = RelPath::new(KEPT).filter(|_| drafts).map(|below| Folder::new(&core.root, below));
    let (answers, answer_bytes) = match kept {
        Some(folder) => blocking(move || folder.clean(older_than, dry_run)).await?,
        None => (0, 0),
    };
    if !dry_run {
        core.reload_recorded()?;
    }
    Ok(Cleaned {
        recordings: cleaned.recordings,
        calls: cleaned.calls,
        kept_recordings: cleaned.kept,
        drafts: cleaned.drafts,
        kept_drafts: cleaned.kept_drafts,
        answers,
        answer_bytes,
        bytes: cleaned.bytes,
        dry_run,
    })
}
