//! What is accepted, and what is said of everything else.

use super::*;
use crate::spec::load::Mistakes;

const GOOD: &str = "\
test:
  name: \"User Creation Test\"
  description: \"Verify user creation works correctly\"
  tags: [\"api\", \"health\"]
  timeout: 30

setup:
  - tool: api_reset

steps:
  - name: \"Create a user\"
    tool: my_api_create_user
    args:
      name: \"Alice\"
      email: \"alice@example.com\"
    save_as: created_user
    expect: \"User should be created with valid ID and timestamp\"
    analyze: \"Additional analysis instructions\"
    timeout: 2.5
    retry: 3
    retry_delay: 2.0
  - name: \"Create 5 test users\"
    repeat: 5
    steps:
      - tool: database_create_user
        args: {name: \"Test User\", id: \"${created_user.id}\"}
        check: [\"result['id'] > 0\", \"not error\"]

teardown:
  - tool: api_cleanup

verdict:
  pass_if: \"User was created with correct data\"
  fail_if: \"User creation failed or data is invalid\"
";

fn said(text: &str) -> Vec<String> {
    let wrong = spec(text).expect_err(text);
    Mistakes::of(text, wrong.all).lines("t.yaml")
}

/// Puts steps into a test that is good without them.
fn with_steps(steps: &str) -> String {
    format!("test: {{name: x}}\nsteps:\n{steps}verdict: {{pass_if: a, fail_if: b}}\n")
}

#[test]
fn a_good_file_is_read_whole() {
    let spec = spec(GOOD).unwrap();
    assert_eq!((spec.name.as_str(), spec.timeout, spec.total_timeout), ("User Creation Test", Some(30.0), None));
    assert_eq!(spec.tags, ["api", "health"]);
    assert_eq!((spec.setup.len(), spec.steps.len(), spec.teardown.len()), (1, 2, 1));
    let first = &spec.steps[0];
    assert_eq!(
        (first.at, first.timeout, first.save_as.as_deref()),
        (Place { line: 11, column: 5 }, Some(2.5), Some("created_user"))
    );
    assert!(matches!(&first.action, Action::Tool { retry: 3, retry_delay, .. } if *retry_delay == 2.0));
    let Action::Group(inner) = &spec.steps[1].action else { unreachable!("it has steps") };
    assert_eq!((spec.steps[1].repeat, inner[0].check.len(), inner[0].name.as_str()), (5, 2, "database_create_user"));
    assert_eq!(spec.setup[0].name, "api_reset");
    assert_eq!(spec.setup[0].repeat, 1);
}

#[test]
fn an_unknown_field_is_shown_with_a_caret_and_the_nearest_name() {
    let lines = said(&with_steps("  - tool: a\n    retry_dela: 2\n"));
    assert_eq!(
        lines,
        [
            "t.yaml:4:5: `retry_dela` is no field of a step. Did you mean `retry_delay`?",
            "  4 |     retry_dela: 2",
            "    |     ^^^^^^^^^^"
        ]
    );
    let far = said(&with_steps("  - name: \"Unknown field\"\n    tool: a\n    wait_for: ready\n"));
    assert!(far[0].contains("`wait_for` is no field of a step. There are: name, tool, args,"), "{far:?}");
    let elsewhere = said("name: x\ntest: {name: x}\nsteps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n");
    assert_eq!(elsewhere[0], "t.yaml:1:1: `name` is no field of a YAML test. It belongs under test.");
}

#[test]
fn every_mistake_of_a_file_is_said_at_once() {
    let text = "\
test:
  nme: x
  tags: api
  timeout: \"thirty\"
steps:
  - name: \"Bad step\"
    args: {foo: bar}
  - tool: a
    timeout: -1
    retry: 1.5
    repeat: 0
    tool: b
  - tool: [a]
verdict:
  pass_if: 3
";
    let said: Vec<String> = said(text).into_iter().filter(|line| line.starts_with("t.yaml:")).collect();
    let wanted = [
        "t.yaml:2:3: `test` needs `name`",
        "t.yaml:2:3: `nme` is no field of `test`. Did you mean `name`?",
        "t.yaml:3:9: `tags` is a list of texts, and this is the text “api”. In brackets: [a, b].",
        "t.yaml:4:12: `timeout` is a number of seconds above 0, and this is the text “thirty”.",
        "t.yaml:6:5: A step needs a `tool` that it calls, or `steps` that it is made of.",
        "t.yaml:9:14: `timeout` is a number of seconds above 0, and this is -1.",
        "t.yaml:10:12: `retry` is a whole number from 0 to 10000, and this is 1.5.",
        "t.yaml:11:13: `repeat` is a whole number from 1 to 10000, and this is 0.",
        "t.yaml:12:5: `tool` stands here twice; the first is in line 8.",
        "t.yaml:13:11: `tool` is a text, and this is a list.",
        "t.yaml:15:3: `verdict` needs `fail_if`",
        "t.yaml:15:12: `pass_if` is a text, and this is 3. Put it in quotes.",
    ];
    for wanted in wanted {
        assert!(said.iter().any(|line| line.starts_with(wanted)), "{wanted}\nnot in\n{}", said.join("\n"));
    }
    assert_eq!(said.len(), wanted.len(), "{}", said.join("\n"));
}

#[test]
fn every_missing_section_is_named() {
    for (text, wanted) in [
        ("steps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n", "needs `test`"),
        ("test: {name: x}\nverdict: {pass_if: a, fail_if: b}\n", "needs `steps`"),
        ("test: {name: x}\nsteps: [{tool: a}]\n", "needs `verdict`"),
        ("test:\nsteps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n", "`test` is empty"),
        ("- a\n- b\n", "A YAML test is a mapping of fields, and this is a list."),
        ("", "A YAML test is a mapping of fields, and this is nothing."),
        ("just words\n", "and this is a text."),
        ("test: {name: x}\nsteps: []\nverdict: {pass_if: a, fail_if: b}\n", "`steps` is a list of steps that is not empty"),
        ("test: {name: 5}\nsteps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n", "`name` is a text, and this is 5."),
        ("test: {name: x}\nsteps: {tool: a}\nverdict: {pass_if: a, fail_if: b}\n", "Each begins with `-`."),
        ("test: {name: x}\nsteps: [{tool: a, timeout: \"30\"}]\nverdict: {pass_if: a, fail_if: b}\n", "Take the quotes away."),
        ("test: {name: x}\nsteps: [{tool: a, timeout: true}]\nverdict: {pass_if: a, fail_if: b}\n", "this is true"),
        ("test: {name: x}\nsteps: [{tool: a, args: [1]}]\nverdict: {pass_if: a, fail_if: b}\n", "`args` is a mapping"),
        (
            "test: {name: x}\nsteps: [{tool: a, args: {x: {y: 1, y: 2}}}]\nverdict: {pass_if: a, fail_if: b}\n",
            "`y` stands in `args` twice",
        ),
        (
            "test: {name: x}\nsteps: [{tool: a, save_as: 2x}]\nverdict: {pass_if: a, fail_if: b}\n",
            "`save_as` is a name of letters",
        ),
        ("test: {name: x}\nsteps: [{tool: a, save_as: stored}]\nverdict: {pass_if: a, fail_if: b}\n", "That one is taken."),
        (
            "test: {name: x}\nsteps: [{tool: a, steps: [{tool: b}]}]\nverdict: {pass_if: a, fail_if: b}\n",
            "calls a tool or is made of steps",
        ),
        (
            "test: {name: x}\nsteps: [{retry: 2, steps: [{tool: b}]}]\nverdict: {pass_if: a, fail_if: b}\n",
            "`retry` belongs to a step with a tool",
        ),
        (
            "test: {name: x}\nsteps: [{tool: a}]\nverdict: {pass_if: [a], fail_if: b}\n",
            "`pass_if` is a text, and this is a list.",
        ),
        (
            "compat: pytest\ntest: {name: x}\nsteps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n",
            "`compat` is llm-pytest, and this is the text “pytest”.",
        ),
        ("test: [1, 2\nsteps: x\n", "This is no YAML that is read here"),
    ] {
        assert!(said(text).iter().any(|line| line.contains(wanted)), "{wanted}\nnot in\n{}", said(text).join("\n"));
    }
}

#[test]
fn a_field_left_empty_is_not_there() {
    let text = with_steps("  - tool: a\n    args:\n    expect:\n    retry:\n").replace("steps:", "setup:\nsteps:");
    let spec = spec(&text).unwrap();
    assert!(spec.setup.is_empty() && spec.steps[0].expect.is_none());
}

#[test]
fn a_reference_to_what_no_earlier_step_saves_is_a_mistake_at_its_place() {
    let text = with_steps("  - tool: a\n    save_as: new_user\n  - tool: b\n    args:\n      id: \"x ${new_usr.id}\"\n");
    let lines = said(&text);
    assert_eq!(
        lines[0],
        "t.yaml:7:13: `${new_usr.id}` cannot have a value: nothing is saved as `new_usr`. Did you mean `new_user`?"
    );
    let later = with_steps("  - tool: b\n    args: {id: \"${a.id}\"}\n  - tool: a\n    save_as: a\n");
    assert!(said(&later)[0].contains("nothing is saved as `a`"));
    for fine in [
        with_steps("  - tool: b\n    args: {id: \"${a.id:-none}\", x: \"${stored.x}\", y: \"$${a}\"}\n"),
        with_steps("  - repeat: 2\n    steps:\n      - {tool: b, args: {id: \"${a:-}\"}}\n      - {tool: a, save_as: a}\n"),
        format!("compat: llm-pytest\n{}", with_steps("  - tool: b\n    args: {id: \"${nobody}\"}\n")),
    ] {
        assert!(spec(&fine).is_ok(), "{fine}");
    }
    assert!(said(&with_steps("  - tool: a\n    check: \"result == ${x}\"\n"))[0].contains("`check` is Python"));
}

#[test]
fn bombs_are_refused_at_once() {
    let levels = (1..12).map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(",")));
    let laughs = format!("a0: &a0 [x,x,x,x,x,x,x,x,x]\n{}", levels.collect::<String>());
    let flat = format!("a: &a [{}]\nb: [{}]\n", "x,".repeat(3_000), "*a,".repeat(3_000));
    let start = std::time::Instant::now();
    for bomb in [laughs, flat, "[".repeat(20_000), "a: ".repeat(5_000), "- ".repeat(50_000)] {
        assert!(spec(&bomb).is_err());
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn hostile_names_are_shown_harmless() {
    let lines =
        said("test: {name: x, \"\\e[31m\\u202e\": 1}\nsteps: [{tool: a}]\nverdict: {pass_if: a, fail_if: b}\n").join("\n");
    assert!(!lines.contains('\u{1b}') && !lines.contains('\u{202e}'), "{lines:?}");
}
