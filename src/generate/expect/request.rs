//! R8: what a request is asked: its method, its path, what was sent with it, and what was set on it.

use crate::domain::reason::ReasonCode;
use crate::domain::value::Value;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::string;

impl Builder<'_, '_> {
    /// Asserts a request that was not given to the call, by the arguments of the factory's method that makes it.
    pub(super) fn request(&mut self, subject: &str, made: &Value, fields: &[(String, Value)]) -> Result<Vec<Assertion>, Stop> {
        let Value::New { ty, args, kwargs } = made else { return no(ReasonCode::NotComparable) };
        let verb = ty.qualname.rsplit('.').next().unwrap_or_default();
        let mut told = args.iter().skip(1);
        let method = if verb == "generic" { told.next().cloned() } else { Some(Value::Str(verb.to_uppercase())) };
        let mut all = Vec::new();
        let mut equal = |builder: &mut Self, asked: String, value: &Value| -> Result<(), Stop> {
            all.push(Assertion::new(&format!("{subject}.{asked}"), Relation::Equal, builder.expected(value)?));
            Ok(())
        };
        for (asked, value) in [("method", method.as_ref()), ("get_full_path()", told.next())] {
            if let Some(value) = value {
                equal(self, asked.to_owned(), value)?;
            }
        }
        match told.next() {
            Some(Value::Str(sent)) => equal(self, "body".into(), &Value::Bytes(sent.as_bytes().to_vec()))?,
            Some(sent @ Value::Bytes(_)) => equal(self, "body".into(), sent)?,
            Some(form) => equal(self, "POST.dict()".into(), form)?,
            None => {}
        }
        for (name, value) in kwargs {
            match (name.as_str(), value) {
                (_, Value::Secret { .. }) => {}
                ("secure", _) => equal(self, "is_secure()".into(), value)?,
                ("content_type", _) => equal(self, "META[\"CONTENT_TYPE\"]".into(), value)?,
                (name, _) => equal(self, format!("META[{}]", string(name)), value)?,
            }
        }
        let set: Vec<(&str, &Value)> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
        all.extend(self.attributes(subject, &set)?);
        Ok(all)
    }
}
