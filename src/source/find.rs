//! Finding functions: by what a person types and by what the recorder saw.

use crate::base::paths::{RelPath, nearest};
use crate::domain::function::{Function, FunctionId, Module};

use super::index::Index;

impl Index {
    /// Gives the function of an id.
    #[must_use]
    pub fn function(&self, id: &FunctionId) -> Option<&Function> {
        let paths = self.by_name.get(id.module())?;
        paths.iter().filter_map(|path| self.module(path)).flat_map(|module| &module.functions).find(|function| function.id == *id)
    }

    /// Gives the module that defines a function.
    #[must_use]
    pub fn module_of(&self, id: &FunctionId) -> Option<&Module> {
        self.module(&self.function(id)?.path).map(|module| &**module)
    }

    /// Gives a module by its dotted name.
    #[must_use]
    pub fn module_called(&self, name: &str) -> Option<&Module> {
        self.module(self.by_name.get(name)?.first()?).map(|module| &**module)
    }

    /// Gives the function of a code object: of that file and qualified name, with the nearest first line.
    #[must_use]
    pub fn by_code(&self, path: &RelPath, qualname: &str, first_line: u32) -> Option<&Function> {
        let functions = &self.module(path)?.functions;
        functions
            .iter()
            .filter(|function| plain(function.id.qualname()) == qualname)
            .min_by_key(|function| function.span.first.abs_diff(first_line))
    }

    /// Gives the innermost function that holds a line of a file.
    #[must_use]
    pub fn at_line(&self, path: &RelPath, line: u32) -> Option<&Function> {
        let functions = &self.module(path)?.functions;
        let holds = functions.iter().filter(|function| (function.span.first..=function.span.last).contains(&line));
        holds.max_by_key(|function| function.span.first)
    }

    /// Finds functions by `module:qualname`, `module.qualname`, `path.py:qualname`, a module, a file, a bare name or
    /// the end of a qualified one; `*` stands for anything. They come in the order of the files.
    ///
    /// # Errors
    /// Gives the names nearest to what was asked when nothing fits.
    pub fn find(&self, text: &str) -> Result<Vec<FunctionId>, Vec<String>> {
        let wanted = text.trim().trim_end_matches("()").trim_start_matches("./");
        if let Some(exact) = self.function(&FunctionId(wanted.to_owned())) {
            return Ok(vec![exact.id.clone()]);
        }
        let mut found: Vec<FunctionId> = Vec::new();
        // A whole name is a better answer than the end of one.
        for fits in [fits_whole, fits_end] {
            for module in self.modules() {
                let functions = module.functions.iter().filter(|function| fits(module, function, wanted));
                found.extend(functions.map(|function| function.id.clone()));
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let ids: Vec<&str> = self.functions().map(|function| function.id.0.as_str()).collect();
        Err(nearest(wanted, ids).into_iter().map(str::to_owned).collect())
    }
}

/// Takes the number of a twin off a qualified name.
pub(super) fn plain(qualname: &str) -> &str {
    qualname.split('#').next().unwrap_or(qualname)
}

fn fits_whole(module: &Module, function: &Function, wanted: &str) -> bool {
    let qualname = plain(function.id.qualname());
    let path = module.path.as_str();
    if let Some((left, right)) = wanted.split_once(':') {
        let right = right.trim_start_matches(':');
        return (glob(left, &module.name) || glob(left, path)) && (glob(right, qualname) || right == function.id.qualname());
    }
    glob(wanted, &format!("{}.{qualname}", module.name)) || glob(wanted, &module.name) || glob(wanted, path)
}

fn fits_end(module: &Module, function: &Function, wanted: &str) -> bool {
    let ends = |pattern: &str, whole: &str, joint: char| {
        glob(pattern, whole) || whole.match_indices(joint).any(|(at, _)| glob(pattern, &whole[at + 1..]))
    };
    let qualname = plain(function.id.qualname());
    match wanted.split_once(':') {
        Some((left, right)) => {
            (ends(left, &module.name, '.') || ends(left, module.path.as_str(), '/'))
                && ends(right.trim_start_matches(':'), qualname, '.')
        }
        None => ends(wanted, &format!("{}.{qualname}", module.name), '.') || ends(wanted, module.path.as_str(), '/'),
    }
}

/// Matches a whole text against a pattern in which `*` stands for anything.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
