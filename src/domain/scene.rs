//! What a recorded test did with the fixtures of its project until it made a call: the steps, and what the last one got. The recorder
//! writes it as JSON (`recorder/scenes.py`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

/// How a test came to make a call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Scene {
    /// pytest's id of the test.
    pub test: String,
    /// Its fixtures, by name.
    pub fixtures: BTreeMap<String, Origin>,
    /// Those that the test function takes itself.
    pub direct: Vec<String>,
    /// The marks it bore that count for what its code may do: the name, the arguments by place and by name.
    pub marks: Vec<(String, Vec<Json>, BTreeMap<String, Json>)>,
    /// The framework's class of tests that its class derives from; empty for a class without one, and none outside of classes.
    pub case: Option<String>,
    /// pytest-django was there.
    pub has_django: bool,
    /// Fixtures of plugins by which the test itself put something in the place of something else.
    #[serde(default)]
    pub patched: Vec<String>,
    /// Fixtures that put something in the place of something else before the test began; whether they are there without being
    /// asked for.
    #[serde(default)]
    pub replacing: BTreeMap<String, bool>,
    /// The test is a coroutine function.
    #[serde(default)]
    pub is_async: bool,
    /// What it did, in order; the last step made the call.
    pub steps: Vec<Step>,
}

/// Where a fixture is defined.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Origin {
    /// In what.
    #[serde(rename = "where")]
    pub place: Defined,
    /// The folder of the `conftest.py`, absolute; the file of the test; or the plugin's module.
    pub base: String,
    /// The fixtures that it takes itself.
    pub needs: Vec<String>,
    /// The type of its value.
    #[serde(rename = "type")]
    pub ty: String,
    /// The primary key of its value, where that is a row of Django's.
    pub pk: Option<String>,
    /// The module and the function that define it, where that is a file of tests.
    #[serde(default)]
    pub of: Option<(String, String)>,
}

/// What defines a fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Defined {
    /// A `conftest.py`.
    Conftest,
    /// A file of tests.
    Module,
    /// A plugin, or pytest.
    Plugin,
}

/// What a test did by one call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Step {
    /// It called a method of what a fixture gave, or an attribute of its class held, or of the row that a step saved (`#2`):
    /// `client.get("/")`.
    Call {
        on: String,
        #[serde(rename = "type")]
        ty: String,
        method: String,
        args: Vec<Json>,
        kwargs: Vec<(String, Json)>,
        answer: Option<Answer>,
        /// How what it is called on is made anew, where that is a client which no fixture for others gives (`@0`).
        #[serde(default)]
        client: Option<Box<Client>>,
        /// What it called was awaited.
        #[serde(default)]
        awaited: bool,
        /// What a command found in a temporary folder, and what it left there.
        #[serde(default)]
        folder: Option<Folder>,
        /// Where what it is called on is imported from, and the attributes from there, where that is a session of SQLAlchemy's (`!`).
        #[serde(default)]
        place: Option<Box<(String, String, Vec<String>)>>,
        /// The context that it had entered: the application that the test made, or how it made the context of a request.
        #[serde(default)]
        within: Option<Json>,
        /// The function that did it before the test ran: a fixture.
        #[serde(default)]
        by: Option<String>,
    },
    /// It saved a row of Django's by a method of the model's manager, or made one of SQLAlchemy's (without a method).
    Row {
        model: (String, String),
        method: String,
        args: Vec<Json>,
        kwargs: Vec<(String, Json)>,
        pk: Option<String>,
        #[serde(default)]
        within: Option<Json>,
        #[serde(default)]
        by: Option<String>,
    },
    /// It called a function of the project with what fixtures gave, or with rows.
    Function {
        name: (String, String),
        args: Vec<Json>,
        kwargs: Vec<(String, Json)>,
        #[serde(default)]
        awaited: bool,
        #[serde(default)]
        within: Option<Json>,
        #[serde(default)]
        by: Option<String>,
    },
    /// It made the call itself: which fixtures, rows and requests its arguments are, in the context of which application, and what
    /// the test had changed by then in a way that nobody saw.
    Direct {
        given: BTreeMap<String, Json>,
        context: Option<String>,
        changed: Vec<String>,
        /// What it wrote below a temporary folder.
        #[serde(default)]
        folder: Option<Folder>,
        /// The context that it had entered: the application that the test made, or how it made the context of a request.
        #[serde(default)]
        within: Option<Json>,
    },
}

