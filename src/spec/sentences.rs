//! What a text of a YAML test wants decided, sentence by sentence. An item of a list is one sentence; headings and requests to report
//! something are context of others, and nothing that can hold.

use crate::domain::verdict::Decided;
use crate::judge::grammar;
use crate::spec::run::needs_model;

/// Something that is to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its words.
    pub text: String,
    /// The heading it stands under.
    pub heading: Option<String>,
}

/// A text, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// What is to be decided, in the order of the text.
    pub items: Vec<Item>,
    /// What is to be reported, and decides nothing.
    pub requests: Vec<String>,
}

/// Takes a text apart.
#[must_use]
pub fn read(text: &str) -> Wanted {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line);
    }
    let mut wanted = Wanted::default();
    for item in reader.items {
        let parts = grammar::sentences(&item.text).into_iter().flat_map(questions);
        let (requests, said): (Vec<&str>, Vec<&str>) = parts.partition(|part| is_request(part));
        // Each question has an answer of its own; the other sentences of an item belong together.
        let (asked, said): (Vec<&str>, Vec<&str>) = said.into_iter().partition(|part| part.ends_with('?') || is_indirect(part));
        if !said.is_empty() {
            let whole = requests.is_empty() && asked.is_empty();
            let text = if whole { item.text.clone() } else { said.join(". ") };
            wanted.items.push(Item { text, heading: item.heading.clone() });
        }
        let question = |text: &str| {
            let text = text.trim_end_matches(['.', '?']);
            Item { text: format!("{text}?"), heading: item.heading.clone() }
        };
        wanted.items.extend(asked.into_iter().map(question));
        wanted.requests.extend(requests.into_iter().map(str::to_owned));
    }
    if wanted == Wanted::default() && !text.trim().is_empty() {
        // A heading of nothing is what its author had to say.
        wanted.items.push(Item { text: text.trim().to_owned(), heading: None });
    }
    wanted
}

/// Decides by rules what a text wants; the rest is left open. A text of `pass_if`, `fail_if` or `expect` that only asks for a report is
/// taken at its word, so that nothing passes for want of a sentence.
pub fn decide(text: &str, may_only_report: bool, rules: impl Fn(&str) -> Option<Decided>) -> Vec<Decided> {
    let wanted = read(text);
    let mut out = Vec::new();
    for Item { text, heading } in &wanted.items {
        let open = |text: &str| match heading {
            Some(heading) => needs_model(&format!("{heading}: {text}")),
            None => needs_model(text),
        };
        if let Some(decided) = rules(text) {
            out.push(decided);
            continue;
        }
        let parts: Vec<(&str, Option<Decided>)> = grammar::sentences(text).into_iter().map(|part| (part, rules(part))).collect();
        if parts.iter().any(|(_, decided)| decided.is_some()) {
            out.extend(parts.into_iter().map(|(part, decided)| decided.unwrap_or_else(|| open(part))));
        } else {
            out.push(open(text));
        }
    }
    if out.is_empty() && !may_only_report {
        out.extend(wanted.requests.iter().map(|request| needs_model(request)));
    }
    out
}

#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    heading: Option<String>,
    /// How far the last item of a list is indented, while lines can go on with it.
    within: Option<usize>,
    /// The last thing was a list, so that prose ends it.
    listed: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let indent = line.len() - line.trim_start().len();
        let line = unmarked(line.trim());
        if line.is_empty() {
            self.within = None;
            return;
        }
        if let Some((before, items)) = folded(line) {
            self.prose(before);
            items.into_iter().for_each(|item| self.item(item));
            self.within = None;
        } else if let Some(rest) = item(line) {
            self.item(rest);
            self.within = (!rest.ends_with(':')).then_some(indent);
        } else if self.within.is_some_and(|within| indent > within)
            && let Some(last) = self.items.last_mut()
        {
            if !last.text.is_empty() {
                last.text.push(' ');
            }
            last.text.push_str(line);
        } else {
            self.within = None;
            self.prose(line);
        }
    }

    fn item(&mut self, text: &str) {
        self.listed = true;
        match text.strip_suffix(':') {
            Some(heading) => self.heading = Some(heading.trim().to_owned()),
            None => self.items.push(Item { text: text.to_owned(), heading: self.heading.clone() }),
        }
    }

    fn prose(&mut self, line: &str) {
        if self.listed {
            (self.listed, self.heading) = (false, None);
        }
        if let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')).filter(|rest| rest.starts_with(' '))
        {
            self.heading = Some(title.trim().trim_end_matches(':').to_owned());
            return;
        }
        for sentence in grammar::sentences(line) {
            match sentence.strip_suffix(':') {
                Some(heading) => self.heading = Some(heading.trim_end().to_owned()),
                None => self.items.push(Item { text: sentence.to_owned(), heading: self.heading.clone() }),
            }
        }
    }
}

/// Takes the signs of bold print away.
fn unmarked(line: &str) -> &str {
    line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")).filter(|rest| !rest.contains("**")).unwrap_or(line)
}

