//! The answers of all recorded requests, each once: what only one of them says is worth an assertion in its test.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value as Json;

use crate::domain::scene::{Scene, Step};
use crate::generate::scenes::answers::segments;

/// What was asked: who, and for which path.
type Asked<'s> = (&'s str, Option<&'s Json>);

/// The answers.
#[derive(Default)]
pub struct Pages<'s> {
    pages: Vec<Page<'s>>,
    /// How many have a text.
    counts: HashMap<String, usize>,
}

/// A request and its answer.
struct Page<'s> {
    asked: Asked<'s>,
    method: &'s str,
    status: Option<u16>,
    body: Option<&'s str>,
    texts: BTreeSet<String>,
}

impl<'s> Pages<'s> {
    /// Reads what the last request of each recorded test was answered.
    #[must_use]
    pub fn new(scenes: impl IntoIterator<Item = &'s Scene>) -> Self {
        let mut known = HashSet::new();
        let mut all = Self::default();
        for scene in scenes {
            let Some((asked, method)) = asked(scene) else { continue };
            let (status, body) = scene.answer().map_or((None, None), |answer| (answer.status, answer.body.as_deref()));
            if !known.insert((asked.0, asked.1.map(Json::to_string), method, status, body)) {
                continue; // it reached several functions
            }
            let texts: BTreeSet<String> = body.map(segments).into_iter().flatten().map(|(_, text)| text).collect();
            for text in &texts {
                *all.counts.entry(text.clone()).or_default() += 1;
            }
            all.pages.push(Page { asked, method, status, body, texts });
        }
        all
    }

    /// Counts the pages with a text.
    pub(super) fn with(&self, text: &str) -> usize {
        self.counts.get(text).copied().unwrap_or_default()
    }

    /// Lists the texts of a page that no other answer to such a request has; where there is none, those that no other page has.
    pub(super) fn own_texts(&self, scene: &Scene, body: &str) -> Vec<String> {
        let is_other = |page: &&Page<'_>| page.body.is_some_and(|other| other != body);
        let asked = asked(scene).map(|(asked, _)| asked);
        let alike: Vec<&Page<'_>> = self.pages.iter().filter(|page| Some(page.asked) == asked).filter(is_other).collect();
        let same = self.pages.iter().filter(|page| page.body == Some(body)).count();
        if alike.is_empty() && !self.pages.iter().any(|page| is_other(&page)) {
            return Vec::new();
        }
        let is_own = |text: &String| match alike.as_slice() {
            [] => self.with(text) <= same,
            alike => !alike.iter().any(|page| page.texts.contains(text)),
        };
        segments(body).into_iter().map(|(_, text)| text).filter(is_own).collect()
    }

    /// Tells whether such a request was answered by another page, too: only then it matters which one this is.
    pub(super) fn has_another(&self, scene: &Scene, body: Option<&str>) -> bool {
        let Some((asked, method)) = asked(scene) else { return false };
        let is_alike = |page: &Page<'_>| page.asked == asked && (method != "get" || page.method == method);
        self.pages.iter().any(|page| is_alike(page) && page.status == Some(200) && page.body != body)
    }
}

/// Gives what the last step of a scene asks for, and by which method.
fn asked(scene: &Scene) -> Option<(Asked<'_>, &str)> {
    match scene.steps.last()? {
        Step::Call { on, args, method, .. } => Some(((on.as_str(), args.first()), method.as_str())),
        _ => None,
    }
}
