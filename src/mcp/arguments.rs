//! The arguments of a tool, read with patience: some agents send numbers as text, and `"null"` for nothing. What a tool
//! does not know is refused, so that nobody believes it was heard.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::base::error::Trouble;
use crate::base::text;

/// Arguments of one request.
pub struct Arguments(JsonObject);

impl Arguments {
    /// Takes the arguments; those that say nothing count as not given.
    ///
    /// # Errors
    /// Fails when one is given that the tool does not know.
    pub fn new(given: Option<JsonObject>, known: &[&str]) -> Result<Self, Trouble> {
        let mut given = given.unwrap_or_default();
        given.retain(|_, value| !is_nothing(value));
        if let Some(name) = given.keys().find(|name| !known.contains(&name.as_str())) {
            let name = text::display_line(name);
            let all = if known.is_empty() { "It takes none.".into() } else { format!("It takes {}.", known.join(", ")) };
            return Err(Trouble::usage(format!("This tool takes no argument {}.", text::cut(&name, 60))).because(all));
        }
        Ok(Self(given))
    }

    /// Tells whether an argument was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Gives seconds that have to be there, from none to this many.
    pub fn seconds(&self, name: &str, max: u64) -> Result<f64, Trouble> {
        let given = self.0.get(name).ok_or_else(|| Trouble::usage(format!("{name} is missing.")))?;
        let number = given.as_f64().or_else(|| given.as_str()?.trim().parse().ok()).filter(|number| *number >= 0.0);
        #[allow(clippy::cast_precision_loss)] // bounds are far below where that begins
        let most = max as f64;
        number.filter(|number| *number <= most).ok_or_else(|| Trouble::usage(format!("{name} is a number from 0 to {max}.")))
    }

    /// Gives a text that has to be there.
    pub fn text(&self, name: &str, max: usize) -> Result<&str, Trouble> {
        let given = self.optional(name, max)?;
        given.filter(|given| !given.trim().is_empty()).ok_or_else(|| Trouble::usage(format!("{name} is missing.")))
    }

    /// Gives a text, if there is one.
    pub fn optional(&self, name: &str, max: usize) -> Result<Option<&str>, Trouble> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(given)) if given.len() <= max => Ok(Some(given)),
            Some(Value::String(given)) => {
                let (given, max) = (text::thousands(given.len()), text::thousands(max));
                Err(Trouble::usage(format!("{name} has {given} bytes, and may have {max}.")))
            }
            Some(_) => Err(Trouble::usage(format!("{name} is no text."))),
        }
    }

    /// Gives a number that has to be there.
    pub fn id(&self, name: &str) -> Result<i64, Trouble> {
        match self.0.get(name) {
            None => Err(Trouble::usage(format!("{name} is missing."))),
            Some(value) => integer(value).ok_or_else(|| Trouble::usage(format!("{name} is no number."))),
        }
    }

    /// Gives a number within bounds, or what it is without a word.
    pub fn number(&self, name: &str, default: u64, max: u64) -> Result<u64, Trouble> {
        let Some(value) = self.0.get(name) else { return Ok(default) };
        let number = integer(value).and_then(|number| u64::try_from(number).ok());
        Ok(number.ok_or_else(|| Trouble::usage(format!("{name} is no number.")))?.min(max))
    }

    /// Gives a value of any kind that has to be there; a text that is JSON is what it says.
    pub fn value(&self, name: &str) -> Result<Value, Trouble> {
        let given = self.0.get(name).ok_or_else(|| Trouble::usage(format!("{name} is missing.")))?;
        Ok(given.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| given.clone()))
    }

    /// Gives texts: a list of them, or one alone.
    pub fn texts(&self, name: &str, max: usize) -> Result<Vec<String>, Trouble> {
        let wrong = || Trouble::usage(format!("{name} is no list of texts."));
        match self.0.get(name) {
            None => Ok(Vec::new()),
            Some(Value::String(one)) => match serde_json::from_str::<Vec<String>>(one) {
                Ok(several) if several.len() <= max => Ok(several),
                Ok(_) => Err(Trouble::usage(format!("{name} has more than {max} entries."))),
                Err(_) => Ok(vec![one.clone()]),
            },
            Some(Value::Array(several)) if several.len() <= max => {
                several.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
            }
            Some(Value::Array(_)) => Err(Trouble::usage(format!("{name} has more than {max} entries."))),
            Some(_) => Err(wrong()),
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "null" | "None" | "undefined"),
        _ => false,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)?;
            Some(float as i64)
        }),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(value: Value) -> Result<Arguments, Trouble> {
        Arguments::new(value.as_object().cloned(), &["limit", "name", "names"])
    }

    #[test]
    fn numbers_may_come_as_text_and_nothing_may_come_as_null() {
        for (value, number) in [
            (json!({ "limit": 5 }), 5),
            (json!({ "limit": "5" }), 5),
            (json!({ "limit": 5.0 }), 5),
            (json!({ "limit": "null" }), 20),
            (json!({ "limit": null }), 20),
            (json!({ "limit": "" }), 20),
            (json!({}), 20),
            (json!({ "limit": 1_000_000 }), 100),
        ] {
            assert_eq!(given(value.clone()).unwrap().number("limit", 20, 100).unwrap(), number, "{value}");
        }
        for wrong in [json!({ "limit": -1 }), json!({ "limit": "many" }), json!({ "limit": [5] }), json!({ "limit": 1e300 })] {
            assert!(given(wrong.clone()).unwrap().number("limit", 20, 100).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_argument_that_nobody_hears_is_refused() {
        let trouble = given(json!({ "accept": true })).err().unwrap();
        assert_eq!(trouble.to_string(), "This tool takes no argument accept. It takes limit, name, names.");
        assert!(given(json!({ "accept": null })).is_ok(), "one that says nothing is none");
    }

    #[test]
    fn texts_have_bounds() {
        let long = given(json!({ "name": "x".repeat(100) })).unwrap();
        assert!(long.text("name", 99).is_err() && long.text("name", 100).is_ok());
        assert!(given(json!({})).unwrap().text("name", 9).is_err());
        assert_eq!(given(json!({ "names": "a" })).unwrap().texts("names", 2).unwrap(), ["a"]);
        assert_eq!(given(json!({ "names": "[\"a\", \"b\"]" })).unwrap().texts("names", 2).unwrap(), ["a", "b"]);
        assert!(given(json!({ "names": ["a", "b", "c"] })).unwrap().texts("names", 2).is_err());
        assert!(given(json!({ "names": [1] })).unwrap().texts("names", 2).is_err());
    }
}
