//! Every message in other words, for tests that prove that nothing is decided by the words.

use std::cell::Cell;

use super::Reason;

thread_local! {
    static IS_OTHER: Cell<bool> = const { Cell::new(false) };
}

/// Runs something while every message of this thread is worded anew.
pub fn reworded<T>(run: impl FnOnce() -> T) -> T {
    IS_OTHER.set(true);
    let done = run();
    IS_OTHER.set(false);
    done
}

/// Gives the other words for a reason, while there are some: in another order, and without one of the usual ones.
pub(super) fn other(reason: &Reason) -> Option<String> {
    IS_OTHER.get().then(|| {
        let code: String = reason.code.code().chars().rev().collect();
        format!("«{code}» {:?} {:?} {:?}", reason.detail, reason.name, reason.place)
    })
}
