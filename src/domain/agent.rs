//! The coding agents that can be set up here, and what each of them reads: one file for the server, one for the hook.

use serde::{Deserialize, Serialize};

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Cursor.
    Cursor,
    /// Codex.
    Codex,
}

impl Agent {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Cursor, Self::Codex];

    /// Names it for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Codex => "Codex",
        }
    }

    /// Names the file of the project with its MCP servers.
    #[must_use]
    pub fn servers(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::Codex => ".codex/config.toml",
        }
    }

    /// Names the file of the project with its hooks.
    #[must_use]
    pub fn hooks(self) -> &'static str {
        match self {
            Self::Claude => ".claude/settings.json",
            Self::Cursor => ".cursor/hooks.json",
            Self::Codex => ".codex/hooks.json",
        }
    }

    /// Says what the agent asks its person before it uses what a project's files name, where it asks.
    #[must_use]
    pub fn asks(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("Claude Code asks once whether to use the server of this project."),
            Self::Cursor => None,
            Self::Codex => {
                Some("Codex reads both in folders that it trusts, and runs the hook once you have reviewed it: /hooks.")
            }
        }
    }
}