/// Gives what follows the mark of an item: `-`, `*`, `•`, `1.`, `2)`, `(3)`, `a)`, `1.2.`, each with a box to tick or without.
fn item(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix(['-', '*', '+', '•', '–', '—', '▪', '◦', '·']) {
        Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) || line.starts_with('•') => rest,
        _ => numbered(line)?.1,
    };
    let rest = rest.trim_start();
    let ticked = ["[ ]", "[x]", "[X]"].iter().find_map(|tick| rest.strip_prefix(tick));
    Some(unmarked(ticked.unwrap_or(rest).trim()))
}

/// Gives the number before an item, and what follows it; a letter counts as 0.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let open = line.strip_prefix('(');
    let line = open.unwrap_or(line);
    let end = line.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(line.len());
    let (number, rest) = line.split_at(end);
    let closed = rest.strip_prefix(')');
    let bare = number.trim_end_matches('.');
    let is_marked = closed.is_some() || (open.is_none() && number.ends_with('.'));
    let rest = closed.unwrap_or(rest);
    if !bare.is_empty() && bare.len() <= 6 && is_marked && (rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        return Some((bare.parse().unwrap_or(0), rest));
    }
    let mut letters = line.chars();
    let is_letter = letters.next().is_some_and(|c| c.is_ascii_lowercase()) && letters.next() == Some(')');
    (is_letter && letters.next() == Some(' ')).then(|| (0, &line[2..]))
}

/// Finds a list that YAML folded into one line: `Check that: 1. … 2. …`. Gives what stands before it, and its items.
fn folded(line: &str) -> Option<(&str, Vec<&str>)> {
    let begin = match numbered(line) {
        Some((1, _)) => 0,
        _ => {
            let at = line
                .find(": 1. ")
                .or_else(|| line.find(": 1) "))
                .or_else(|| line.find(": (1) "))
                .or_else(|| line.find(": - "))?;
            at + 2
        }
    };
    let (before, list) = (line[..begin].trim(), &line[begin..]);
    let starts: Vec<(usize, usize)> = if list.starts_with("- ") {
        list.match_indices("- ").filter(|(at, _)| *at == 0 || list[..*at].ends_with(' ')).map(|(at, _)| (at, at + 2)).collect()
    } else {
        let mut next = 1;
        let mut starts = Vec::new();
        for (at, _) in list.char_indices().filter(|(at, _)| *at == 0 || list[..*at].ends_with(' ')) {
            if let Some((number, rest)) = numbered(&list[at..])
                && number == next
            {
                starts.push((at, list.len() - rest.len()));
                next += 1;
            }
        }
        starts
    };
    if starts.len() < 2 {
        return None;
    }
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([list.len()]);
    let items = starts.iter().zip(ends).map(|((_, from), to)| list[*from..to].trim()).filter(|item| !item.is_empty());
    Some((before, items.collect()))
}

/// Parts a text after each question mark that ends a word.
fn questions(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices("? ").map(|(at, _)| at + 1).chain([text.len()]);
    let parts = ends.scan(0, |from, end| Some(text[std::mem::replace(from, end)..end].trim()));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().into_iter()
}

/// Tells whether a sentence is a question in other words: "Consider whether ids repeat", "Find out if a price is negative".
fn is_indirect(sentence: &str) -> bool {
    const VERBS: &[&str] = &[
        "ask",
        "assess",
        "check",
        "consider",
        "decide",
        "determine",
        "evaluate",
        "examine",
        "figure",
        "find",
        "judge",
        "note",
        "see",
        "verify",
    ];
    let lower = sentence.to_lowercase();
    let mut words = words(&lower);
    words.next().is_some_and(|verb| VERBS.contains(&verb))
        && words.find(|word| !matches!(*word, "out" | "yourself")).is_some_and(|word| matches!(word, "whether" | "if"))
}

/// Gives the words of a sentence in small letters, without those of courtesy that it begins with.
fn words(lower: &str) -> impl Iterator<Item = &str> {
    const POLITE: &[&str] = &["please", "also", "then", "finally", "and", "lastly"];
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).skip_while(|word| POLITE.contains(word))
}

