//! A loaded model: reads prompts in pieces, keeps what it has read for the next one, and writes answers.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use pytead_tui::llm::gguf::Gguf;
use pytead_tui::llm::local::protocol::{End, Generate, Load, Loaded, Order, Reason, Report};

use crate::sample::Sampler;
use crate::utf8::Characters;
use crate::{ALL, failed, prompt, say};

/// Tokens that are read at once, at most and at least.
const BATCH: usize = 512;
const SMALLEST: usize = 8;
/// How long reading a piece of a prompt may take, so that a cancel is answered soon.
const PIECE: Duration = Duration::from_millis(70);
/// How often reading a long prompt is reported.
const OFTEN: Duration = Duration::from_millis(200);
/// Smaller models are slower with several threads than with one.
const SMALL: u64 = 50_000_000;
/// Context is made in steps.
const STEP: u32 = 256;

/// Loads a model and answers until another is to be loaded, which it gives back, or until nobody asks any more.
pub(crate) fn serve(
    backend: &LlamaBackend,
    load: &Load,
    orders: &Receiver<Order>,
    cancelled: &AtomicU64,
) -> Result<Option<Load>, String> {
    let head = Gguf::read(Path::new(&load.path)).map_err(|trouble| trouble.to_string())?;
    let mut last = 0;
    let params = LlamaModelParams::default().with_n_gpu_layers(0).with_progress_callback(move |share| {
        let percent = percent(share);
        if percent > last {
            last = percent;
            say(&Report::Loading { percent });
        }
        true
    });
    let model = LlamaModel::load_from_file(backend, &load.path, &params)
        .map_err(|_| "llama.cpp cannot load this model: it may be of a kind that this version does not know.".to_owned())?;
    let threads = threads(load.threads, model.n_params());
    let mut running = Running { backend, model: &model, open: None, threads, least: load.context };
    say(&Report::Loaded(Loaded { model: head.name.unwrap_or(head.architecture), context: model.n_ctx_train(), threads }));
    loop {
        match orders.recv() {
            Ok(Order::Load(other)) => return Ok(Some(other)),
            Ok(Order::Generate(asked)) => match running.answer(&asked, cancelled) {
                Ok(end) => say(&Report::End(end)),
                Err(why) => failed(Some(asked.id), why),
            },
            Ok(Order::Cancel { .. } | Order::Quit) => {}
            Err(_) => return Ok(None),
        }
    }
}

/// A model and the context it works in.
struct Running<'model> {
    backend: &'model LlamaBackend,
    model: &'model LlamaModel,
    open: Option<Open<'model>>,
    threads: u32,
    least: u32,
}

/// A context and the tokens it holds.
struct Open<'model> {
    context: LlamaContext<'model>,
    holds: Vec<LlamaToken>,
    batch: LlamaBatch<'model>,
    /// Tokens read at once, as found out.
    piece: usize,
}

impl<'model> Running<'model> {
    fn answer(&mut self, asked: &Generate, cancelled: &AtomicU64) -> Result<End, String> {
        let prompt = prompt::tokens(self.model, &asked.system, &asked.user);
        let length = u32::try_from(prompt.len()).unwrap_or(u32::MAX);
        let most = self.model.n_ctx_train();
        if length == 0 {
            return Err("There is no prompt.".into());
        }
        if length >= most {
            return Err(format!("The prompt has {length} tokens, and this model takes {}.", most - 1));
        }
        let mut sampler = Sampler::new(self.model, asked)?;
        let open = self.open_for(length.saturating_add(asked.max_tokens).min(most))?;
        let room = open.context.n_ctx() - length;
        let is_cancelled = || [asked.id, ALL].contains(&cancelled.load(Ordering::Relaxed));
        let reused = open.keep(&prompt)?;
        let mut end = End { id: asked.id, prompt: length.into(), reused, written: 0, reason: Reason::Cancelled };
        if !open.read(&prompt, asked.id, is_cancelled)? {
            return Ok(end);
        }
        let mut characters = Characters::default();
        let vocabulary = self.model.vocab();
        while !is_cancelled() {
            if end.written >= u64::from(asked.max_tokens.min(room)) {
                end.reason = Reason::Length;
                break;
            }
            let open = self.open.as_mut().ok_or("The context is gone.")?;
            let token = sampler.next(&open.context)?;
            if vocabulary.is_eog(token) {
                end.reason = Reason::Stop;
                break;
            }
            end.written += 1;
            vocabulary.token_to_piece_into(token, characters.bytes(), false, None);
            tell(asked.id, characters.take());
            open.decode(&[token])?;
        }
        tell(asked.id, characters.finish());
        Ok(end)
    }

