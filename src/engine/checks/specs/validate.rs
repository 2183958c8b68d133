//! What is wrong with a YAML test beside its form: tools that there are not, arguments that they do not take or lack, and
//! checks that are no Python. No step is run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::paths::read_text;
use crate::domain::spec::Spec;
use crate::engine::checks::specs::runner::Specs;
use crate::python::plugins::{Broken, Tool};
use crate::source::tree::is_expression;
use crate::spec::load::{self, Mistake, Mistakes};
use crate::spec::tools;

/// The tools that a test has: our own, and those of its plugins.
struct Known {
    tools: Vec<Tool>,
    not_async: Vec<String>,
    broken: Vec<Broken>,
}

/// The tools of plugins that were looked at, by the files of these; none where that could not be.
#[derive(Default)]
pub struct Looked(BTreeMap<Vec<PathBuf>, Option<Known>>);

impl Specs {
    /// Says what is wrong with a file. The tools are known where it has no plugins, or where these may be imported, in a folder
    /// that is trusted.
    pub async fn mistakes(&self, file: &Path, may_import: bool, looked: &mut Looked) -> Option<Mistakes> {
        let (spec, mut all) = match load::file(file) {
            Ok(spec) => (Box::new(spec), Vec::new()),
            // What could be read of it is looked at, too: a person mends all of a file at once.
            Err(Mistakes { rest: Some(rest), all, .. }) => (rest, all),
            Err(mistakes) => return Some(mistakes),
        };
        all.extend(no_expressions(&spec));
        if let Some(known) = self.known(file, may_import, looked).await {
            let names: Vec<&str> = known.tools.iter().map(|tool| tool.name.as_str()).collect();
            let not_async: Vec<&str> = known.not_async.iter().map(String::as_str).collect();
            all.extend(tools::missing(&spec, &names, &not_async, &known.broken));
            all.extend(tools::misfits(&spec, |name| known.tools.iter().find(|tool| tool.name == name)));
        }
        all.sort_by_key(|mistake| (mistake.at.line, mistake.at.column));
        (!all.is_empty()).then(|| Mistakes::of(&read_text(file).unwrap_or_default(), all))
    }

    async fn known<'l>(&self, file: &Path, may_import: bool, looked: &'l mut Looked) -> Option<&'l Known> {
        let files = self.plugin_files(file);
        if !looked.0.contains_key(&files) {
            let known = if files.is_empty() && !self.has_servers() {
                Some(Known { tools: tools::built_in(), not_async: Vec::new(), broken: Vec::new() })
            } else if may_import {
                self.plugins(file).await.ok().map(|(plugins, broken)| Known {
                    not_async: plugins.iter().flat_map(|plugin| plugin.not_async.clone()).collect(),
                    tools: tools::built_in().into_iter().chain(plugins.into_iter().flat_map(|plugin| plugin.tools)).collect(),
                    broken,
                })
            } else {
                None
            };
            looked.0.insert(files.clone(), known);
        }
        looked.0.get(&files)?.as_ref()
    }
}

/// Finds the checks that Python could not read; one with references is another text when it is run.
fn no_expressions(spec: &Spec) -> Vec<Mistake> {
    let mut found = Vec::new();
    tools::walk(spec, &mut |step| {
        for check in step.check.iter().filter(|check| !check.text.contains("${") && !is_expression(&check.text)) {
            let what = "This `check` is no Python expression. A sentence in English belongs under `expect`.".to_owned();
            found.push(Mistake { at: check.at, length: check.text.lines().next().unwrap_or_default().chars().count(), what });
        }
    });
    found
}
