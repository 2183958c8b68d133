//! Whether a model's answer can be believed: its form, and everything in it that can be looked up is looked up.
//!
//! A model's word alone never makes a verdict. An answer with one fault is no answer; the fault goes back to the model once.
//! What reads like an instruction in the data is not obeyed by us whatever the model made of it: nothing passes beside it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::text::{cut, display_line};
use crate::domain::clause::{Calls, Clause, Head, Outcome as Found, Scope, Times};
use crate::domain::journey::{JourneyEvent, LineId};
use crate::judge::answer::{Answer, Claim, Confidence, Kind, Outcome, Quote, SCHEMA, Sentence, fold};
use crate::judge::disguise;
use crate::judge::evaluate::evaluate;
use crate::judge::names::Names;
use crate::judge::prompt_journey::{Line, PromptJourney};

/// Bytes of an answer.
pub(super) const ANSWER_MAX: usize = 64 << 10;
/// Columns of a text by a model.
const TEXT_MAX: usize = 400;
/// Characters of a quote: words, not whole lines.
const QUOTE_MAX: usize = 300;
/// What happened at a line: the first word of each, which shows nothing.
const KINDS: [&str; 8] = ["call", "return", "raise", "yield", "resume", "close", "throw", "touch"];

/// What an answer is held against.
pub struct Asked<'a> {
    /// The nonce of the request.
    pub nonce: &'a str,
    /// The numbers of the sentences.
    pub ids: &'a [String],
    /// Of each sentence, whether it must not come about.
    pub must_not: &'a [bool],
    /// The journey as it was sent.
    pub sent: &'a PromptJourney,
    /// The journey as it was.
    pub events: &'a [JourneyEvent],
    /// What the project defines.
    pub names: &'a Names,
    /// Something is missing from the recording: what was not called may have been.
    pub incomplete: bool,
    /// Something that was sent reads like an instruction.
    pub suspicious: bool,
}

/// An answer that stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Believed {
    /// In the order in which they were asked.
    pub sentences: Vec<Judged>,
    /// How sure the model is.
    pub confidence: Confidence,
    /// In a sentence, fit for a terminal.
    pub summary: String,
    /// Why nothing may pass beside this answer, if it may not.
    pub suspicion: Option<crate::base::sentence::Sentence>,
}

/// What came of one sentence. Texts are fit for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What came of it.
    pub outcome: Outcome,
    /// Why.
    pub why: crate::base::sentence::Sentence,
    /// Lines that show it.
    pub evidence: Vec<LineId>,
}

/// Why an answer is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule, by its number in the documentation: `V4`.
    pub rule: &'static str,
    /// What is wrong, for the model and for people.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

pub(super) fn fault<T>(rule: &'static str, what: impl AsRef<str>) -> Result<T, Fault> {
    Err(Fault { rule, what: short(what.as_ref()) })
}

