//! A function as models see it that were trained to write tests from its promise: signature, docstring and a line of
//! dependencies, never its body. Models of the general kind see it so where the settings keep the source back.

use crate::domain::function::{Function, FunctionKind};
use crate::domain::settings::Dependencies;
use crate::llm::prompt::signature;

/// What a prompt is made from: one of ours, or the person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Template {
    /// For any model that follows instructions.
    General,
    /// For models trained on signature, docstring and dependencies.
    Trained,
    /// The person's own, with `{code}` where the function goes.
    Own(String),
}

/// Part of the names of models that were trained so.
const TRAINED: &str = "pytest-8b";

impl Template {
    /// Finds the template that the settings name for a model. `read` reads a file of the person's.
    ///
    /// # Errors
    /// Says why the file cannot be used.
    pub fn find(setting: &str, model: &str, read: impl Fn(&str) -> Result<String, String>) -> Result<Self, String> {
        Ok(match setting.trim() {
            "" | "auto" if model.to_lowercase().contains(TRAINED) => Self::Trained,
            "" | "auto" | "general" => Self::General,
            "trained" => Self::Trained,
            text if text.contains("{code}") => Self::Own(setting.to_owned()),
            path => {
                let text = read(path)?;
                if !text.contains("{code}") {
                    return Err("it has no {code} where the function goes".into());
                }
                Self::Own(text)
            }
        })
    }
}

/// Writes a function without its body.
#[must_use]
pub fn code(function: &Function, needs: &[String], placement: Dependencies) -> String {
    let line = (!needs.is_empty() && placement != Dependencies::Off).then(|| format!("# Dependencies: {}", needs.join(", ")));
    let (inside, after) = match placement {
        Dependencies::Trained => (line, None),
        Dependencies::Compat => (None, line),
        Dependencies::Off => (None, None),
    };
    let mut lines = vec![format!("{}:", signature(function))];
    let docstring = function.docstring.as_deref().map(str::trim).filter(|docstring| !docstring.is_empty());
    if docstring.is_some() || inside.is_some() {
        let docstring = docstring.unwrap_or_default().replace("\"\"\"", "'''");
        let told: Vec<&str> = docstring.lines().chain(inside.as_deref()).collect();
        match told.as_slice() {
            [one] if inside.is_none() => lines.push(format!("    \"\"\"{one}\"\"\"")),
            told => {
                lines.push("    \"\"\"".into());
                lines.extend(told.iter().map(|line| if line.trim().is_empty() { String::new() } else { format!("    {line}") }));
                lines.push("    \"\"\"".into());
            }
        }
    }
    lines.extend(after.map(|line| format!("    {line}")));
    let owner = function.id.qualname().rsplit_once('.').filter(|_| function.kind != FunctionKind::Nested);
    match owner {
        Some((owner, _)) => {
            let decorator = match function.kind {
                FunctionKind::ClassMethod => Some("@classmethod"),
                FunctionKind::StaticMethod => Some("@staticmethod"),
                FunctionKind::Property => Some("@property"),
                _ => None,
            };
            let inner = decorator.into_iter().map(str::to_owned).chain(lines);
            let inner: Vec<String> = inner.map(|line| if line.is_empty() { line } else { format!("    {line}") }).collect();
            format!("class {owner}:\n{}", inner.join("\n"))
        }
        None => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::function::{Fingerprint, FunctionId, Param, ParamKind, Span};

    fn function(qualname: &str, kind: FunctionKind, params: &[&str], docstring: Option<&str>) -> Function {
        let param =
            |name: &&str| Param { name: (*name).into(), kind: ParamKind::PositionalOrKeyword, annotation: None, default: None };
        Function {
            id: FunctionId::new("shop", qualname),
            path: RelPath::new("shop.py").unwrap(),
            span: Span { first: 1, def: 1, last: 9 },
            kind,
            is_async: false,
            is_generator: false,
            decorators: vec!["memo(FACTOR)".into()],
            params: params.iter().map(param).collect(),
            returns: None,
            docstring: docstring.map(Into::into),
            fingerprint: Fingerprint::default(),
            uses: BTreeSet::new(),
        }
    }

    #[test]
    fn the_dependencies_stand_where_the_model_learned_them_or_where_the_predecessor_put_them() {
        let save = function("save", FunctionKind::Function, &["db", "name"], Some("Saves a user.\n\nRaises ValueError."));
        let needs = ["db.insert(name)".to_owned()];
        let head = "def save(db, name):\n    \"\"\"\n    Saves a user.\n\n    Raises ValueError.\n";
        let line = "    # Dependencies: db.insert(name)";
        assert_eq!(code(&save, &needs, Dependencies::Trained), format!("{head}{line}\n    \"\"\""));
        assert_eq!(code(&save, &needs, Dependencies::Compat), format!("{head}    \"\"\"\n{line}"));
        assert!(!code(&save, &needs, Dependencies::Off).contains("Dependencies"));
        let bare = function("save", FunctionKind::Function, &["db"], None);
        let expected = format!("def save(db):\n    \"\"\"\n{line}\n    \"\"\"");
        assert_eq!(code(&bare, &needs, Dependencies::Trained), expected);
        assert_eq!(code(&bare, &[], Dependencies::Trained), "def save(db):");
    }

    #[test]
    fn a_docstring_stays_in_its_quotes_and_a_method_in_its_class() {
        let quoted = function("f", FunctionKind::Function, &["a"], Some("Says \"\"\" twice."));
        assert_eq!(code(&quoted, &[], Dependencies::Trained), "def f(a):\n    \"\"\"Says ''' twice.\"\"\"");
        let method = function("A.make", FunctionKind::ClassMethod, &["cls"], Some("Makes."));
        let told = code(&method, &[], Dependencies::Trained);
        assert_eq!(told, "class A:\n    @classmethod\n    def make(cls):\n        \"\"\"Makes.\"\"\"");
    }

    #[test]
    fn the_settings_name_a_template_and_a_trained_model_its_own() {
        let read = |path: &str| if path == "mine.md" { Ok("{code}".into()) } else { Ok("none".to_owned()) };
        let find = |setting: &str, model: &str| Template::find(setting, model, read);
        assert_eq!(find("auto", "Priyansu19/pytest-8b-GGUF/pytest-8b-q4_k_m.gguf"), Ok(Template::Trained));
        assert_eq!(find("auto", "gpt-5"), Ok(Template::General));
        assert_eq!(find("general", "pytest-8b"), Ok(Template::General));
        assert_eq!(find("Test {code} well.", "x"), Ok(Template::Own("Test {code} well.".into())));
        assert_eq!(find("mine.md", "x"), Ok(Template::Own("{code}".into())));
        assert!(find("other.md", "x").is_err());
    }
}
