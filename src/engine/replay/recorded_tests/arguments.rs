//! Whether a call in a recorded test is given what it was given when it was recorded.

use crate::domain::call::Call;
use crate::domain::parts;
use crate::domain::secret;
use crate::domain::value::Value;
use crate::engine::python::rerun::RerunCall;
use crate::generate::masked::mask;

/// Tells whether a call is given today what it was given then, as far as both have the same parameters. What a recorded secret was nobody knows: any value of its look may be it.
pub fn same_arguments(recorded: &Call, today: &RerunCall) -> bool {
    let named = |name: &str| today.args.iter().find(|arg| arg.name == name);
    recorded.args.iter().all(|arg| named(&arg.name).is_none_or(|now| is_same(&arg.value, &now.value)))
}

fn is_same(recorded: &Value, today: &Value) -> bool {
    recorded.same_as(today) || {
        let (mut recorded, mut today) = (recorded.clone(), today.clone());
        let is_hidden = hide_as_recorded(&recorded, &mut today);
        let is_masked = mask(&mut recorded) | mask(&mut today);
        (is_hidden || is_masked) && recorded.same_as(&today)
    }
}

/// Puts the secrets of a recorded value where today's has values that they may have been; tells whether there is any.
fn hide_as_recorded(recorded: &Value, today: &mut Value) -> bool {
    if let Value::Secret { look, .. } = recorded {
        let may_be = secret::may_be(today, *look);
        if may_be {
            *today = recorded.clone();
        }
        return may_be;
    }
    let before = recorded.children();
    let (mut at, mut any) = (0, false);
    parts::children(today, &mut |part| {
        if let Some((_, recorded)) = before.get(at) {
            any |= hide_as_recorded(recorded, part);
        }
        at += 1;
    });
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::secret::{Look, SecretLength, SecretType};

    #[test]
    fn any_value_of_its_look_may_be_what_a_recorded_secret_was() {
        let text = |text: &str| Value::Str(text.into());
        let pair = |value: Value| Value::List(vec![Value::Tuple(vec![text("WWW-Authenticate"), value])]);
        let look = Some(Look { ty: SecretType::Str, length: SecretLength::Long });
        let recorded = pair(Value::Secret { kind: "credential".into(), ordinal: 17, look });
        let nonce = "Digest realm=\"a\", nonce=\"8d3f0dc215a2b6518e5617e384aecc26\"";
        assert!(is_same(&recorded, &pair(text(nonce))));
        assert!(!is_same(&recorded, &pair(text("short"))), "of another length");
        assert!(!is_same(&recorded, &pair(Value::Int(1))));
        assert!(!is_same(&pair(text("a")), &pair(text("b"))));
        let traceback = |line: u8| text(&format!("File \"shop.py\", line {line}, in total"));
        assert!(is_same(&traceback(8), &traceback(9)), "a line above it moved it");
        let longer = |mut value: Value| {
            if let Value::List(items) = &mut value {
                items.push(Value::Int(1));
            }
            value
        };
        assert!(!is_same(&recorded, &longer(pair(text(nonce)))), "all the rest counts");
    }
}
