//! What a model or a coding agent wrote → the text of a test and of a plugin, and the names their files get. Pure: nothing
//! of it is believed here, only taken apart.

use crate::base::text;

/// Characters of a file's name, without its end.
const NAME_MAX: usize = 60;
/// Words of a description that make a name.
const WORDS: usize = 7;

/// The parts of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The YAML test; empty where there is none.
    pub test: String,
    /// The plugin, where one was written.
    pub plugin: Option<String>,
}

/// Finds test and plugin in a model's answer: in fences, or the whole of it where there are none.
#[must_use]
pub fn parts(answer: &str) -> Answer {
    let answer = answer.rsplit_once("</think>").map_or(answer, |(_, after)| after);
    let mut found = Answer::default();
    let mut inside: Option<(String, Vec<&str>)> = None;
    let mut plain = Vec::new();
    for line in answer.lines() {
        let fence = line.trim().strip_prefix("```");
        match (fence, &mut inside) {
            (Some(kind), None) => inside = Some((kind.trim().to_lowercase(), Vec::new())),
            (Some(_), Some(_)) => take(&mut found, inside.take()),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => plain.push(line),
        }
    }
    // An answer may end in the middle of its block.
    take(&mut found, inside);
    if found.test.is_empty() && found.plugin.is_none() {
        found.test = whole(&plain);
    }
    found
}

fn take(found: &mut Answer, block: Option<(String, Vec<&str>)>) {
    let Some((kind, lines)) = block else { return };
    let is_python = kind.starts_with("py") || (kind.is_empty() && lines.iter().any(|line| line.starts_with("class ")));
    if is_python {
        found.plugin.get_or_insert_with(|| whole(&lines));
    } else if found.test.is_empty() {
        found.test = whole(&lines);
    }
}

fn whole(lines: &[&str]) -> String {
    let text = lines.join("\n");
    let text = text.trim_matches('\n').trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// Makes the name of a test's file from what is wanted: `test_a_user_is_created`.
#[must_use]
pub fn name(wanted: &str) -> String {
    let lower = wanted.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.skip_while(|word| *word == "test").take(WORDS).collect();
    let name = if words.is_empty() { "something".to_owned() } else { words.join("_") };
    let mut name = format!("test_{name}");
    name.truncate(NAME_MAX);
    name.trim_end_matches('_').to_owned()
}

/// Takes a name that somebody chose for a test, with or without its beginning and end.
///
/// # Errors
/// Says why it is none.
pub fn chosen(given: &str) -> Result<String, String> {
    let bare = given.trim().trim_end_matches(".yaml").trim_end_matches(".yml");
    let name = if bare.starts_with("test_") { bare.to_owned() } else { format!("test_{bare}") };
    let good = bare.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= NAME_MAX
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-');
    if good {
        return Ok(name);
    }
    let shown = text::display_line(given);
    Err(format!("“{}” is no name: small letters, digits, _ and -, at most {NAME_MAX} of them.", text::cut(&shown, 60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "test: {name: t}\nsteps: []\n";
    const PLUGIN: &str = "class A:\n    pass\n";

    #[test]
    fn test_and_plugin_are_found_where_models_put_them() {
        let both = Answer { test: TEST.into(), plugin: Some(PLUGIN.into()) };
        for answer in [
            format!("```yaml\n{TEST}```\n\n```python\n{PLUGIN}```\n"),
            format!("Here it is:\n```python\n{PLUGIN}```\nand\n```yml\n{TEST}```\nDone. ```"),
            format!("<think>```yaml\nno\n```</think>```yaml\n{TEST}```\n```py\n{PLUGIN}"),
            format!("```\n{TEST}```\n```\n{PLUGIN}```"),
        ] {
            assert_eq!(parts(&answer), both, "{answer}");
        }
        assert_eq!(parts(TEST), Answer { test: TEST.into(), plugin: None }, "without fences it is the test");
        assert_eq!(parts(""), Answer::default());
    }

    #[test]
    fn a_name_says_what_is_wanted_and_leads_nowhere_else() {
        for (wanted, made) in [
            ("Creating a user and fetching it gives the same user back, always", "test_creating_a_user_and_fetching_it_gives"),
            ("test that ../../etc/passwd\0 is not read", "test_that_etc_passwd_is_not_read"),
            ("Prüfe die Summe", "test_pr_fe_die_summe"),
            ("…", "test_something"),
            ("CON", "test_con"),
        ] {
            assert_eq!(name(wanted), made);
        }
        assert!(name(&"x".repeat(500)).len() <= NAME_MAX);
    }

    #[test]
    fn a_chosen_name_is_one_or_is_refused() {
        assert_eq!(chosen("users"), Ok("test_users".into()));
        assert_eq!(chosen("test_users.yaml"), Ok("test_users".into()));
        for wrong in ["", "../x", "a/b", "Users", "a b", "-x", ".x", "a\u{202e}b", &"x".repeat(80)] {
            assert!(chosen(wrong).is_err(), "{wrong}");
        }
    }
}
