//! What went wrong in llm-pytest and must not go wrong here, by the numbers of the list it was collected under. Elsewhere:
//!
//! 1 (a time limit that does not hold, full pipes): `steps_have_their_time…`, `agent::its_time_is_enforced…`;
//! 2 (FAIL in prose becomes green): `agent::what_it_says_it_did…`, `src/spec/agent.rs`, for judges `src/judge/validate.rs`;
//! 3 and 6 (`run_test`, the server itself): `tests/it/mcp.rs`; 5 (cleanup): `a_stopped_run…`, `a_result_that_speaks_of_errors…`;
//! 10 (mistakes never reach the user): `pytest_says_what_is_wrong…`; 11 (the word error): `a_result_that_speaks_of_errors…`;
//! 13 (tests that write and run tests): `agent::its_calls_are_judged…`; 15 (everything is text): `src/spec/interpolate/tests.rs`.

use super::{only, project, report, results, spec, with};
use crate::harness::Place;

/// Numbers 4, 8 and 12: what plugins print, names of the library, several classes in a file, any number of arguments.
#[test]
fn plugins_may_print_be_called_json_and_share_a_file() {
    let place = project();
    place.save(
        "tests/llm/plugins/json.py",
        "import json as library\nfrom pytead_tui import LLMPlugin\n\n\
         class Writer(LLMPlugin):\n    name = \"writer\"\n\n    async def write(self, *parts, **fields) -> dict:\n        print(\"Content-Length: 5\")\n        \
         return {\"parts\": list(parts), \"fields\": library.loads(library.dumps(fields))}\n\n\
         class Reader(LLMPlugin):\n    name = \"reader\"\n\n    async def read(self, names: \"list[str] | None\" = None, more: \"dict[str, int] | None\" = None) -> dict:\n        \
         return {\"names\": names, \"more\": more}\n",
    );
    let steps = "  - {tool: writer_write, args: {fields: {a: 1}}, check: \"result.fields == {'a': 1} or result.fields == {'fields': {'a': 1}}\"}\n\
                 \x20 - {tool: reader_read, args: {names: [x], more: {y: 2}}, check: \"result == {'names': ['x'], 'more': {'y': 2}}\"}\n";
    let file = only(&place, &with("", steps));
    let report = report(&place, &[file]);
    assert_eq!(report["verdict"], "PASS", "{report:#}");
    assert_eq!(report["steps"][0]["printed"], "Content-Length: 5\n");
    let (_, tools) = results(&place, &["--tools"], "tool");
    let read = tools.iter().find(|tool| tool["tool"]["name"] == "reader_read").expect("two classes, two plugins");
    let schema = read["tool"]["inputSchema"].to_string();
    assert!(schema.contains("array") && schema.contains("object") && schema.contains("integer"), "{schema}");
    assert!(
        read["tool"]["inputSchema"].get("required").is_none_or(|required| required.as_array().unwrap().is_empty()),
        "{schema}"
    );
}

/// Number 14: what is stored is what `${stored.x}` gives, with its type, in this test alone.
#[test]
fn stored_values_are_those_that_references_give() {
    let place = project();
    let steps = "  - {tool: store_value, args: {name: list, value: [1, {a: null}]}}\n\
                 \x20 - {tool: api_echo, args: {value: \"${stored.list[1].a}\"}, check: \"result == {'value': None, 'kind': 'NoneType'}\"}\n\
                 \x20 - {tool: api_echo, args: {value: \"${stored.list}\"}, check: \"result.kind == 'list' and result.value == stored.list\"}\n\
                 \x20 - {tool: get_value, args: {name: list}, expect: result.found is true}\n";
    let file = only(&place, &with("", steps));
    let report = report(&place, &[file]);
    assert_eq!(report["verdict"], "PASS", "{report:#}");
}

/// Numbers 16 and 9: a package inside of a repository has the plugins above it, other YAML files are left alone, and a tool that
/// there is not is no test.
#[test]
fn packages_of_a_repository_use_its_plugins_and_other_yaml_is_left_alone() {
    let place: Place = project();
    only(&place, &with("", "  - tool: api_echo\n"));
    place.save("packages/one/pyproject.toml", "[project]\nname = \"one\"\n");
    place.save(
        "packages/one/tests/llm/test_one.yaml",
        &with("", "  - {tool: api_echo, args: {value: 1}, expect: result.value is 1}\n"),
    );
    place.save("docker-compose.yaml", "services:\n  a: {image: b}\n");
    place.save("tests/llm/data.yaml", "users:\n  - name: Ada\n");
    let (code, said) = spec(&place, &["packages/one/tests/llm"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = spec(&place, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 YAML test: 1 passed."), "{said}");
    place.save("tests/llm/test_it.yaml", &with("", "  - tool: api_crate_user\n"));
    let (_, said) = spec(&place, &[]);
    assert!(said.contains("There is no tool `api_crate_user`. Did you mean `api_create_user`"), "{said}");
}
