//! What stands in for a function that left its process while a call was made (R17): kept among what the call touched, so that
//! the call can be made again without the network and without other programs.

use crate::domain::call::{Call, CallId};
use crate::domain::touch::Touch;
use crate::domain::value::TypeName;

/// A function that gives again what it gave, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// Where its callers read it.
    pub target: TypeName,
    /// It is awaited.
    pub awaited: bool,
    /// The calls of it, whose outcomes it gives again.
    pub calls: Vec<CallId>,
}

impl Answers {
    /// Writes it as the detail of a touch is stored.
    #[must_use]
    pub fn stored(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(|call| call.0.to_string()).collect();
        let awaited = if self.awaited { "await" } else { "" };
        format!("{}\0{}\0{awaited}\0{}", self.target.module, self.target.qualname, calls.join(" "))
    }

    /// Reads what [`Self::stored`] wrote, and nothing else.
    #[must_use]
    pub fn from_stored(detail: &str) -> Option<Self> {
        let [module, qualname, awaited, calls] = <[&str; 4]>::try_from(detail.split('\0').collect::<Vec<_>>()).ok()?;
        let calls = calls.split(' ').map(|id| id.parse().map(CallId)).collect::<Result<_, _>>().ok()?;
        let read = Self { target: TypeName::new(module, qualname), awaited: !awaited.is_empty(), calls };
        (read.stored() == detail).then_some(read)
    }

    /// Lists what stands in for others when a call is made again.
    pub fn of(call: &Call) -> impl Iterator<Item = &Self> {
        call.touches.iter().filter_map(|touch| match touch {
            Touch::StandIn(answers) => Some(answers),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::FunctionId;
    use crate::domain::samples;
    use crate::domain::value::Value;

    #[test]
    fn answers_come_back_from_what_a_call_touched() {
        let answers =
            Answers { target: TypeName::new("rates.client", "Client.get"), awaited: true, calls: vec![CallId(3), CallId(7)] };
        let mut call = samples::call(FunctionId::new("rates", "convert"), &[], Value::None);
        let touch = |detail: &str| Touch::from_stored("stand-in", detail.to_owned());
        call.touches = vec![touch(&answers.stored()), touch("no\0such")];
        assert_eq!(Answers::of(&call).collect::<Vec<_>>(), [&answers]);
    }
}
