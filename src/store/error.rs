//! What can go wrong with the database, in words for people.

use rusqlite::ErrorCode;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::proposal::IllegalMove;

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is only read.
    #[error("the database cannot be written: {why}")]
    ReadOnly {
        /// The end of a sentence.
        why: String,
        /// What a person can do about it, a sentence.
        todo: String,
    },
    /// There is no room left.
    #[error("the disk is full")]
    Full,
    /// The file is no longer a sound database.
    #[error("the database is damaged")]
    Damaged,
    /// Another process held the database for too long.
    #[error("another process keeps the database busy")]
    Busy,
    /// The writing thread is gone.
    #[error("the database was closed")]
    Closed,
    /// Its file is not where it was opened: what is written now, nobody would find again.
    #[error("the folder .pytead was deleted, moved or replaced while pytead-tui had it open")]
    Gone,
    /// The system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(String),
    /// What was asked for is not there.
    #[error("there is no {what} {id}")]
    Missing {
        /// `proposal`, `decision`, `call`, `recording`.
        what: &'static str,
        /// Its number.
        id: i64,
    },
    /// A proposal cannot take this step.
    #[error(transparent)]
    Move(#[from] IllegalMove),
    /// Another process took the same step a moment before.
    #[error("another pytead-tui did the same a moment ago")]
    Done,
    /// A stored text is not of the expected form.
    #[error("a stored row cannot be understood: {0}")]
    Form(String),
    /// Anything else SQLite reports.
    #[error("SQLite: {0}")]
    Sqlite(rusqlite::Error),
}

impl StoreError {
    /// Makes the error of a database that cannot be written because of the folder it is in.
    pub(super) fn read_only(why: impl Into<String>) -> Self {
        Self::ReadOnly { why: why.into(), todo: WRITABLE.into() }
    }
}

/// What to do where nothing can be written.
pub(super) const WRITABLE: &str = "Make .pytead a folder you can write, with room on its disk, then start again.";

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        if let rusqlite::Error::FromSqlConversionFailure(_, _, why) = &error {
            return Self::Form(why.to_string());
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::read_only("it is opened for reading only"),
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Sqlite(error),
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        let what = "The project's database could not do this.";
        if matches!(error, StoreError::Done) {
            return Self::usage("Another pytead-tui did the same a moment ago: nothing more was changed.");
        }
        let trouble = match &error {
            StoreError::Missing { .. } | StoreError::Move(_) | StoreError::Closed | StoreError::Sqlite(_) => Self::internal(what),
            _ => Self::environment(what),
        };
        let trouble = trouble.because(format!("{}.", text::capital(&error.to_string())));
        match error {
            StoreError::Full => trouble.so("Make room on the disk, then try again."),
            StoreError::ReadOnly { todo, .. } => trouble.so(todo),
            StoreError::Damaged | StoreError::Form(_) => {
                trouble.so("Start again: a damaged database is set aside and a new one made.")
            }
            StoreError::Gone => trouble.so("Put it back, or start again: nothing is kept from here on."),
            StoreError::Busy => trouble.so("Close the other pytead-tui, or try again."),
            _ => trouble,
        }
    }
}

/// What the store gives, or why not.
pub(super) type Result<T, E = StoreError> = std::result::Result<T, E>;
