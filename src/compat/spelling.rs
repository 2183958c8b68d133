//! The predecessor's command line, put into today's words before it is parsed: functions named before the `--` of `run`
//! and `tead`, and flags that took several values.

/// Flags of `run` and `tead` that take one value.
const ONE: &[&str] = &[
    "-l",
    "--limit",
    "-s",
    "--storage-dir",
    "--calls-dir",
    "-o",
    "--output",
    "-d",
    "--dir",
    "--output-dir",
    "--events",
    "--root",
    "--format",
    "--python",
];
/// Old flags that took as many values as stood there, and how one value is given today.
const MANY: &[(&str, &str)] = &[
    ("-t", "-t"),
    ("--target", "-t"),
    ("--targets", "-t"),
    ("--additional-sys-path", "--additional-sys-path"),
    ("--formats", "--gen-formats"),
    ("--gen-formats", "--gen-formats"),
];

/// Rewrites the words after the program's own name; all that is not an old spelling comes back as it was.
#[must_use]
pub fn modern(words: Vec<String>) -> Vec<String> {
    let Some(verb) = verb(&words) else { return words };
    if matches!(words[verb].as_str(), "gen" | "types") {
        return each_format(words);
    }
    // Only the dashes tell names of functions from the words of a command.
    if !matches!(words[verb].as_str(), "run" | "tead") || !words[verb..].iter().any(|word| word == "--") {
        return words;
    }
    let mut out: Vec<String> = words[..=verb].to_vec();
    let mut at = verb + 1;
    while let Some(word) = words.get(at) {
        let end = at + 1;
        if let Some((_, today)) = MANY.iter().find(|(old, _)| old == word) {
            let is_value = |value: &&String| {
                !value.starts_with('-')
                    && !value.ends_with(".py")
                    && (*today != "-t" || is_dotted(value) || words[at + 1] == **value)
            };
            // Functions may follow the folders: a dotted word is a function.
            let is_value = |value: &&String| is_value(value) && (*today == "-t" || words[end] == **value || !is_dotted(value));
            let values: Vec<&String> = words[end..].iter().take_while(is_value).collect();
            if values.is_empty() {
                break;
            }
            at = end + values.len();
            out.extend(values.into_iter().flat_map(|value| [(*today).to_owned(), value.clone()]));
        } else if ONE.contains(&word.as_str()) {
            out.extend(words[at..].iter().take(2).cloned());
            at += 2;
        } else if word.starts_with('-') && word != "--" {
            out.push(word.clone());
            at = end;
        } else if is_dotted(word) {
            out.extend(["-t".to_owned(), word.clone()]);
            at = end;
        } else {
            break;
        }
    }
    out.extend(words.into_iter().skip(at));
    out
}

/// Gives each of the old formats a flag of its own, as none of them is the name of a function, and the folder of traces its long name.
fn each_format(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut is_format = false;
    for word in words {
        match word.as_str() {
            "--formats" | "--gen-formats" => is_format = true,
            "-c" => out.push("--storage-dir".to_owned()),
            "pickle" | "graph-json" | "repr" if is_format => out.extend(["--gen-formats".to_owned(), word]),
            _ => {
                is_format = false;
                out.push(word);
            }
        }
    }
    out
}

/// Finds the verb: the first word that is neither a flag nor its value.
fn verb(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "--root" | "--format" | "--python" => at += 2,
            flag if flag.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// Tells whether a word is `module.function`, and no script.
fn is_dotted(word: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = word.split(['.', ':']).collect();
    parts.len() > 1 && !word.ends_with(".py") && parts.into_iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> String {
        modern(line.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn several_formats_are_no_functions() {
        assert_eq!(typed("gen --formats pickle graph-json m.f"), "gen --gen-formats pickle --gen-formats graph-json m.f");
        assert_eq!(typed("types --formats pickle graph-json"), "types --gen-formats pickle --gen-formats graph-json");
        assert_eq!(typed("gen -c logs m.f"), "gen --storage-dir logs m.f");
        assert_eq!(typed("gen m.f -o t.py"), "gen m.f -o t.py");
    }

    #[test]
    fn functions_before_the_dashes_are_targets() {
        assert_eq!(typed("run mymodule.multiply -- main.py"), "run -t mymodule.multiply -- main.py");
        assert_eq!(typed("run -l 3 a.b a.C.d -- main.py a.b"), "run -l 3 -t a.b -t a.C.d -- main.py a.b");
        assert_eq!(typed("--trust --root x tead a:b --accept -- -m pkg"), "--trust --root x tead -t a:b --accept -- -m pkg");
        assert_eq!(
            typed("run --additional-sys-path lib ../src a.b a.C.d -- main.py"),
            "run --additional-sys-path lib --additional-sys-path ../src -t a.b -t a.C.d -- main.py"
        );
        assert_eq!(typed("run -s call_logs a.b -- main.py"), "run -s call_logs -t a.b -- main.py");
    }

    #[test]
    fn flags_may_have_several_values_before_the_dashes() {
        assert_eq!(typed("run --targets a.b c.d --limit 2 -- m.py"), "run -t a.b -t c.d --limit 2 -- m.py");
        assert_eq!(
            typed("tead --additional-sys-path lib src --gen-formats pickle graph-json -- m.py"),
            "tead --additional-sys-path lib --additional-sys-path src --gen-formats pickle --gen-formats graph-json -- m.py"
        );
        assert_eq!(typed("run -t cart -- m.py"), "run -t cart -- m.py");
    }

    #[test]
    fn commands_of_today_are_left_alone() {
        for line in [
            "run main.py a.b",
            "run pytest -q -- tests",
            "run ./tool.sh -- a.b",
            "run python3.12 -- main.py",
            "run main.py -- a.b",
            "run -t cart pytest -- -q",
            "run -- main.py a.b -- c.d",
            "gen a.b -- c",
            "run -t",
            "run -t --",
            "--root",
            "",
        ] {
            assert_eq!(typed(line), line);
        }
    }
}
