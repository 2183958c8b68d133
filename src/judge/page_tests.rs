//! The table of sentences in docs/clauses.md: each row is decided on the two journeys that stand beside it.

use crate::judge::tests::{decide, outcome};

/// Turns `A; › B` into the form of the other tests: a call a line, two blanks for what happened inside.
fn script(cell: &str) -> String {
    let calls = cell.split(';').map(|call| {
        let call = call.trim();
        let name = call.trim_start_matches('›');
        format!("{}{}\n", "  ".repeat((call.len() - name.len()) / '›'.len_utf8()), name.trim())
    });
    calls.collect()
}

#[test]
fn every_sentence_of_the_page_holds_and_is_violated_where_the_page_says_so() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/clauses.md")).unwrap();
    let (_, table) = page.split_once("## Each sentence, on journeys").unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        let [sentence, holds, violated] = cells[..] else { panic!("{row}") };
        for (cell, expected) in [(holds, "holds"), (violated, "violated")] {
            let finding = decide(&script(cell), sentence);
            assert_eq!(outcome(&finding).0, expected, "{sentence} on {cell}\n{finding:?}");
        }
        rows += 1;
    }
    assert!(rows > 35, "{rows} rows");
}
