//! L4: a server for coding agents, by the Model Context Protocol on standard input and output. What an agent may do is
//! read, run recorded calls and tests, and propose; nothing here decides, trusts or raises a limit.
//!
//! [`tools`] says what there is, [`reading`] and [`working`] do it, [`session`] holds an agent to its limits, and
//! [`answers`] makes whatever is said short and harmless. [`server`] is the protocol's side of it.

mod answers;
mod arguments;
mod lines;
mod reading;
pub mod relay;
mod resources;
mod server;
mod session;
mod specs;
mod tools;
mod value_store;
mod values;
mod verdicts;
mod working;

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::signal::unix::{SignalKind, signal};

use crate::base::error::Trouble;
use crate::mcp::server::Server;
use crate::mcp::session::Session;

pub use crate::mcp::session::Project;

/// Bytes of one message of the agent.
const MESSAGE_MAX: usize = 1 << 20;

/// Serves one agent until it closes its end, or somebody ends this process.
///
/// # Errors
/// Fails when signals cannot be watched.
pub async fn serve(project: Project) -> Result<(), Trouble> {
    let unwatched = |error: std::io::Error| Trouble::internal("Signals cannot be watched.").because(error);
    // Recording takes over these signals for good, so they are listened to here from the start.
    let mut terminate = signal(SignalKind::terminate()).map_err(unwatched)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unwatched)?;
    let session = Arc::new(Session::new(project));
    let (incoming, outgoing, answered) = lines::checked(tokio::io::stdin(), tokio::io::stdout(), MESSAGE_MAX);
    let transport = AsyncRwTransport::new_server(incoming, outgoing).with_max_line_length(MESSAGE_MAX + 1);
    let served = async {
        match Server::new(session.clone()).serve(transport).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::warn!(%error, "the session with the agent broke");
                }
            }
            // Nobody began a session: what was typed is no protocol, or the other end is gone.
            Err(error) => tracing::warn!(%error, "no session with an agent began"),
        }
        // What was said last has gone out when this ends.
        let _ = answered.await;
    };
    tokio::select! {
        () = served => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    session.end().await;
    Ok(())
}