/// Texts in data that speak to whoever reads it.
static INSTRUCTIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|the|your|these)\b.{0,30}\b(?:instruction|rule|prompt|message|text|guideline)",
        r"(?i)\bas an? (?:ai|artificial|language model|assistant|llm)\b",
        r"(?i)\byou (?:are|must|should|will|have to)\b.{0,60}\b(?:judge|assistant|model|evaluator|answer|respond|reply|output|verdict|pass|approve)\b",
        r"(?i)\b(?:answer|respond|reply|say|conclude)\b.{0,30}\b(?:pass|passed|holds|approved)\b",
        r"(?i)\bverdict\b\W{0,4}(?:is|must be|should be|:)\W{0,4}(?:pass|holds|true|ok|approved)\b",
        r"(?i)\b(?:system|developer) (?:prompt|message|instruction)",
        r"(?i)(?:new|updated|additional|important) instructions?\b",
        r"\[(?:CALLED|RETURNED|RAISED)\]",
        r"\bL\d+(?:-L\d+)? (?:call|return|raise|fold) \{",
        r"(?i)<\s?\|\s?/?(?:system|assistant|user|im_start|im_end|endoftext)|</?(?:system|assistant|user|think)>",
        r#"(?im)(?:^|\\n|["'])\s*(?:system|assistant|human)\s*:"#,
        r"\b(?:BEGIN|END) (?:functions|journey) [0-9a-f]{8,}",
        r"(?i)\boutcome\b\W{0,5}[:=]\W{0,6}(?:holds|violated)\b",
        r"(?i)\b(?:forget|ignore|disregard)\b.{0,20}\b(?:everything|anything|all)\b.{0,20}\b(?:above|before|previous|prior|earlier)\b",
        r"(?i)\b(?:do not|don.?t|never) (?:follow|obey|apply)\b.{0,30}\b(?:rule|instruction|guideline|prompt)",
        r"(?i)\b(?:mark|judge|treat|consider|rate|grade)\b.{0,30}\b(?:clause|sentence|test|intent)s?\b.{0,20}\b(?:pass\w*|hold\w*|approved|met)\b",
        r"(?i)\b(?:all|every|each) (?:clause|sentence|intent)s?\b.{0,15}\b(?:holds?|pass(?:es)?|met)\b",
        r"(?i)\b(?:correct|right|final) (?:outcome|verdict|answer)\b.{0,12}\b(?:holds|pass(?:ed)?|violated)\b",
        r"(?i)\b(?:dear|attention|note to)\b.{0,8}\b(?:evaluator|grader|llm|language model)\b",
        r"\b(?i:output|write|emit)\b.{0,15}\bPASS\b",
        r"(?i)\[/?INST\]|<<SYS>>|###\s*(?:instruction|system|response)\b",
        r"(?i)ignore(?:all|any|the|your)*(?:previous|prior|above|earlier)|(?:previous|prior)instructions?\b",
        r"(?i)\b(?:ignorier\w*|missacht\w*|vergiss|vergesst)\b.{0,40}\b(?:anweisung|regel|vorgabe|oben|bisher)",
        r"(?i)\bbeachten?\b.{0,30}\b(?:regel|anweisung|vorgabe)\w*\b.{0,15}\bnicht\b|\bneue (?:anweisung|vorgabe)",
        r"(?i)\b(?:antworten?|sage?|bewerten?|werten?)\b.{0,40}\b(?:(?-i:PASS)|bestanden|erfüllt|erfullt)\b",
        r"(?i)\bdu bist (?:jetzt|nun|ab|der|ein)\b.{0,30}\b(?:assistent|richter|prüfer|modell|ki)\b",
        r"(?i)\boubli\w+\b.{0,10}\btout\b.{0,30}\b(?:précède|precede|dessus|avant)\b",
        r"(?i)\b(?:tiens|tenez)\b.{0,6}\bcompte\b.{0,30}\b(?:consigne|instruction|r[eè]gle)",
        r"(?i)\b(?:r[eé]s?pond\w*|rispond\w*|contesta\w*)\b.{0,30}\b(?:(?-i:PASS)|r[eé]ussi|aprobado|aprovado|superato)\b",
        r"(?i)\bconsid[eè]re\w*\b.{0,15}\b(?:test|clause)\b.{0,15}\b(?:r[eé]ussie?|valid[eé]e?)\b",
        r"(?i)\b(?:tu es|vous [eê]tes) (?:maintenant|d[eé]sormais)\b.{0,20}\b(?:juge|assistant|mod[eè]le|ia)\b",
        r"(?i)\b(?:negeer|vergeet)\b.{0,30}\b(?:instructie|regel|opdracht)|(?:talimat|kural)\w*.{0,20}\byok say",
        r"(?i)\b(?:pomi[nń]|zignoruj|ignoruj)\b.{0,30}\b(?:instrukcj|polece|regu[lł])",
        "(?:忽略|无视|無視|忘记|忘記|不要理会|不要遵守).{0,4}(?:以上|上述|上面|之前|前面)",
        "(?:回答|回复|回覆|输出|輸出|判定为|判定為|判为).{0,6}(?:PASS|通过|通過|合格|成立)",
        "(?:从现在起你|你现在是|你是一个|你是一個).{0,20}(?:评审|評審|助手|模型|法官|裁判)",
        "(?:이전|위의|앞의).{0,12}(?:지시|명령|규칙).{0,8}(?:무시|잊)|تجاهل.{0,20}(?:التعليمات|الأوامر|القواعد)",
        "(?i:забудь|игнорируй|не обращай внимания).{0,30}(?i:выше|ранее|предыдущ)|(?i:ответь|отвечай).{0,20}(?:PASS|(?i:пройден))",
        r"(?i)\b(?:ignor\w+|oubli\w+|olvid\w+|dimentic\w+|esque\w+)\b.{0,40}\b(?:instru[ck]\w+|istruzion\w+|consigne\w*|r[eè]gl\w+)",
        "(?:忽略|无视|無視|忘记).{0,20}(?:指令|指示|提示|规则|規則)|(?:指示|命令).{0,10}無視|(?i:игнорируй|забудь).{0,40}(?i:инструкц|указан|правил)",
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Finds a text in data that reads like an instruction to a model, also in disguise; gives it short and fit for a terminal.
#[must_use]
pub fn instruction(text: &str) -> Option<String> {
    let first = |text: &str| INSTRUCTIONS.iter().find_map(|pattern| pattern.find(text)).map(|found| short(found.as_str()));
    let read = |text: &str| first(text).or_else(|| disguise::readings(text).iter().find_map(|read| first(read)));
    let packed = disguise::packed(text);
    read(text).or_else(|| if packed == text { None } else { read(&packed) })
}

