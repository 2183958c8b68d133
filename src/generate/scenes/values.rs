//! Values of a scene as code: plain ones as they are, secrets as made-up ones, objects by the fixture or the row they are.

use serde_json::Value as Json;

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::Step;
use crate::domain::value::TypeName;
use crate::generate::layout::{self, Expr, Item};
use crate::generate::scenes::writer::Writer;
use crate::generate::scope::{Import, is_identifier, snake};

impl Writer<'_, '_> {
    /// Writes a value; `name` is what it is given as.
    pub(super) fn value(&mut self, value: &Json, name: Option<&str>) -> Result<Expr, Reason> {
        if let Some(expr) = name.and_then(|name| self.key_of(name, value)) {
            return Ok(expr);
        }
        Ok(match value {
            Json::Null => Expr::atom("None"),
            Json::Bool(true) => Expr::atom("True"),
            Json::Bool(false) => Expr::atom("False"),
            Json::Number(number) => match number.as_f64().filter(|_| number.is_f64()).and_then(layout::float) {
                Some(text) => Expr::Atom(text),
                None => Expr::Atom(number.to_string()),
            },
            Json::String(text) => self.text(text),
            Json::Array(_) => return Err(ReasonCode::UnwritableStep.of("list")),
            Json::Object(told) => {
                let (kind, told) = told.iter().next().ok_or_else(|| ReasonCode::UnwritableStep.of("dict"))?;
                return self.object(kind, told, value);
            }
        })
    }

    fn object(&mut self, kind: &str, told: &Json, whole: &Json) -> Result<Expr, Reason> {
        let unwritable = |what: &str| ReasonCode::UnwritableStep.of(what.rsplit('.').next().unwrap_or(what));
        let items = || told.as_array().map_or(&[][..], Vec::as_slice);
        match kind {
            "made_up" => {
                let word = told.as_str().unwrap_or("secret");
                let number = whole.get("n").and_then(Json::as_u64).unwrap_or(1);
                let at = self.secrets.iter().position(|known| *known == number).unwrap_or_else(|| {
                    self.secrets.push(number);
                    self.secrets.len() - 1
                });
                let which = if at == 0 { String::new() } else { format!("-{}", at + 1) };
                Ok(Expr::Text(format!("made-up-{word}{which}")))
            }
            "bytes" => Ok(bytes(told)),
            "io" => {
                self.imports.insert(Import::module("io"));
                Ok(Expr::call("io.BytesIO", vec![bytes(told)]))
            }
            // Of an opened file, too, which other clients take otherwise.
            "upload" if self.scene.has_django => {
                let part = |at: usize| told.get(at).and_then(Json::as_str).unwrap_or_default();
                let class = self.spell(&TypeName::new("django.core.files.uploadedfile", "SimpleUploadedFile"))?;
                let content = told.get(1).map_or_else(|| Expr::atom("b\"\""), bytes);
                let mut items = vec![Item::from(Expr::Text(part(0).to_owned())), Item::from(content)];
                if part(2) != "text/plain" {
                    items.push(Item::keyword("content_type", Expr::Text(part(2).to_owned())));
                }
                Ok(Expr::call_with(&class, items))
            }
            "upload" => Err(unwritable("BufferedReader")),
            "list" => Ok(Expr::list(self.values(items())?)),
            "tuple" => Ok(Expr::tuple(self.values(items())?)),
            "dict" => {
                let mut pairs = Vec::new();
                for pair in items() {
                    let (Some(key), Some(value)) = (pair.get(0), pair.get(1)) else { return Err(unwritable("dict")) };
                    pairs.push((self.value(key, None)?, self.value(value, key.as_str())?));
                }
                Ok(Expr::dict(pairs))
            }
            "made" => {
                let part = |at: usize| told.get(at).and_then(Json::as_str).unwrap_or_default();
                let ty = TypeName::new(part(0), part(1));
                let head = TypeName::new(part(0), part(1).split('.').next().unwrap_or_default());
                let spelled = self.spell(&head)?;
                let rest = ty.qualname.strip_prefix(&head.qualname).unwrap_or_default();
                Ok(Expr::call(&format!("{spelled}{rest}"), vec![Expr::Text(part(2).to_owned())]))
            }
            "name" => {
                let part = |at: usize| told.get(at).and_then(Json::as_str).unwrap_or_default();
                self.class(&TypeName::new(part(0), part(1)))
            }
            "inner" => {
                let part = |at: usize| told.get(at).and_then(Json::as_str).unwrap_or_default();
                let names = whole.get("names").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
                self.inner_function(&TypeName::new(part(0), part(1)), &names.iter().filter_map(Json::as_str).collect::<Vec<_>>())
            }
            "call" => self.application(told, whole.get("n").and_then(Json::as_u64)),
            "way" => {
                let way = told.as_str().unwrap_or_default();
                if way.starts_with("self.") {
                    return Err(ReasonCode::FixtureInTestFile.of(way));
                }
                self.fixture(way.split('.').next().unwrap_or(way))?;
                Ok(Expr::atom(way))
            }
            "below" => Ok(Expr::Atom(self.below(told.as_str().unwrap_or_default(), whole)?)),
            "row" => {
                let at = told.as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
                let name = self.rows.get(&at).cloned().ok_or_else(|| unwritable("row"))?;
                self.used.insert(at);
                Ok(Expr::Atom(name))
            }
            _ => Err(unwritable(told.as_str().unwrap_or(kind))),
        }
    }