/// Tells a request to look at or to report something from a sentence that can hold, and from a question that has a wrong answer: "Report
/// any anomalies", "Look at the data", "How many users are there?".
fn is_request(sentence: &str) -> bool {
    const WHAT: &[&str] = &[
        "any",
        "anything",
        "all",
        "every",
        "everything",
        "each",
        "what",
        "whatever",
        "which",
        "how",
        "why",
        "whether",
        "if",
        "your",
        "me",
        "us",
        "on",
        "anomalies",
        "issues",
        "problems",
        "findings",
        "observations",
        "differences",
        "inconsistencies",
    ];
    let lower = sentence.to_lowercase();
    let mut words = words(&lower);
    let (Some(verb), Some(next)) = (words.next(), words.next()) else { return false };
    let claims = [" is ", " are ", " that "].iter().any(|word| sentence.contains(word));
    match verb {
        "report" | "describe" | "summarize" | "summarise" | "explain" | "comment" | "highlight" | "mention" => {
            WHAT.contains(&next) || next == "the"
        }
        "tell" | "give" if matches!(next, "me" | "us") => true,
        "list" if next == "the" => !claims,
        "note" if is_indirect(sentence) => false,
        "note" | "flag" | "list" | "tell" | "give" => WHAT.contains(&next) && !claims,
        "point" => next == "out",
        "look" => {
            next == "at"
                || next == "for" && words.next().is_some_and(|word| ["any", "anything", "anomalies", "unusual"].contains(&word))
        }
        "examine" | "consider" if matches!(next, "whether" | "if") => false,
        "compare" | "analyze" | "analyse" | "review" | "examine" | "inspect" | "study" | "consider" | "read" => !claims,
        "pay" => next == "attention",
        "what" | "how" | "which" | "who" | "when" | "where" | "why" => sentence.trim_end().ends_with('?'),
        "identify" | "spot" => WHAT.contains(&next),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<String> {
        decide(text, true, |_| None).into_iter().map(|decided| decided.text).collect()
    }

    #[test]
    fn an_item_of_a_list_is_one_sentence_with_its_heading() {
        let numbered = "Check the user:\n1. The address looks genuine. It has an @\n2) The name is that\n   of a person\n(3) Nothing else is shown\nReport any anomalies you observe in the data.\n";
        let expected = [
            "Check the user: The address looks genuine. It has an @",
            "Check the user: The name is that of a person",
            "Check the user: Nothing else is shown",
        ];
        assert_eq!(items(numbered), expected);
        assert_eq!(read(numbered).requests, ["Report any anomalies you observe in the data."]);
        let marked = "## Users\n- [ ] ids are plausible\n* **names are real**\n• no one is twice\n\n**Posts:**\n  a) dates are past\n1.1. titles are short\n\nAll is in English.\n";
        let expected = [
            "Users: ids are plausible",
            "Users: names are real",
            "Users: no one is twice",
            "Posts: dates are past",
            "Posts: titles are short",
            "All is in English.",
        ];
        assert_eq!(items(marked), expected);
    }

    #[test]
    fn a_list_that_was_folded_into_a_line_is_the_same_list() {
        let folded =
            "Check the data: 1. The address is genuine 2. The price is 1.5 or 2.5 euros 3. All is shown. Report any anomalies.";
        let expected = [
            "Check the data: The address is genuine",
            "Check the data: The price is 1.5 or 2.5 euros",
            "Check the data: All is shown",
        ];
        assert_eq!(items(folded), expected);
        assert_eq!(items("Look at: - names - well-formed mails"), ["Look at: names", "Look at: well-formed mails"]);
        assert_eq!(items("1. One 2. Two"), ["One", "Two"]);
    }

    #[test]
    fn prose_and_rules_are_what_they_were() {
        let rules = |text: &str| text.starts_with("result").then(|| needs_model(&format!("rule {text}")));
        let decided = |text: &str| decide(text, false, rules).into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert_eq!(
            decided("result.a is 1. result.b is 2. The rest is fine."),
            ["rule result.a is 1", "rule result.b is 2", "The rest is fine."]
        );
        assert_eq!(
            decided("- result.a is 1. It is fine\n- It is good. It is new"),
            ["rule result.a is 1. It is fine", "It is good. It is new"]
        );
        assert_eq!(decided("It is small. 12 of them are red.\n-5 is less"), ["It is small", "12 of them are red.", "5 is less"]);
        for claim in [
            "List is sorted",
            "The report lists all users",
            "Note that ids are unique",
            "Report totals equal the sum",
            "Mr Smith is named",
        ] {
            assert_eq!(decided(claim), [claim]);
        }
    }

    #[test]
    fn a_question_is_one_sentence_and_one_without_a_wrong_answer_is_none() {
        let text = "Look at the actual data returned. Are there any duplicates? Is the pagination working correctly?\n\
                    - Do all names look real? No field is empty\n- How many users are there?\nCompare the ids.\nList the users.\n\
                    Tell me if anything is odd.\n";
        let expected =
            ["Are there any duplicates?", "Is the pagination working correctly?", "No field is empty", "Do all names look real?"];
        assert_eq!(items(text), expected);
        let requests = read(text).requests;
        assert_eq!(requests.len(), 5, "{requests:?}");
        let indirect = "Please consider whether ids repeat. Find out if a price, e.g. the first, is negative.\nNote whether dates are past\n\
                        Pay attention to the dates.";
        let expected = [
            "Please consider whether ids repeat?",
            "Find out if a price, e.g. the first, is negative?",
            "Note whether dates are past?",
        ];
        assert_eq!(items(indirect), expected);
        for claim in ["Review that all names are real", "Which one is first is not told", "Read access is granted"] {
            assert_eq!(items(claim), [claim]);
        }
    }

    #[test]
    fn nothing_passes_for_want_of_a_sentence() {
        assert_eq!(items("Report any anomalies"), Vec::<String>::new());
        let strict = |text: &str| decide(text, false, |_| None).into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert_eq!(strict("Report any anomalies"), ["Report any anomalies"]);
        assert_eq!(strict("Check the user:"), ["Check the user:"]);
        assert_eq!(strict("  \n"), Vec::<String>::new());
    }
}