impl Step {
    /// Gives the context that the test had entered: an application that it made, or how it made the context of a request.
    #[must_use]
    pub fn within(&self) -> Option<&Json> {
        match self {
            Self::Call { within, .. }
            | Self::Row { within, .. }
            | Self::Function { within, .. }
            | Self::Direct { within, .. } => within.as_ref(),
        }
    }

    /// Gives the function that did it before the test ran: a fixture, or what sets up a class.
    #[must_use]
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Call { by, .. } | Self::Row { by, .. } | Self::Function { by, .. } => by.as_deref(),
            Self::Direct { .. } => None,
        }
    }
}

/// What a call wrote below a temporary folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Folder {
    /// The folder, absolute.
    pub base: String,
    /// The folders below it that were there and are needed, by their paths inside.
    pub folders: Vec<String>,
    /// The files that were there and changed, or that a command may have read, and what stood in them.
    pub before: Vec<(String, Written)>,
    /// What changed, and what is there now.
    pub after: Vec<(String, Written)>,
    /// It was the working folder.
    pub inside: bool,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// A file with this text.
    Text(String),
    /// A file with these bytes, each a character.
    Bytes(String),
    /// A database of SQLite.
    Database(Tables),
    /// A file that is long, or holds what nobody may read.
    Long(bool),
    /// A folder.
    Folder(bool),
    /// Nothing any more.
    Gone(bool),
}

/// The tables of a database and the statements that make them; the rows of each, by their columns; and the statements that make its
/// indexes, views and triggers.
pub type Tables = (Vec<(String, String)>, Vec<(String, Vec<Row>)>, Vec<(String, String)>);

/// The values of a row by the names of their columns.
pub type Row = Vec<(String, Json)>;

/// How a client of a framework's tests, or a runner of commands, is made.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Client {
    /// What people call it.
    pub name: String,
    /// Its class.
    #[serde(default)]
    pub class: Option<(String, String)>,
    /// Or the application's method that makes it.
    #[serde(default)]
    pub method: Option<String>,
    /// The application, if it has any.
    #[serde(default)]
    pub app: Option<Json>,
    /// What else it is made with.
    #[serde(default)]
    pub kwargs: Vec<(String, Json)>,
    /// The class of what it passes its requests to the application by; it takes the application then.
    #[serde(default)]
    pub transport: Option<(String, String)>,
    /// Its requests are awaited.
    #[serde(default)]
    pub awaited: bool,
    /// It was used as a context manager, so that the application started up.
    #[serde(default)]
    pub entered: bool,
    /// The test replaced something in the application.
    #[serde(default)]
    pub replaced: bool,
}

/// What a step got.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// Whose answer it is.
    pub by: Framework,
    /// The status of a response.
    pub status: Option<u16>,
    /// The exit code of a command.
    pub exit: Option<i32>,
    /// The text of a response, or what a command printed; none where it is no text, or a long one.
    pub body: Option<String>,
    /// Where a response leads.
    pub location: Option<String>,
    /// The kind of text.
    #[serde(rename = "content-type")]
    pub content_type: Option<String>,
}

/// What gives answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framework {
    /// Flask, and what else is made with werkzeug.
    Werkzeug,
    /// Django.
    Django,
    /// Starlette, and FastAPI.
    Starlette,
    /// Another application of ASGI that httpx asked.
    Asgi,
    /// Commands of click.
    Click,
}

impl Scene {
    /// Reads what the recorder wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Gives the answer of the last step, if it is one that gets any.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match self.steps.last()? {
            Step::Call { answer, .. } => answer.as_ref(),
            Step::Row { .. } | Step::Function { .. } | Step::Direct { .. } => None,
        }
    }

    /// Gives the fixtures that these need, themselves among them.
    #[must_use]
    pub fn closure<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let mut found: Vec<&str> = Vec::new();
        let mut pending: Vec<&str> = names.into_iter().collect();
        while let Some(name) = pending.pop() {
            if !found.contains(&name) {
                found.push(name);
                pending.extend(self.fixtures.get(name).into_iter().flat_map(|origin| origin.needs.iter().map(String::as_str)));
            }
        }
        found
    }
}
