//! The thin shell around the library: decides what this process is, and nothing else.

use std::process::ExitCode;

use pytead_tui::contain;

fn main() -> ExitCode {
    let args: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if let Some((first, rest)) = args.split_first()
        && first == contain::ENTRY
    {
        return ExitCode::from(contain::enter(rest));
    }
    ExitCode::SUCCESS
}