/// Holds an answer against what was asked and what happened.
///
/// # Errors
/// The first fault.
pub fn validate(text: &str, asked: &Asked<'_>) -> Result<Believed, Fault> {
    if text.len() > ANSWER_MAX {
        return fault("V1", format!("the answer is longer than {} KiB", ANSWER_MAX >> 10));
    }
    // The whole message, and nothing beside it: where there may be two answers, neither is taken.
    let answer: Answer = match serde_json::from_str(spoken(text)) {
        Ok(answer) => answer,
        Err(error) => return fault("V1", format!("the whole message has to be one JSON object of the schema: {error}")),
    };
    if answer.schema != SCHEMA {
        return fault("V1", format!("schema has to be {SCHEMA}"));
    }
    if answer.nonce != asked.nonce {
        return fault("V2", "the nonce is not that of the request");
    }
    let sentences = in_order(&answer, asked)?;
    let mut judged = Vec::with_capacity(sentences.len());
    for sentence in &sentences {
        judged.push(held(sentence, asked)?);
    }
    // Where a sentence must not come about the word has two readings, and only the outcomes count.
    let own = fold(sentences.iter().map(|sentence| sentence.outcome));
    if own != answer.verdict && !asked.must_not.contains(&true) {
        return fault("V8", format!("the outcomes come to {own:?}, and verdict says {:?}", answer.verdict));
    }
    let suspicion = suspicion(&answer, asked)?.map(Into::into);
    Ok(Believed { sentences: judged, confidence: answer.confidence, summary: short(&answer.summary), suspicion })
}

/// Leaves out what a model thought aloud before its answer, and one code fence around the whole of it.
pub(super) fn spoken(text: &str) -> &str {
    let text = text.trim();
    let answer = match text.strip_prefix("<think>").and_then(|thought| thought.split_once("</think>")) {
        Some((_, answer)) => answer.trim(),
        None => text,
    };
    let fenced = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match fenced.and_then(|rest| rest.split_once('\n')) {
        Some((language, inside)) if matches!(language.trim(), "" | "json") => inside.trim(),
        _ => answer,
    }
}

/// Gives the sentences in the order in which they were asked.
fn in_order<'a>(answer: &'a Answer, asked: &Asked<'_>) -> Result<Vec<&'a Sentence>, Fault> {
    let answered: BTreeSet<&str> = answer.clauses.iter().map(|sentence| sentence.id.as_str()).collect();
    let wanted: BTreeSet<&str> = asked.ids.iter().map(String::as_str).collect();
    if answered != wanted || answer.clauses.len() != asked.ids.len() {
        return fault("V3", format!("clauses has to hold each of {} once, and nothing else", asked.ids.join(", ")));
    }
    Ok(asked.ids.iter().filter_map(|id| answer.clauses.iter().find(|sentence| sentence.id == *id)).collect())
}

/// Looks up what a sentence's outcome rests on.
fn held(sentence: &Sentence, asked: &Asked<'_>) -> Result<Judged, Fault> {
    for quote in &sentence.evidence {
        quoted(quote, asked)?;
    }
    let mut absent = false;
    for claim in &sentence.claims {
        claimed(claim, asked)?;
        absent |= claim.claim == Kind::NotCalled;
    }
    let rests = !sentence.evidence.is_empty() || absent;
    if !rests && matches!(sentence.outcome, Outcome::Holds | Outcome::Violated) {
        return fault("V6", format!("{} needs a line that shows it, or a function that was not called", sentence.id));
    }
    let mut why = short(&sentence.analysis);
    let mut outcome = sentence.outcome;
    // What is missing from the recording may be the very call that is missed.
    if absent && asked.incomplete && matches!(outcome, Outcome::Holds | Outcome::Violated) {
        outcome = Outcome::Unclear;
        why = format!("The recording is not complete, and this rests on what was not called: {why}");
    }
    let evidence = sentence.evidence.iter().map(|quote| LineId(quote.line)).collect();
    Ok(Judged { outcome, why: why.into(), evidence })
}

