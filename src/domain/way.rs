//! How the program made a call: how its arguments were given, and what the function's name led to.

use serde::{Deserialize, Serialize};

/// How a caller gave an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// Nobody knows.
    #[default]
    Unknown,
    /// By its place.
    ByPlace,
    /// By its name.
    ByName,
    /// Not at all: the value is the parameter's default.
    LeftOut,
}

impl Given {
    /// Reads the letter used in the spool.
    #[must_use]
    pub fn from_letter(letter: char) -> Self {
        match letter {
            'p' => Self::ByPlace,
            'k' => Self::ByName,
            'd' => Self::LeftOut,
            _ => Self::Unknown,
        }
    }

    /// Tells whether nobody knows.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// Gives the letter used in the spool.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Unknown => '?',
            Self::ByPlace => 'p',
            Self::ByName => 'k',
            Self::LeftOut => 'd',
        }
    }
}

/// What the name of a called function led to: a name of its module or, for methods, of the receiver's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Led {
    /// Nobody knows.
    #[default]
    Unknown,
    /// The very function.
    ToItself,
    /// The very function, a method, by way of the receiver's class.
    ToMethod,
    /// A property that asks the function.
    ToAttribute,
    /// Something else: a decorator's function, a later definition, the override of a subclass.
    Elsewhere,
}

impl Led {
    /// Reads the letter used in the spool.
    #[must_use]
    pub fn from_letter(letter: char) -> Self {
        match letter {
            'N' => Self::ToItself,
            'M' => Self::ToMethod,
            'A' => Self::ToAttribute,
            'W' => Self::Elsewhere,
            _ => Self::Unknown,
        }
    }

    /// Gives the letter used in the spool.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Unknown => '?',
            Self::ToItself => 'N',
            Self::ToMethod => 'M',
            Self::ToAttribute => 'A',
            Self::Elsewhere => 'W',
        }
    }
}

/// How a call came to its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Way {
    /// What the function's name led to.
    pub led: Led,
    /// The function was a coroutine: what it gave had to be awaited.
    pub is_coroutine: bool,
}
