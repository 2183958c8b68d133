//! `pytead-llm`: llama.cpp alone in a program of its own, so that its crash, its abort or its hunger for memory is the
//! end of a model and never of the workbench.
//!
//! Orders come in as JSON lines, reports go out as JSON lines (`llm::local::protocol`); what llama.cpp has to say goes
//! to the error stream, which the workbench keeps to itself. Ends with its input.

mod model;
mod prompt;
mod sample;
mod utf8;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

use llama_cpp_2::llama_backend::LlamaBackend;
use pytead_tui::llm::local::protocol::{Load, Order, Report};

/// The exit code where this machine cannot do it.
const CANNOT: u8 = 3;

/// What processors lack that the build uses without asking.
fn missing_instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let found = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("FMA", std::arch::is_x86_feature_detected!("fma")),
            ("F16C", std::arch::is_x86_feature_detected!("f16c")),
            ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
        ];
        found.iter().find(|(_, there)| !there).map(|(name, _)| *name)
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Says something to the workbench. Nobody listening is the end.
pub(crate) fn say(report: &Report) {
    let mut out = std::io::stdout().lock();
    let said = serde_json::to_writer(&mut out, report)
        .map_err(std::io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if said.is_err() {
        std::process::exit(0);
    }
}

fn failed(id: Option<u64>, why: impl Into<String>) {
    say(&Report::Failed { id, why: why.into() });
}

/// Stands for every answer in the number of the cancelled one: whoever asked is gone.
pub(crate) const ALL: u64 = u64::MAX;
/// How long the program may take to end by itself.
const ENDING: std::time::Duration = std::time::Duration::from_secs(2);

/// Reads orders on a thread of its own, so that a cancel is seen while a model writes. The end of the input ends the
/// program: what is being written is cancelled first, since llama.cpp does not bear to be torn down while it computes.
fn orders(cancelled: Arc<AtomicU64>) -> Receiver<Order> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            match serde_json::from_str(&line) {
                Ok(Order::Quit) => break,
                Ok(Order::Cancel { id }) => cancelled.store(id, Ordering::Relaxed),
                Ok(order) => {
                    if sender.send(order).is_err() {
                        break;
                    }
                }
                Err(error) => failed(None, format!("This is no order: {error}.")),
            }
        }
        cancelled.store(ALL, Ordering::Relaxed);
        drop(sender);
        std::thread::sleep(ENDING);
        std::process::exit(0);
    });
    receiver
}

fn main() -> ExitCode {
    if let Some(name) = missing_instructions() {
        failed(None, format!("This processor lacks {name}, which local models need. Use a model on another machine."));
        return ExitCode::from(CANNOT);
    }
    let backend = match LlamaBackend::init() {
        Ok(backend) => backend,
        Err(error) => {
            failed(None, format!("llama.cpp does not start: {error}."));
            return ExitCode::from(CANNOT);
        }
    };
    let cancelled = Arc::new(AtomicU64::new(0));
    let orders = orders(Arc::clone(&cancelled));
    let mut next: Option<Load> = None;
    loop {
        // A model lives until another is to be loaded.
        let load = match next.take() {
            Some(load) => load,
            None => match orders.recv() {
                Ok(Order::Load(load)) => load,
                Ok(Order::Generate(asked)) => {
                    failed(Some(asked.id), "No model is loaded.");
                    continue;
                }
                Ok(Order::Cancel { .. } | Order::Quit) => continue,
                Err(_) => return ExitCode::SUCCESS,
            },
        };
        match model::serve(&backend, &load, &orders, &cancelled) {
            Ok(Some(load)) => next = Some(load),
            Ok(None) => return ExitCode::SUCCESS,
            Err(why) => failed(None, why),
        }
    }
}
