//! How the next token is chosen: the likeliest, or one of the likely; and always one that the grammar lets through.
//!
//! A grammar is asked about the best token first, then about the best few, and about the whole vocabulary only when all
//! of these are refused: asking about everything costs more than computing the token did.

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::json_schema_to_grammar;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;
use pytead_tui::llm::local::protocol::{Generate, Sampling};

/// Likely tokens that are chosen from, and that a grammar is asked about before all others.
const FEW: usize = 64;
/// Tokens of the past that are made less likely.
const LATELY: i32 = 64;

/// Chooses tokens for one answer.
pub(crate) struct Sampler {
    penalties: Option<LlamaSampler>,
    grammar: Option<LlamaSampler>,
    /// Chooses by chance; `None` takes the likeliest.
    chance: Option<LlamaSampler>,
}

impl Sampler {
    pub(crate) fn new(model: &LlamaModel, asked: &Generate) -> Result<Self, String> {
        let Sampling { temperature, top_p, repeat_penalty, seed } = asked.sampling;
        if !(0.0..=2.0).contains(&temperature) || !(0.0..=1.0).contains(&top_p) || !(0.1..=10.0).contains(&repeat_penalty) {
            return Err("The temperature has to be 0 to 2, top_p 0 to 1, repeat_penalty 0.1 to 10.".into());
        }
        let penalties =
            (repeat_penalty != 1.0).then(|| LlamaSampler::penalties(model.n_vocab(), LATELY, narrow(repeat_penalty), 0.0, 0.0));
        let chance = (temperature > 0.0).then(|| {
            // The few come first: every later step then costs next to nothing.
            let few = i32::try_from(FEW).unwrap_or(i32::MAX);
            LlamaSampler::chain_simple([
                LlamaSampler::top_k(few),
                LlamaSampler::top_p(narrow(top_p), 1),
                LlamaSampler::temp(narrow(temperature)),
                LlamaSampler::dist(seed),
            ])
        });
        Ok(Self { penalties, grammar: grammar(model, asked)?, chance })
    }

    /// Chooses the token that comes after what the context holds.
    pub(crate) fn next(&mut self, context: &LlamaContext<'_>) -> Result<LlamaToken, String> {
        let mut all = LlamaTokenDataArray::from_iter(context.candidates_ith(-1), false);
        if let Some(penalties) = &mut self.penalties {
            all.apply_sampler(penalties);
        }
        let token = match (&mut self.grammar, &mut self.chance) {
            (None, None) => likeliest(&all.data),
            (None, Some(chance)) => all.with_sampler(chance).selected_token(),
            (Some(grammar), chance) => allowed(grammar, chance.as_mut(), all),
        };
        let token = token.ok_or("No token is possible here: the grammar and the model do not go together.")?;
        for sampler in [&mut self.penalties, &mut self.grammar].into_iter().flatten() {
            sampler.try_accept(token).map_err(|error| format!("The grammar does not take its own token: {error}."))?;
        }
        Ok(token)
    }
}

/// Chooses among what the grammar lets through.
fn allowed(
    grammar: &mut LlamaSampler,
    mut chance: Option<&mut LlamaSampler>,
    mut all: LlamaTokenDataArray,
) -> Option<LlamaToken> {
    let best = match &mut chance {
        Some(chance) => all.clone().with_sampler(chance).selected_token()?,
        None => likeliest(&all.data)?,
    };
    let one = LlamaTokenDataArray::new(all.data.iter().filter(|data| data.id() == best).copied().collect(), false);
    if !through(grammar, one).data.is_empty() {
        return Some(best);
    }
    let few = if all.data.len() > FEW {
        all.data.select_nth_unstable_by(FEW, |a, b| b.logit().total_cmp(&a.logit()));
        through(grammar, LlamaTokenDataArray::new(all.data[..FEW].to_vec(), false))
    } else {
        LlamaTokenDataArray::new(Vec::new(), false)
    };
    let left = if few.data.is_empty() { through(grammar, all) } else { few };
    match chance {
        Some(chance) if !left.data.is_empty() => left.with_sampler(chance).selected_token(),
        _ => likeliest(&left.data),
    }
}

/// Keeps what the grammar lets through.
fn through(grammar: &mut LlamaSampler, mut tokens: LlamaTokenDataArray) -> LlamaTokenDataArray {
    tokens.apply_sampler(grammar);
    LlamaTokenDataArray::new(tokens.data.into_iter().filter(|data| data.logit() > f32::NEG_INFINITY).collect(), false)
}

fn likeliest(tokens: &[LlamaTokenData]) -> Option<LlamaToken> {
    tokens.iter().max_by(|a, b| a.logit().total_cmp(&b.logit())).map(LlamaTokenData::id)
}

fn grammar(model: &LlamaModel, asked: &Generate) -> Result<Option<LlamaSampler>, String> {
    let text = match (&asked.grammar, &asked.schema) {
        (Some(_), Some(_)) => return Err("An answer follows a grammar or a JSON schema, not both.".into()),
        (Some(grammar), None) => grammar.clone(),
        (None, Some(schema)) => compact(&json_schema_to_grammar(&schema.to_string()).map_err(|_| "This is no JSON schema.")?),
        (None, None) => return Ok(None),
    };
    LlamaSampler::grammar(model, &text, "root").map(Some).map_err(|_| "This is no GBNF grammar.".into())
}

/// Takes the free blanks out of a grammar made of a schema: a weak model would write nothing else.
fn compact(grammar: &str) -> String {
    let lines = grammar.lines().map(|line| if line.starts_with("space ::=") { "space ::= \"\"" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// llama.cpp counts in single precision.
#[allow(clippy::cast_possible_truncation)]
fn narrow(number: f64) -> f32 {
    number as f32
}
