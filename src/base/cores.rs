//! Core files: one of this process would hold keys and what was recorded, and would lie in the project's folder. There is none;
//! the programs that a person has recorded leave theirs as they always do.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What this process had when it began.
static BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// Has this process, and those that it starts, leave no core file.
pub fn none() {
    let before = BEFORE.get_or_init(|| getrlimit(Resource::Core));
    // What it is refused for leaves things as they are.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: before.maximum });
}

/// Has a process that was just started leave core files as one would that we did not start. On macOS it goes on leaving none.
pub fn as_before(process: u32) {
    #[cfg(target_os = "linux")]
    if let (Some(before), Some(process)) = (BEFORE.get(), i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw)) {
        let before = Rlimit { current: before.current, maximum: before.maximum };
        // It may have ended already.
        let _ = rustix::process::prlimit(Some(process), Resource::Core, before);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}
