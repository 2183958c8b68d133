//! The Log screen: what happened, the newest first.

use crate::domain::event::Level;
use crate::tui::app::AppState;
use crate::tui::doc::{About, DocRow};
use crate::tui::row::Row;
use crate::tui::theme::Role;

/// Makes all lines.
#[must_use]
pub fn rows(state: &AppState) -> Vec<DocRow> {
    let mut out = Vec::new();
    for (index, row) in state.snapshot.log.iter().enumerate().filter(|(_, row)| state.log_filter.takes_log(row)) {
        let (sign, role) = match row.level {
            Level::Info | Level::Done => (" ", Role::Text),
            Level::Warning => ("~", Role::Warning),
            Level::Error => ("!", Role::Failing),
        };
        let line = Row::new()
            .add(Role::Dim, format!(" {} ", state.zone.second(row.at)))
            .add(role, format!("{sign}{:<9} ", row.word))
            .add(Role::Text, row.text.clone());
        out.push(DocRow { row: line, about: About::Log(index), stop: true, changed: false });
        for more in &row.more {
            let row = Row::new().add(Role::Dim, format!("{:21}{more}", ""));
            out.push(DocRow { row, about: About::Log(index), ..DocRow::default() });
        }
    }
    if out.is_empty() {
        let text =
            if state.log_filter.is_empty() { " Nothing happened yet." } else { " The filter hides all entries. F clears it." };
        out.push(DocRow::of(Row::plain(text)));
    }
    out
}
