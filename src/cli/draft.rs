//! `pytead-tui draft`: a test by the chosen language model, written while you watch, then proved.

use std::io::IsTerminal;

use crate::base::error::Trouble;
use crate::cli::args::{Draft, Global};
use crate::cli::output::{self, Output};
use crate::cli::{FINDINGS, INTERRUPTED, OK, ask, show, trusted_engine};
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::engine::Done;

/// Asks the model, streams what it writes, prints the proved draft.
pub async fn draft(global: &Global, args: Draft) -> Result<u8, Trouble> {
    let global = &args.models.with(global);
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let function = match handle.find(&args.target)?.as_slice() {
        [one] => one.clone(),
        several => {
            let names: Vec<String> = several.iter().take(5).map(ToString::to_string).collect();
            return Err(Trouble::usage(format!("{} names {} functions.", args.target, several.len()))
                .so(format!("Choose one: {}.", names.join(", "))));
        }
    };
    let mut events = handle.subscribe();
    let live = !out.is_json() && std::io::stdout().is_terminal();
    let work = handle.perform(Command::AskModel { function, remark: args.message });
    tokio::pin!(work);
    let mut tick = tokio::time::interval(std::time::Duration::from_millis(50));
    let mut interrupted = false;
    let mut writing: Option<(ProposalId, usize)> = None;
    let done = loop {
        tokio::select! {
            done = &mut work => break done?,
            _ = tokio::signal::ctrl_c() => {
                // The first stops the model or the proof, and what was written is kept; the second does not wait for it.
                if interrupted {
                    return Ok(INTERRUPTED);
                }
                interrupted = true;
                handle.send(Command::Cancel { job: None });
            }
            event = events.recv() => if let Ok(event) = event {
                if let Event::ProposalMoved { proposal, state: ProposalState::Streaming, .. } = &event {
                    writing = Some((*proposal, 0));
                }
                out.event(&event);
                if let Event::Asked { question, .. } = event {
                    ask::question(&handle, question).await?;
                }
            },
            _ = tick.tick(), if live => if let Some((id, shown)) = &mut writing
                && let Some(stream) = handle.stream(*id)
                && let Some(fresh) = stream.text.get(*shown..)
                && !fresh.is_empty() {
                    output::raw(&crate::base::text::display(fresh));
                    *shown = stream.text.len();
            },
        }
    };
    let Done::Proposal(id) = done else {
        handle.close().await;
        return Err(Trouble::environment("No draft: nothing was sent."));
    };
    let view = handle.proposal(id)?;
    handle.close().await;
    if live {
        output::raw("\n");
    }
    out.result("proposal", &view);
    out.say(show::proposal(&view));
    Ok(match view.proposal.state {
        _ if interrupted => INTERRUPTED,
        ProposalState::Ready => OK,
        _ => FINDINGS,
    })
}