    /// Gives a context with room for so many tokens; one that is too small is made anew.
    fn open_for(&mut self, tokens: u32) -> Result<&mut Open<'model>, String> {
        if self.open.as_ref().is_some_and(|open| open.context.n_ctx() < tokens) {
            self.open = None;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let most = self.model.n_ctx_train();
                let size = tokens.max(self.least).min(most).next_multiple_of(STEP);
                let threads = i32::try_from(self.threads).unwrap_or(1);
                let batch = u32::try_from(BATCH).unwrap_or(STEP);
                let params = LlamaContextParams::default()
                    .with_n_ctx(NonZeroU32::new(size))
                    .with_n_batch(batch)
                    .with_n_ubatch(batch)
                    .with_n_threads(threads)
                    .with_n_threads_batch(threads)
                    .with_kv_unified(true);
                let context = self.model.new_context(self.backend, params).map_err(|_| {
                    format!("There is no memory for a context of {size} tokens. Use a smaller model, or a shorter context.")
                })?;
                Open { context, holds: Vec::new(), batch: LlamaBatch::new(BATCH, 1), piece: SMALLEST }
            }
        };
        Ok(self.open.insert(open))
    }
}

impl Open<'_> {
    /// Keeps what the prompt begins with and drops the rest; gives how many tokens were kept.
    fn keep(&mut self, prompt: &[LlamaToken]) -> Result<u64, String> {
        let same = self.holds.iter().zip(prompt).take_while(|(held, wanted)| held == wanted).count();
        // The last token is always read anew: what comes after it is computed then.
        let same = same.min(prompt.len() - 1);
        let from = u32::try_from(same).map_err(|error| error.to_string())?;
        let dropped = self.context.clear_kv_cache_seq(Some(0), Some(from), None).map_err(|error| error.to_string())?;
        if !dropped {
            // Some kinds of models cannot forget a part.
            self.context.clear_kv_cache();
            self.holds.clear();
            return Ok(0);
        }
        self.holds.truncate(same);
        Ok(same as u64)
    }

    /// Reads what the context does not hold of a prompt; gives false when it was cancelled.
    fn read(&mut self, prompt: &[LlamaToken], id: u64, is_cancelled: impl Fn() -> bool) -> Result<bool, String> {
        let (of, mut told) = (prompt.len() as u64, Instant::now());
        while self.holds.len() < prompt.len() {
            if is_cancelled() {
                return Ok(false);
            }
            let start = Instant::now();
            let end = (self.holds.len() + self.piece).min(prompt.len());
            let count = end - self.holds.len();
            self.decode(&prompt[self.holds.len()..end])?;
            self.piece = fitting(count, start.elapsed()).max(if count < self.piece { self.piece } else { 0 });
            if told.elapsed() > OFTEN {
                told = Instant::now();
                say(&Report::Reading { id, done: end as u64, of });
            }
        }
        Ok(true)
    }

    fn decode(&mut self, tokens: &[LlamaToken]) -> Result<(), String> {
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let position = i32::try_from(self.holds.len() + at).map_err(|error| error.to_string())?;
            self.batch.add(*token, position, &[0], at + 1 == tokens.len()).map_err(|error| error.to_string())?;
        }
        self.context.decode(&mut self.batch).map_err(|error| format!("llama.cpp cannot go on: {error}."))?;
        self.holds.extend_from_slice(tokens);
        Ok(())
    }
}

fn tell(id: u64, text: String) {
    if !text.is_empty() {
        say(&Report::Text { id, text });
    }
}

/// Gives how many tokens take as long as a piece may, after so many took so long.
fn fitting(count: usize, took: Duration) -> usize {
    let tokens = count as u128 * PIECE.as_nanos() / took.as_nanos().max(1);
    usize::try_from(tokens).unwrap_or(BATCH).clamp(SMALLEST, BATCH)
}

/// Gives how many threads to compute with: those asked for, else all cores but one, which stays for everything else.
fn threads(asked: u32, parameters: u64) -> u32 {
    let all = std::thread::available_parallelism().map_or(1, |all| u32::try_from(all.get()).unwrap_or(1));
    match asked {
        0 if parameters < SMALL => 1,
        0 => cores().map_or(all, |cores| cores.min(all)).saturating_sub(1).max(1),
        asked => asked.min(all),
    }
}

/// Counts cores, of which two threads may share one; two that share one are slower than one alone.
fn cores() -> Option<u32> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let value = |line: &str, name: &str| Some(line.strip_prefix(name)?.split_once(':')?.1.trim().to_owned());
    let (mut package, mut found) = (String::new(), std::collections::BTreeSet::new());
    for line in text.lines() {
        if let Some(number) = value(line, "physical id") {
            package = number;
        } else if let Some(number) = value(line, "core id") {
            found.insert((package.clone(), number));
        }
    }
    u32::try_from(found.len()).ok().filter(|count| *count > 0)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn percent(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_prompt_take_no_longer_than_a_cancel_may() {
        let second = Duration::from_secs(1);
        assert_eq!(fitting(100, second), SMALLEST, "a slow machine still gets on");
        assert_eq!(fitting(64, PIECE), 64);
        assert_eq!(fitting(64, PIECE / 2), 128);
        assert_eq!(fitting(64, Duration::ZERO), BATCH);
    }

    #[test]
    fn one_core_stays_for_the_rest_and_small_models_take_one() {
        assert_eq!(threads(0, 1_000), 1);
        assert!(threads(0, SMALL) >= 1);
        assert!(threads(1_000, SMALL) >= threads(0, SMALL));
    }
}
