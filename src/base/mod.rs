//! L0: what every layer may use and that knows nothing of the product: text, paths, folders, hashes, signatures, time, YAML, redaction.

mod beside;
pub mod bits;
pub mod card;
pub mod clock;
pub mod cores;
pub mod error;
mod escapes;
mod finders;
mod forms;
mod found;
pub mod fraction;
pub mod fs;
pub mod hash;
pub mod lines;
mod logins;
pub mod machine;
mod names;
pub mod paths;
pub mod phrases;
pub mod redact;
pub mod scratch;
pub mod seal;
pub mod sentence;
mod several;
pub mod text;
pub mod typed;
pub mod yaml;
