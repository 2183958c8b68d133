//! Fields that number the objects of a program in the order of their making: in a test, other objects were made before.
//!
//! Finds them by what constructors left in the objects; what draws no conclusion from the numbers asks [`super::learned`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::call::{Call, CallId, Outcome, RecordingId};
use crate::domain::value::{TypeName, Value};

/// Fewer objects than this may have such numbers by chance.
const OBJECTS_MIN: usize = 6;
/// Of so many objects one may have been given the number that it got.
const GIVEN: usize = 4;

/// Fields by the class whose constructor fills them.
pub type Serials = HashMap<TypeName, BTreeSet<String>>;

/// What objects were numbered with, by class and field.
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    of: HashMap<(TypeName, String), Numbered>,
}

/// The numbers that one field held, in order of the constructors' calls.
#[derive(Debug, Clone, Default)]
struct Numbered {
    held: BTreeMap<(RecordingId, i64, i64, CallId), i64>,
    /// So many of them were among the arguments.
    given: usize,
}

impl Numbers {
    /// Notes the numbers that a constructor put into its object.
    pub fn note(&mut self, call: &Call, process: i64) {
        let Some(class) = call.function.qualname().strip_suffix(".__init__") else { return };
        let (Some(receiver), Outcome::Returned(_)) = (call.args.first(), &call.effect.outcome) else { return };
        let after = call.effect.changed.iter().find(|(name, _)| *name == receiver.name).map(|(_, after)| after);
        let (Value::Object { fields: before, .. }, Some(Value::Object { fields, .. })) = (&receiver.value, after) else { return };
        for (name, value) in fields {
            let Value::Int(number) = value else { continue };
            if before.iter().any(|(known, _)| known == name) {
                continue;
            }
            let numbered = self.of.entry((TypeName::new(call.function.module(), class), name.clone())).or_default();
            numbered.held.insert((call.recording, process, call.start_ns, call.id), *number);
            let is_given = call.args.iter().skip(1).any(|arg| !arg.value.walk(&mut |part| part != value));
            numbered.given += usize::from(is_given);
        }
    }

    /// Gives the fields whose numbers rose with each object.
    #[must_use]
    pub fn serials(self) -> Serials {
        let mut found = Serials::new();
        for ((class, field), numbered) in self.of {
            if numbered.is_serial() {
                found.entry(class).or_default().insert(field);
            }
        }
        found
    }
}

impl Numbered {
    fn is_serial(&self) -> bool {
        let all: Vec<_> = self.held.iter().map(|((recording, process, ..), number)| ((recording, process), *number)).collect();
        let rises = |pair: &[((&RecordingId, &i64), i64)]| pair[0].0 != pair[1].0 || pair[0].1 < pair[1].1;
        all.len() >= OBJECTS_MIN && self.given * GIVEN <= all.len() && all.windows(2).all(rises)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Argument;
    use crate::domain::call::Effect;
    use crate::domain::function::{FunctionId, ParamKind};
    use crate::domain::samples;
    use crate::domain::value::ObjectKind;

    /// Constructors of a ticket that leave these numbers, with these arguments.
    fn made(numbers: &[(i64, i64)]) -> Serials {
        let mut seen = Numbers::default();
        let ticket = |fields: &[(String, Value)]| Value::Object {
            ordinal: 1,
            ty: TypeName::new("shop.desk", "Ticket"),
            kind: ObjectKind::Plain,
            fields: fields.to_vec(),
        };
        for (at, (number, given)) in (0..).zip(numbers) {
            let after = ticket(&[("_serial".to_owned(), Value::Int(*number))]);
            let arg = |name: &str, value| Argument::new(name, ParamKind::PositionalOrKeyword, value);
            let call = Call {
                id: CallId(at),
                function: FunctionId::new("shop.desk", "Ticket.__init__"),
                start_ns: at,
                args: vec![arg("self", ticket(&[])), arg("seats", Value::List(vec![Value::Int(*given)]))],
                effect: Effect { outcome: Outcome::Returned(Value::None), changed: vec![("self".into(), after)] },
                ..samples::call(FunctionId::new("shop.desk", "Ticket.__init__"), &[], Value::None)
            };
            seen.note(&call, 1);
        }
        seen.serials()
    }

    #[test]
    fn a_number_that_rises_with_each_object_is_a_serial_number() {
        let rising = [(10, 1), (11, 1), (13, 1), (14, 14), (20, 1), (21, 1)];
        assert_eq!(made(&rising).into_values().flatten().collect::<Vec<_>>(), ["_serial"]);
        assert_eq!(made(&rising[..5]), Serials::new(), "too few to tell");
        assert_eq!(made(&[(10, 1), (11, 1), (11, 1), (14, 1), (20, 1), (21, 1)]), Serials::new(), "one number twice");
        assert_eq!(made(&rising.map(|(number, _)| (number, number))), Serials::new(), "what was given is kept");
    }
}
