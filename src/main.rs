//! The binary: arguments, logging, dispatch, exit code. Everything else is the library's.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use pytead_tui::base::error::Trouble;
use pytead_tui::base::redact::Redactor;
use pytead_tui::base::{cores, machine};
use pytead_tui::domain::settings;
use pytead_tui::engine::{Handle, Options};
use pytead_tui::{cli, config, contain, mcp, tui};

/// Bytes of a thread's stack. What an agent asks for goes through many steps, whose states lie on the stack of whoever polls them: in a
/// debug build they take most of the usual 2 MiB.
const STACK: usize = 4 << 20;

/// Brings the front ends together, which do not know each other.
struct Terminal;

impl cli::screen::Screen for Terminal {
    fn require_terminal(&self) -> Result<(), Trouble> {
        tui::require_terminal()
    }

    async fn open(&self, handle: Handle, settings: settings::Tui) -> Result<(), Trouble> {
        tui::run(Arc::new(handle), settings).await
    }

    async fn serve(&self, project: impl Fn() -> Result<Options, Trouble> + Send + Sync + 'static) -> Result<(), Trouble> {
        mcp::serve(Arc::new(project)).await
    }

    async fn relay(&self, socket: &Path) -> Result<(), Trouble> {
        mcp::relay::serve(socket).await
    }

    async fn edit(&self, text: &str) -> Result<String, Trouble> {
        tui::editor::edit_text(text, 1).await
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == contain::ENTRY) {
        // Before any thread: this process confines itself and becomes another program.
        return ExitCode::from(contain::enter(&args.collect::<Vec<_>>()));
    }
    cores::none();
    if let Err(trouble) = machine::spare_descriptors() {
        cli::output::complain(&trouble);
        return ExitCode::from(trouble.exit_code());
    }
    std::panic::set_hook(Box::new(|panic| {
        // What broke may have had a program's text in it, or a secret.
        let said = format!("{panic}\n{}", std::backtrace::Backtrace::capture());
        cli::output::note(&Redactor::from_environment().redact(&said).unwrap_or(said));
    }));
    contain::use_running_program();
    #[cfg(debug_assertions)]
    if std::env::var_os("PYTEAD_TEST_OTHER_LETTERS").is_some() {
        pytead_tui::base::wording::use_others();
    }
    let typed = cli::parse();
    let _log = log_to_file();
    let runtime = match tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            cli::output::complain(&Trouble::environment("No threads could be started.").because(error));
            return ExitCode::from(3);
        }
    };
    let code = runtime.block_on(cli::dispatch(typed, &Terminal));
    // Work that nobody waits for any more must not hold the terminal.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    ExitCode::from(code)
}

/// Writes the log to the state folder; never to the terminal. Without a place for it there is no log.
fn log_to_file() -> Option<tracing_appender::non_blocking::WorkerGuard> {
    let folder = config::places::Places::find().ok()?.state;
    config::places::Places::ensure(&folder).ok()?;
    // `rolling::never` would panic where the folder cannot be written.
    let appender =
        tracing_appender::rolling::RollingFileAppender::builder().filename_prefix(config::places::LOG).build(&folder).ok()?;
    // Of one that lies there from before, too.
    std::fs::set_permissions(folder.join(config::places::LOG), Permissions::from_mode(0o600)).ok()?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    let filter = tracing_subscriber::EnvFilter::try_from_env("PYTEAD_LOG").unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().with_writer(writer).with_ansi(false).with_env_filter(filter).try_init().ok()?;
    Some(guard)
}
