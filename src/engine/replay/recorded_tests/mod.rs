//! Calls that cannot be made alone are compared inside the recorded test that made them. The test runs again, contained, on the
//! code it was recorded with and on today's; both runs are made in the same way, and a call of the one is paired with the same
//! call of the other.

mod choose;
pub(crate) mod compare;
pub(crate) mod first_run;
pub(crate) mod needed;
