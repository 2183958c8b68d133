use super::*;
use crate::domain::call::Argument;
use crate::domain::samples;
use crate::domain::value::TypeName;
use crate::source::index::Index;

const SOURCE: &str = "def clamp(value, low, high):\n    \"\"\"Keep a \\\"value\\\" within.\"\"\"\n    return value\n\n\n\
                      class Cart:\n    def total(self):\n        return 1\n\n\nasync def later(value):\n    return value\n";

fn asked(name: &str, calls: &[(Vec<Value>, Outcome)]) -> Option<(Prompt, Form)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shop.py"), SOURCE).unwrap();
    let index = Index::build(folder.path(), &[], &|_, _| {});
    let function = index.functions().find(|function| function.id.qualname() == name).unwrap();
    let calls: Vec<Call> = calls.iter().map(|(values, outcome)| call(function, values, outcome)).collect();
    question(function, calls.iter().map(|call| (call, &call.effect)))
}

fn call(function: &Function, values: &[Value], outcome: &Outcome) -> Call {
    let arguments = function.params.iter().zip(values);
    let argument =
        |(param, value): (&crate::domain::function::Param, &Value)| Argument::new(&param.name, param.kind, value.clone());
    let effect = Effect { outcome: outcome.clone(), changed: vec![] };
    Call { args: arguments.map(argument).collect(), effect, ..samples::call(function.id.clone(), &[], Value::None) }
}

fn numbers(values: [i64; 3]) -> Vec<Value> {
    values.map(Value::Int).to_vec()
}

fn raised(name: &str) -> Outcome {
    let exception = Value::Exception { ordinal: 1, ty: TypeName::new("builtins", name), args: vec![], fields: vec![] };
    Outcome::Raised { exception, mro: vec![] }
}

#[test]
fn the_question_is_of_the_form_that_the_model_learned_from() {
    let text = vec![Value::Str("it's \"a\"".into()), Value::Int(0), Value::List(vec![Value::Float(1.5), Value::None])];
    let calls = [
        (numbers([5, 0, 3]), Outcome::Returned(Value::Int(3))),
        (numbers([-1, 0, 3]), Outcome::Returned(Value::None)),
        (text, raised("TypeError")),
        (numbers([5, 0, 3]), Outcome::Returned(Value::Int(3))),
    ];
    let (prompt, form) = asked("clamp", &calls).unwrap();
    assert_eq!(prompt.system, "");
    insta::assert_snapshot!("question", prompt.user);
    let Form::Grammar(grammar) = form else { panic!("{form:?}") };
    insta::assert_snapshot!("grammar", grammar);
}

#[test]
fn what_is_no_literal_or_no_plain_function_is_not_asked_about() {
    let decimal = Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![Value::Str("1".into())], kwargs: vec![] };
    let returned = Outcome::Returned(Value::Int(1));
    let none = |values: Vec<Value>, outcome: &Outcome| asked("clamp", &[(values, outcome.clone())]).is_none();
    assert!(none(vec![decimal.clone(), Value::Int(1), Value::Int(2)], &returned));
    assert!(none(vec![Value::Float(f64::NAN), Value::Int(1), Value::Int(2)], &returned));
    assert!(none(vec![Value::Str("line\nend é".into()), Value::Int(1), Value::Int(2)], &returned));
    assert!(none(vec![Value::Str("x".repeat(200)), Value::Int(1), Value::Int(2)], &returned));
    assert!(none(numbers([1, 2, 3]), &Outcome::Returned(decimal)));
    assert!(none(numbers([1, 2, 3]), &Outcome::Unfinished));
    assert!(asked("clamp", &[]).is_none());
    assert!(asked("Cart.total", &[(vec![], returned.clone())]).is_none());
    assert!(asked("later", &[(vec![Value::Int(1)], returned)]).is_none());
}
