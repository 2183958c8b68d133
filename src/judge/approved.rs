//! An accepted journey and today's, compared from the coarse to the fine: which functions, how often, in which order, with
//! which values. What is said is the coarsest that changed, because it reads best.

use std::collections::BTreeMap;

/// Says what changed between two tellings of a test; none when they read the same.
#[must_use]
pub fn changed(accepted: &[String], now: &[String]) -> Option<String> {
    if accepted == now {
        return None;
    }
    let (before, after) = (calls(accepted), calls(now));
    if let Some(name) = before.keys().find(|name| !after.contains_key(*name)) {
        return Some(format!("{name} is no longer called."));
    }
    if let Some(name) = after.keys().find(|name| !before.contains_key(*name)) {
        return Some(format!("{name} is called now."));
    }
    for (name, was) in &before {
        let is = after.get(name).copied().unwrap_or_default();
        if is != *was {
            return Some(format!("{name} was called {was}×, and is called {is}× now."));
        }
    }
    let (before, after): (Vec<String>, Vec<String>) = (skeleton(accepted), skeleton(now));
    if let Some(at) = differing(&before, &after) {
        let line = |lines: &[String]| lines.get(at).map_or("the end", |line| line.trim()).to_owned();
        return Some(format!("The order or the nesting changed: {} was {}.", line(&after), line(&before)));
    }
    let at = differing(accepted, now)?;
    let line = |lines: &[String]| lines.get(at).map_or("the end", |line| line.trim()).to_owned();
    Some(format!("A value changed: {} was {}.", line(now), line(accepted)))
}

fn differing(one: &[String], other: &[String]) -> Option<usize> {
    (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))
}

/// Counts the calls by name.
fn calls(lines: &[String]) -> BTreeMap<&str, usize> {
    let mut out = BTreeMap::new();
    for line in lines {
        if let Some((_, rest)) = line.split_once("[CALLED] ") {
            *out.entry(rest.split('(').next().unwrap_or(rest)).or_default() += 1;
        }
    }
    out
}

/// The lines without values and numbers.
fn skeleton(lines: &[String]) -> Vec<String> {
    let bare = |line: &String| {
        let line =
            line.split_once(". ").filter(|(number, _)| number.parse::<usize>().is_ok()).map_or(line.as_str(), |(_, rest)| rest);
        let end = if line.contains("[CALLED]") { line.find('(') } else { line.find(" -> ") };
        line[..end.unwrap_or(line.len())].to_owned()
    };
    lines.iter().map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    const ACCEPTED: &str = "1. [CALLED] S.go({})\n2.   [CALLED] A.a({'n': 1})\n  [RETURNED] A.a -> 1\n3.   [CALLED] B.b({})\n  [RETURNED] B.b -> None\n[RETURNED] S.go -> 'x'";

    #[test]
    fn the_coarsest_change_is_said() {
        let said = |old: &str, new: &str| changed(&told(ACCEPTED), &told(&ACCEPTED.replace(old, new)));
        assert_eq!(said("", ""), None);
        assert_eq!(said("B.b", "C.c").as_deref(), Some("B.b is no longer called."));
        assert_eq!(
            said("n': 1", "n': 2").as_deref(),
            Some("A value changed: 2.   [CALLED] A.a({'n': 2}) was 2.   [CALLED] A.a({'n': 1}).")
        );
        let more = format!("{ACCEPTED}\n4. [CALLED] A.a({{}})");
        assert_eq!(changed(&told(ACCEPTED), &told(&more)).as_deref(), Some("A.a was called 1×, and is called 2× now."));
        let swapped = "1. [CALLED] S.go({})\n2.   [CALLED] B.b({})\n  [RETURNED] B.b -> None\n3.   [CALLED] A.a({'n': 1})\n  [RETURNED] A.a -> 1\n[RETURNED] S.go -> 'x'";
        let why = changed(&told(ACCEPTED), &told(swapped));
        assert_eq!(why.as_deref(), Some("The order or the nesting changed: [CALLED] B.b was [CALLED] A.a."));
    }
}
