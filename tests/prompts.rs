//! What models are told about the examples: the whole of each kind of prompt.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use pytead_tui::base::redact::Redactor;
use pytead_tui::domain::function::Function;
use pytead_tui::domain::settings::Dependencies;
use pytead_tui::llm::prompt::{Question, draft};
use pytead_tui::llm::trained::Template;
use pytead_tui::source::index::Index;
use pytead_tui::source::needs::needs;

fn examples() -> Index {
    Index::build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), &[], &|_, _| {})
}

#[test]
fn a_whole_prompt_of_each_kind() {
    let index = examples();
    let find = |name: &str| -> &Function { index.functions().find(|function| function.id.0 == name).unwrap() };
    let function = find("order_service:OrderService.place");
    let text = index.text(&function.path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let source = lines[function.span.first as usize - 1..function.span.last as usize].join("\n");
    let needs = needs(&index, function, &BTreeMap::new());
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
