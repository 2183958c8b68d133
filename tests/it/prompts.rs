//! What models are told about the examples: signature, docstring and dependencies for trained ones, and once the whole of
//! each kind of prompt.

use std::collections::BTreeMap;
use std::path::Path;

use pytead_tui::base::redact::Redactor;
use pytead_tui::domain::function::{Function, FunctionKind};
use pytead_tui::domain::settings::Dependencies;
use pytead_tui::llm::prompt::{Question, draft};
use pytead_tui::llm::trained::{Template, code};
use pytead_tui::source::index::Index;
use pytead_tui::source::installed::Installed;
use pytead_tui::source::needs::needs;

fn examples() -> Index {
    Index::build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), &[], &|_, _| {})
}

/// Gives what a trained model sees of every function of a file.
fn told(index: &Index, file: &str) -> String {
    let functions = index.functions().filter(|function| {
        function.path.as_str() == file && function.kind != FunctionKind::Nested && !function.name().starts_with("__")
    });
    let told: Vec<String> = functions
        .map(|function| {
            code(function, &needs(index, &Installed::default(), function, &BTreeMap::new()).said, Dependencies::Trained)
        })
        .collect();
    told.join("\n\n")
}

#[test]
fn each_example_is_told_by_its_promises() {
    let index = examples();
    for file in [
        "calculator.py",
        "order_service.py",
        "http_fetcher.py",
        "mixed_service.py",
        "warehouse/models.py",
        "warehouse/planning.py",
        "warehouse/report.py",
    ] {
        let told = told(&index, file);
        assert!(told.contains("def ") && !told.lines().any(|line| line.starts_with("    return ")), "{told}");
        insta::assert_snapshot!(file.trim_end_matches(".py").replace('/', "_"), told);
    }
}

/// The bytes that pytest-generator ended its question with, and that its model was asked by.
#[test]
fn what_a_trained_model_reads_ends_as_its_predecessor_had_it() {
    let index = examples();
    let function: &Function = index.functions().find(|function| function.id.0 == "order_service:OrderService.place").unwrap();
    let question = Question {
        function,
        source: None,
        needs: &[],
        placement: Dependencies::Trained,
        class: None,
        imports: &[],
        calls: &[],
        earlier: None,
        remark: None,
    };
    let prompt = draft(&question, &Template::Trained, &mut Redactor::default());
    assert!(prompt.system.is_empty() && prompt.user.starts_with("<task>\n") && prompt.user.contains("\n\n<question>\nclass "));
    assert!(prompt.user.ends_with("\n</question>\n\n"), "{:?}", prompt.user);
}

#[test]
fn a_whole_prompt_of_each_kind() {
    let index = examples();
    let find = |name: &str| -> &Function { index.functions().find(|function| function.id.0 == name).unwrap() };
    let function = find("order_service:OrderService.place");
    let text = index.text(&function.path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let source = lines[function.span.first as usize - 1..function.span.last as usize].join("\n");
    let needs = needs(&index, &Installed::default(), function, &BTreeMap::new()).said;
    let question = Question {
        function,
        source: Some(&source),
        needs: &needs,
        placement: Dependencies::Trained,
        class: Some("class OrderService:"),
        imports: &["from dataclasses import dataclass, field".to_owned()],
        calls: &["place(Order('ada', [('pen', 2)])) → Order('ada', [('pen', 2)], 'placed')".to_owned()],
        earlier: None,
        remark: Some("cover the empty order"),
    };
    for (name, template) in [("general", Template::General), ("trained", Template::Trained)] {
        let prompt = draft(&question, &template, &mut Redactor::default());
        insta::assert_snapshot!(format!("prompt_{name}"), format!("{}\n=====\n{}", prompt.system, prompt.user));
    }
}
