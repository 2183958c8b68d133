//! From the two texts of a request to the tokens of a prompt, in the form the model was trained with.
//!
//! The form's own words are read as control tokens; the texts never are, whatever stands in them.

use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;

/// Stand in for the texts while llama.cpp fills the form in.
const SYSTEM: &str = "b8f1-the-system-text-1f8b";
const USER: &str = "b8f1-the-user-text-1f8b";
/// Says to models that may reason first that they have done so.
const NO_THOUGHT: &str = "<think>\n\n</think>\n\n";

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part<'a> {
    Form(String),
    Text(&'a str),
}

/// Makes the tokens of a prompt.
pub(crate) fn tokens(model: &LlamaModel, system: &str, user: &str) -> Vec<LlamaToken> {
    let vocabulary = model.vocab();
    let mut tokens = Vec::new();
    for (at, part) in parts(model, system, user).iter().enumerate() {
        let (text, is_form) = match part {
            Part::Form(text) => (text.as_str(), true),
            Part::Text(text) => (*text, false),
        };
        tokens.extend(vocabulary.tokenize(text.as_bytes(), at == 0, is_form));
    }
    tokens
}

fn parts<'a>(model: &LlamaModel, system: &'a str, user: &'a str) -> Vec<Part<'a>> {
    let own = model.chat_template(None).ok();
    let thinks = own.as_ref().and_then(|form| form.to_str().ok()).is_some_and(|form| form.contains("enable_thinking"));
    let chatml = || LlamaChatTemplate::new("chatml").ok().filter(|_| knows_chatml(model));
    let forms = own.into_iter().chain(chatml());
    let mut parts = forms
        .filter_map(|form| split(&fill(model, &form, !system.is_empty())?, system, user))
        .next()
        // A model that knows no form continues the text.
        .unwrap_or_else(|| vec![Part::Form(String::new()), Part::Text(system), Part::Form("\n\n".into()), Part::Text(user)]);
    if thinks && let Some(Part::Form(end)) = parts.last_mut() {
        end.push_str(NO_THOUGHT);
    }
    parts
}

fn fill(model: &LlamaModel, form: &LlamaChatTemplate, with_system: bool) -> Option<String> {
    let message = |role: &str, text: &str| LlamaChatMessage::new(role.into(), text.into()).ok();
    let mut messages = vec![message("user", USER)?];
    if with_system {
        messages.insert(0, message("system", SYSTEM)?);
    }
    model.apply_chat_template(form, &messages, true).ok()
}

/// Puts the texts in their places; `None` when the form did not take them as they are.
fn split<'a>(filled: &str, system: &'a str, user: &'a str) -> Option<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    let mut rest = filled;
    if !system.is_empty() {
        let (before, after) = rest.split_once(SYSTEM)?;
        parts.extend([Part::Form(before.to_owned()), Part::Text(system)]);
        rest = after;
    }
    let (before, after) = rest.split_once(USER)?;
    parts.extend([Part::Form(before.to_owned()), Part::Text(user), Part::Form(after.to_owned())]);
    Some(parts)
}

fn knows_chatml(model: &LlamaModel) -> bool {
    model.vocab().tokenize(b"<|im_start|>", false, true).len() == 1
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use llama_cpp_2::llama_backend::LlamaBackend;
    use llama_cpp_2::model::params::LlamaModelParams;

    use super::*;

    /// Gives a prompt as bytes, and the control words that are tokens of their own in it.
    fn written(model: &LlamaModel, system: &str, user: &str) -> (String, Vec<String>) {
        let (mut all, mut control) = (Vec::new(), Vec::new());
        for token in tokens(model, system, user) {
            let mut bytes = Vec::new();
            model.vocab().token_to_piece_into(token, &mut bytes, true, None);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            control.extend(Some(text).filter(|text| text.len() > 2 && text.starts_with("<|") && text.ends_with("|>")));
            all.extend(bytes);
        }
        (String::from_utf8(all).unwrap(), control)
    }

    /// The form of Qwen3 that models trained to write tests learned: the person's turn, no system text, and the thought that
    /// is over before it began.
    #[test]
    fn the_form_of_qwen3_is_written_byte_for_byte_and_no_text_becomes_a_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qwen3.gguf");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny_model.py");
        assert!(Command::new("python3").arg(script).arg(&path).arg("--qwen3").status().unwrap().success());
        let backend = LlamaBackend::init().unwrap();
        let model = LlamaModel::load_from_file(&backend, &path, &LlamaModelParams::default()).unwrap();

        let user = "<question>\ndef f(a):\n    \"\"\"Ends <|im_end|> here.\"\"\"\n</question>\n\n";
        let (text, control) = written(&model, "", user);
        let expected = format!("<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
        assert_eq!(text, expected);
        assert_eq!(control, ["<|im_start|>", "<|im_end|>", "<|im_start|>"], "what stands in the text is text");

        let (text, control) = written(&model, "Write tests. <|im_start|>", "f");
        assert_eq!(
            text,
            "<|im_start|>system\nWrite tests. <|im_start|><|im_end|>\n<|im_start|>user\nf<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
        );
        assert_eq!(control.len(), 5);
    }

    #[test]
    fn the_texts_stand_in_the_form_and_are_not_part_of_it() {
        let form = |text: &str| Part::Form(text.to_owned());
        let filled = format!("<s>{SYSTEM}</s><u>{USER}</u><a>");
        assert_eq!(
            split(&filled, "be brief", "<a> why?"),
            Some(vec![form("<s>"), Part::Text("be brief"), form("</s><u>"), Part::Text("<a> why?"), form("</u><a>")])
        );
        assert_eq!(split(&format!("<u>{USER}</u>"), "", "why?"), Some(vec![form("<u>"), Part::Text("why?"), form("</u>")]));
        assert_eq!(split(&format!("<u>{USER}</u>"), "left out", "why?"), None);
    }
}
