//! YAML tests that a model wrote, accepted with their plugin.

use super::steps::{Decision, Faults, killed, no_halves, waiting, well};
use crate::harness::Place;
use crate::harness::model::Model;

const ANSWER: &str = "```yaml\ntest:\n  name: Users\nsteps:\n  - {tool: users_create, args: {name: Ada}, check: \"result['name'] == 'Ada'\"}\n\
    verdict: {pass_if: all steps pass, fail_if: any step fails}\n```\n\n```python\nfrom pytead_tui import LLMPlugin\n\n\n\
    class Users(LLMPlugin):\n    name = \"users\"\n\n    async def create(self, name: str) -> dict:\n        \"\"\"Creates a user.\"\"\"\n        \
    return {\"name\": name}\n```\n";

#[test]
fn a_yaml_test_and_its_plugin_killed_at_any_step_of_their_acceptance_are_both_there_or_neither() {
    let place = Place::empty();
    well(&place, &["trust"]);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    let model = Model::answers(&[ANSWER]);
    std::fs::write(folder.join("config.yaml"), model.config()).unwrap();
    well(&place, &["spec", "new", "users are created", "--name", "users"]);
    let stands = |place: &Place, context: &str| {
        // The next start first: it finishes or gives up what was cut off.
        let waits = !waiting(place).is_empty();
        let there = ["test_users.yaml", "plugins/users.py"].map(|file| place.root().join("tests/llm").join(file).exists());
        assert!(there[0] == there[1] && there[0] != waits, "{context}: {there:?}, waits: {waits}");
        no_halves(place, "tests/llm", context);
        there[0]
    };
    let undo = |place: &Place| drop(well(place, &["review", "--undo"]));
    let decision = Decision { made_by: &["review", "--accept", "1"], take_back: &undo, stands: &stands };
    killed(&place, &decision, Faults { done: 5, not_done: 5 });
}