    /// Writes a path below the temporary folder: by the fixture that gives it, unless the test makes the file itself.
    fn below(&mut self, inside: &str, whole: &Json) -> Result<String, Reason> {
        let mut by = whole.get("by").and_then(Json::as_str);
        if self.laid.contains(inside) {
            self.replaced.extend(by.take().map(str::to_owned));
        }
        if let Some(name) = by
            && let Some(origin) = self.scene.fixtures.get(name)
        {
            let is_text = origin.ty == "builtins.str";
            self.fixture(name)?;
            return Ok(if is_text { name.to_owned() } else { format!("str({name})") });
        }
        self.take_builtin("tmp_path");
        Ok(if inside.is_empty() { "str(tmp_path)".to_owned() } else { format!("str(tmp_path / {})", layout::string(inside)) })
    }

    /// Takes a fixture of pytest's own.
    pub(super) fn take_builtin(&mut self, name: &str) {
        if !self.fixtures.iter().any(|known| known == name) {
            self.fixtures.push(name.to_owned());
        }
    }

    fn values(&mut self, values: &[Json]) -> Result<Vec<Expr>, Reason> {
        values.iter().map(|value| self.value(value, None)).collect()
    }

    /// Writes a text; in a path the keys of rows stand by the rows they are of.
    fn text(&mut self, text: &str) -> Expr {
        match self.path(text) {
            Some(path) => Expr::Atom(path),
            None => Expr::Text(text.to_owned()),
        }
    }

    /// Writes a path with the keys of rows in it: `f"/books/{book.pk}/"`.
    pub(super) fn path(&mut self, text: &str) -> Option<String> {
        if !text.starts_with('/') || text.contains(['{', '}', '"', '\\', '\n']) {
            return None;
        }
        let (path, query) =
            text.split_once('?').map_or((text, ""), |(path, query)| (path, &text[path.len()..][..query.len() + 1]));
        let parts: Vec<&str> = path.split('/').collect();
        let mut written = Vec::new();
        let mut is_other = false;
        for (at, part) in parts.iter().enumerate() {
            let is_number = !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
            let before = at.checked_sub(1).map_or("", |at| parts[at]);
            match is_number.then(|| self.row_of(part, before)).flatten() {
                Some(key) => {
                    is_other = true;
                    written.push(format!("{{{key}}}"));
                }
                None => written.push((*part).to_owned()),
            }
        }
        is_other.then(|| format!("f\"{}{query}\"", written.join("/")))
    }

    /// Finds the key of a row that a number is: of the one that what stands before it names, in the plural or not.
    fn row_of(&mut self, pk: &str, before: &str) -> Option<String> {
        let before = before.replace('-', "_");
        let is_named = |model: &str| {
            let stem = model.strip_suffix('y').unwrap_or(model);
            !stem.is_empty() && before.starts_with(stem) && before.len() <= model.len() + 2
        };
        let (name, _, row) = self.keyed(pk).into_iter().find(|(_, model, _)| is_named(model))?;
        self.take(&name, row).then(|| self.key(&name, row))
    }

    /// Writes a key that is given by the name of what it is of: `"author": author.pk`.
    fn key_of(&mut self, name: &str, value: &Json) -> Option<Expr> {
        let pk = match value {
            Json::Number(number) => number.to_string(),
            Json::String(text) if text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty() => text.clone(),
            _ => return None,
        };
        let model = name.strip_suffix("_id").unwrap_or(name);
        let (name, _, row) = self.keyed(&pk).into_iter().find(|(_, known, _)| known == model)?;
        self.take(&name, row).then(|| Expr::Atom(self.key(&name, row)))
    }

    /// Lists the rows with a key: the name, the model's name, and the step that saved it.
    fn keyed(&self, pk: &str) -> Vec<(String, String, Option<usize>)> {
        let short = |ty: &str| snake(ty.rsplit('.').next().unwrap_or_default());
        let mut found = Vec::new();
        for (at, step) in self.scene.steps.iter().enumerate() {
            if let Step::Row { model, pk: Some(own), .. } = step
                && own == pk
            {
                found.push((self.rows[&at].clone(), short(&model.1), Some(at)));
            }
        }
        for (name, origin) in &self.scene.fixtures {
            if origin.pk.as_deref() == Some(pk) && self.reaches(name).is_ok() && is_identifier(name) {
                found.push((name.clone(), short(&origin.ty), None));
            }
        }
        // What the test takes itself is what it is about.
        found.sort_by_key(|(name, ..)| !self.scene.direct.contains(name));
        found
    }

    /// Gives the key of what is told, if that is a row.
    pub(super) fn pk_of(&self, told: &Json) -> Option<String> {
        if let Some(at) = told.get("row").and_then(Json::as_u64) {
            let step = usize::try_from(at).ok().and_then(|at| self.scene.steps.get(at));
            return if let Some(Step::Row { pk, .. }) = step { pk.clone() } else { None };
        }
        self.scene.fixtures.get(told.get("way")?.as_str()?)?.pk.clone()
    }

    /// Writes a key by the row that has it, where there is one alone.
    pub(super) fn only_row(&mut self, pk: &str) -> Option<String> {
        let known = self.keyed(pk);
        let [(name, _, row)] = known.as_slice() else { return None };
        self.take(name, *row).then(|| self.key(name, *row))
    }

    fn take(&mut self, name: &str, row: Option<usize>) -> bool {
        match row {
            Some(at) => {
                self.used.insert(at);
                true
            }
            None => self.fixture(name).is_ok(),
        }
    }

    /// Notes that a test uses `ANY`.
    pub(super) fn any(&mut self) -> Expr {
        self.imports.insert(Import::From { module: "unittest.mock".into(), name: "ANY".into() });
        Expr::atom("ANY")
    }
}

/// Writes bytes, each of which the recording has as a character.
fn bytes(told: &Json) -> Expr {
    let held: Vec<u8> = told.as_str().unwrap_or_default().chars().map(|c| u8::try_from(c as u32).unwrap_or(b'?')).collect();
    Expr::Atom(layout::bytes(&held))
}
