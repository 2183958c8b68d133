//! A line of source with its number, its mark at the left and what it gave after it; which value belongs to which line.

use std::collections::BTreeMap;

use crate::domain::snapshot::{CallRow, FunctionRow};
use crate::tui::highlight::CodeLine;
use crate::tui::row::{Bit, Row};
use crate::tui::theme::Role;

/// Makes the line of a source pane: mark, number, code, and what the line `gave` after it.
#[must_use]
pub fn source_row(number: usize, code: Vec<Bit>, mark: Option<(&'static str, Role)>, gave: Option<&str>) -> Row {
    let (sign, role) = mark.unwrap_or((" ", Role::Text));
    let mut row = Row::new().add(role, sign).add(Role::Dim, format!("{number:>4}")).add(Role::Text, "  ").fix();
    row.left.extend(code);
    if let Some(gave) = gave {
        row = row.add(Role::Dim, format!("  {gave}"));
    }
    row
}

/// Makes a numbered line of a diff: number, sign, code. The sign carries what the colour says.
#[must_use]
pub fn diff_row(number: Option<usize>, sign: char, code: Vec<Bit>) -> Row {
    let number = number.map_or_else(|| "    ".to_owned(), |number| format!("{number:>4}"));
    let ground = match sign {
        '+' => Some(Role::Added),
        '-' => Some(Role::Removed),
        _ => None,
    };
    let mut row = Row::new().add(Role::Dim, number).add(ground.unwrap_or(Role::Text), format!(" {sign} ")).fix();
    row.left.extend(code);
    row.ground = ground;
    row
}

/// Tells which values of a call stand beside which lines: arguments beside the parameters, the outcome beside the end
/// of the signature and beside the `return`, when there is only one that it can have come from.
#[must_use]
pub fn values(lines: &[CodeLine], function: &FunctionRow, call: &CallRow) -> BTreeMap<u32, String> {
    let mut out = BTreeMap::new();
    let text = |number: u32| lines.get(number as usize - 1).map(|line| line.text.as_str()).unwrap_or_default();
    let (first, last) = (function.line.max(1), function.lines.1.min(u32::try_from(lines.len()).unwrap_or(u32::MAX)));
    let signature_end = (first..=last).find(|number| text(*number).trim_end().ends_with(':')).unwrap_or(first);
    if signature_end > first {
        for (name, value) in &call.args {
            if let Some(number) = (first..=signature_end).find(|number| names(text(*number), name)) {
                out.entry(number).and_modify(|shown: &mut String| *shown = format!("{shown}, {value}")).or_insert(value.clone());
            }
        }
        out.insert(signature_end, call.outcome.clone());
    }
    let returns: Vec<u32> = (signature_end + 1..=last).filter(|number| is_return(text(*number))).collect();
    if let ([only], false) = (returns.as_slice(), call.failed) {
        out.insert(*only, call.outcome.clone());
    }
    out
}

fn names(line: &str, parameter: &str) -> bool {
    line.match_indices(parameter).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + parameter.len()..].trim_start().chars().next();
        before.is_none_or(|c| matches!(c, '(' | ',' | ' ' | '*')) && matches!(after, Some(':' | ',' | '=' | ')'))
    })
}

fn is_return(line: &str) -> bool {
    let line = line.trim_start();
    line == "return" || line.starts_with("return ") || line.starts_with("return(")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::call::{CallId, RecordingId};
    use crate::domain::function::{FunctionId, FunctionKind};
    use crate::domain::snapshot::Mark;

    #[test]
    fn values_stand_beside_the_lines_they_belong_to() {
        let source = "def f(\n    price: D,\n    code=None,\n) -> D:\n    if code:\n        raise ValueError\n    return price\n";
        let lines: Vec<CodeLine> = source.lines().map(CodeLine::plain).collect();
        let function = FunctionRow {
            id: FunctionId::new("m", "f"),
            path: RelPath::new("m.py").unwrap(),
            lines: (1, 7),
            line: 1,
            kind: FunctionKind::Function,
            mark: Mark::Recorded,
            calls: 1,
            drafts: 0,
            changes: 0,
            reason: None,
        };
        let mut call = CallRow {
            id: CallId(1),
            args: vec![("price".into(), "D('1')".into()), ("code".into(), "'TEN'".into())],
            arguments: "(D('1'), 'TEN')".into(),
            outcome: "→ D('1')".into(),
            failed: false,
            times: 1,
            duration_ns: 1,
            inner: vec![],
            caller: None,
            receiver: None,
            changed: vec![],
            not_replayable: None,
            recording: RecordingId(1),
            thread: 0,
            full: vec![],
        };
        let shown = values(&lines, &function, &call);
        let shown: Vec<(u32, &str)> = shown.iter().map(|(n, v)| (*n, v.as_str())).collect();
        assert_eq!(shown, [(2, "D('1')"), (3, "'TEN'"), (4, "→ D('1')"), (7, "→ D('1')")]);
        call.failed = true;
        assert_eq!(values(&lines, &function, &call).get(&7), None);
    }
}
