//! Many tests at once, by ourselves and by pytest with workers; and tools of a real MCP server.

use super::{cleaned, only, project, pytest, report, running, spec, with};
use crate::harness::environment_with;

/// Tests that would see each other's state if there were any to see.
fn many(place: &crate::harness::Place, number: usize) {
    only(place, &with("", "  - tool: api_echo\n"));
    for one in 1..number {
        let steps = format!(
            "  - {{tool: store_value, args: {{name: x, value: {one}}}}}\n  - {{tool: list_values, expect: result.count is 1}}\n\
             \x20 - {{tool: api_create_user, args: {{name: a, email: a@b.c}}, check: result.id == 1}}\n\
             \x20 - {{tool: api_leak}}\n\
             \x20 - {{tool: api_echo, args: {{value: \"${{stored.x}}\"}}, check: result.value == {one}}}\n"
        );
        place.save(&format!("tests/llm/many/test_{one}.yaml"), &with("", &steps).replace("name: it", &format!("name: it {one}")));
    }
}

/// As many as `PYTEAD_MANY` says: it takes a second or so for each.
fn number() -> usize {
    std::env::var("PYTEAD_MANY").ok().and_then(|number| number.parse().ok()).unwrap_or(16)
}

#[test]
fn many_tests_at_once_share_nothing_and_leave_nothing_behind() {
    let place = project();
    many(&place, number());
    let (code, said) = spec(&place, &["tests/llm", "-j", "4"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("{0} YAML tests: {0} passed.", number())), "{said}");
    assert_eq!(cleaned(&place), number());
    assert_eq!(running(&place.root()), 0);
}

#[test]
fn workers_of_pytest_share_nothing_and_leave_nothing_behind() {
    let place = project().with_packages(&["plugins"]);
    many(&place, number());
    let (code, said) = pytest(&place, &["tests/llm", "--llm", "-n", "4", "-q"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("{} passed", number())), "{said}");
    assert_eq!(cleaned(&place), number());
    assert_eq!(running(&place.root()), 0);
}

const SERVER: &str = "from mcp.server.mcpserver import MCPServer\n\nserver = MCPServer(\"counter\")\nseen = []\n\n\n\
    @server.tool()\ndef count(step: int = 1) -> dict:\n    \"\"\"Counts.\"\"\"\n    seen.append(step)\n    return {\"total\": sum(seen)}\n\n\n\
    @server.tool()\ndef refuse(why: str) -> str:\n    raise ValueError(why)\n\n\nserver.run()\n";

#[test]
fn tools_of_an_mcp_server_from_the_configuration_are_called() {
    let place = project();
    let python = environment_with(&["mcp"]);
    place.save("counter.py", SERVER);
    place.save(".pytead/config.yaml", &format!("mcp_servers:\n  counter: {{command: [{python:?}, counter.py]}}\n"));
    let steps = "  - {tool: counter_count, args: {step: 2}, check: result.total == 2}\n\
                 \x20 - {tool: counter_count, check: result.total == 3}\n\
                 \x20 - {tool: counter_refuse, args: {why: not today}, expect: the tool fails}\n\
                 \x20 - {tool: counter_count, args: {step: many}, expect: the tool fails}\n";
    let file = only(&place, &with("", steps));
    for _ in 0..2 {
        let report = report(&place, &[file]);
        assert_eq!(report["verdict"], "PASS", "a server of its own for each test: {report:#}");
    }
    let (code, said) = spec(&place, &["--tools"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("counter_count: Counts."), "{said}");
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let here = std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == place.root());
        here && String::from_utf8_lossy(&words).contains("counter.py")
    });
    assert_eq!(left.count(), 0);
    // One that does not start is named, and the tests that do not need it run.
    place.save(".pytead/config.yaml", "mcp_servers:\n  counter: {command: [/no/such/server]}\n");
    only(&place, &with("", "  - tool: api_echo\n"));
    let (code, said) = spec(&place, &["tests/llm/test_it.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("mcp_servers.counter is broken: it cannot be started"), "{said}");
}
