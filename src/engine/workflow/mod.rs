//! What follows from a job when that is another kind of job: "and then" stands here alone.

pub(crate) mod decided;
pub(crate) mod drafts;
pub(crate) mod record;
pub(crate) mod renew;
