//! What making a call again showed of it, and what is held still for that. Kept in memory alone.

use crate::domain::test_id::TestId;
use crate::domain::value::TypeName;

/// What a test has to hold still, so that a call ends the same way each time (R17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The generator of module `random`.
    Seed,
    /// The same, begun otherwise: no test holds it so, but what ends as ever then does not follow chance.
    OtherSeed,
    /// The system's random bytes, and with them `uuid4`.
    Bytes,
    /// The clock, in seconds since 1970.
    Clock(i64),
}

impl Control {
    /// Gives the moment at which the clock stands.
    #[must_use]
    pub fn moment(self) -> Option<i64> {
        match self {
            Self::Clock(moment) => Some(moment),
            Self::Seed | Self::OtherSeed | Self::Bytes => None,
        }
    }
}

/// What is known of a call from making it again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observation {
    /// What is held still when it is made again.
    pub controls: Vec<Control>,
    /// It is compared with the clock and chance held still.
    pub held_still: bool,
    /// It is compared inside this recorded test.
    pub inside: Option<TestId>,
    /// The functions by which it read the clock that was held still: `time.time`.
    pub clock_reads: Vec<String>,
    /// Leaves of its result that differ from run to run.
    pub open: Vec<OpenLeaf>,
    /// What it printed.
    pub printed: Vec<Printed>,
    /// What it warned.
    pub warned: Vec<Warned>,
    /// The temporary folder that it wrote to, where its test asserts what lies there.
    pub folder: Option<String>,
}

/// A leaf of a result that differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenLeaf {
    /// The way to it, as Python writes it behind the result: `["at"]`.
    pub way: String,
    /// The name of its type: `float`.
    pub ty: String,
}

/// Text that a call printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// Where to.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// Where a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The standard output.
    Output,
    /// The standard error stream.
    Error,
}

/// A warning that a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warned {
    /// Its category.
    pub category: TypeName,
    /// What it says.
    pub message: String,
}