/// Finds a quote in its line; the name of a function has to be that line's function, and no text in its data.
fn quoted(quote: &Quote, asked: &Asked<'_>) -> Result<(), Fault> {
    let Some(line) = asked.sent.line(LineId(quote.line)) else {
        return fault("V4", format!("there is no line L{} in the journey", quote.line));
    };
    let words = collapsed(&quote.quote);
    let says_something = words.contains(char::is_alphanumeric) && !KINDS.contains(&words.as_str());
    if !says_something || words.len() > QUOTE_MAX {
        return fault("V5", format!("the quote of L{} has to be some words of that line", quote.line));
    }
    let names_a_call = is_name(&words) && asked.names.resolve(&words).is_ok();
    let place = if names_a_call { &line.bare } else { &line.text };
    if stands_in(&words, place) {
        return Ok(());
    }
    fault("V5", format!("“{words}” does not stand in L{}{}", quote.line, if names_a_call { " as its function" } else { "" }))
}

/// A model may quote JSON as it stands, or what it means.
fn stands_in(words: &str, line: &str) -> bool {
    let line = collapsed(line);
    stands_whole(words, &line) || stands_whole(words, &line.replace("\\\"", "\"").replace("\\\\", "\\"))
}

/// Tells whether words stand in a text, and no part of the first or last one alone.
fn stands_whole(words: &str, text: &str) -> bool {
    let inside = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(char::is_alphanumeric)
    };
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + words.len()..].chars().next());
        !inside(before, words.chars().next()) && !inside(after, words.chars().next_back())
    })
}

fn is_name(words: &str) -> bool {
    words.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Looks a claim up among all that happened.
fn claimed(claim: &Claim, asked: &Asked<'_>) -> Result<(), Fault> {
    let calls = |name: &str| Calls::of(name.trim().trim_end_matches("()"));
    let (rule, head) = match claim.claim {
        Kind::Called => ("V6", Head::Count { calls: calls(&claim.function), times: Times::AtLeast(1) }),
        Kind::NotCalled => ("V6", Head::Count { calls: calls(&claim.function), times: Times::Exactly(0) }),
        Kind::Before => ("V7", Head::Sequence(vec![calls(&claim.function), calls(&claim.other)])),
    };
    let clause = Clause { head, scope: Scope::Whole, may_not_occur: false };
    let said = clause.to_string();
    let bound = match asked.names.bind(clause) {
        Ok(bound) => bound,
        Err(unresolved) => return fault(rule, format!("the claim “{said}”: {unresolved}")),
    };
    match evaluate(asked.events, None, &bound) {
        finding if matches!(finding.outcome, Found::Holds { .. }) => Ok(()),
        finding => fault(rule, format!("the claim “{said}” is not true: {}", finding.why)),
    }
}

/// Says why nothing may pass beside this answer.
fn suspicion(answer: &Answer, asked: &Asked<'_>) -> Result<Option<String>, Fault> {
    for cited in &answer.suspected_injection {
        if cited.line != 0 && asked.sent.line(LineId(cited.line)).is_none() {
            return fault("V4", format!("there is no line L{} in the journey", cited.line));
        }
    }
    let data = || asked.sent.lines().iter().find_map(|line: &Line| Some((line.first, instruction(line.data())?)));
    Ok(match answer.suspected_injection.first() {
        Some(cited) => {
            Some(format!("“{}” in the data reads like an instruction to a model (L{}).", short(&cited.text), cited.line))
        }
        None => match data() {
            Some((line, words)) => Some(format!("“{words}” in the data reads like an instruction to a model ({line}).")),
            None => asked.suspicious.then(|| "The sources hold a text that reads like an instruction to a model.".to_owned()),
        },
    })
}

fn short(text: &str) -> String {
    let line = collapsed(text);
    cut(&display_line(&line), TEXT_MAX).into_owned()
}
