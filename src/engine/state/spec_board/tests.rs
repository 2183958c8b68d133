use super::*;
use crate::domain::evaluator::Evaluator;
use crate::domain::spec::End;

const CODE: &str = "LIMIT = 1\n\n\nclass A:\n    rate = 1\n\n    def used(self):\n        def inner():\n            return 1\n        return inner()\n\n    def other(self):\n        return 2\n";

struct Place {
    folder: tempfile::TempDir,
    board: Board,
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), board: Board::default() };
        place.save("a.py", CODE);
        place.save("tests/llm/plugins/p.py", "x = 1\n");
        place.save(
            "tests/llm/test_a.yaml",
            "test: {name: it}\nsteps:\n  - {tool: list_values}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n",
        );
        place
    }

    fn save(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn index(&self) -> Index {
        Index::build(self.folder.path(), &[], &|_, _| {})
    }

    fn used(&self, entered: Option<&[&str]>) -> Used {
        let hashed = |path: &str| (rel(path), hash::of(&std::fs::read(self.folder.path().join(path)).unwrap()));
        Used {
            own: [hashed("tests/llm/test_a.yaml"), hashed("tests/llm/plugins/p.py")].into(),
            files: [hashed("a.py")].into(),
            entered: entered.map(|names| names.iter().map(|name| (rel("a.py"), (*name).to_owned())).collect()),
            spawned: false,
        }
    }

    /// Takes in a run of now: of this process, or of another one.
    fn ran(&mut self, used: Used, here: bool) {
        let file = rel("tests/llm/test_a.yaml");
        self.board.read(self.folder.path(), std::slice::from_ref(&file));
        let rests = here.then(|| Rests::on(&used, &self.index()));
        let report = Report {
            file: file.to_string(),
            name: "it".into(),
            tags: Vec::new(),
            verdict: Ruling::Pass,
            reason: "1 step passed.".into(),
            evaluator: Evaluator::Rules,
            steps: Vec::new(),
            clauses: Vec::new(),
            issues: Vec::new(),
            notes: Vec::new(),
            ms: 1,
        };
        let at = crate::base::clock::now();
        let at = Moment(at.0 + i64::try_from(self.board.rows().len()).unwrap() * 1_000_000 * i64::from(!here));
        self.board.tests.get_mut(&file).unwrap().last = None;
        assert!(self.board.take(&file, SpecRun { report, began: at, at, because: None, used }, rests));
    }

    /// Says why it is stale by now, and whether that calls for a run.
    fn stale(&mut self) -> (Option<Sentence>, bool) {
        let (root, index) = (self.folder.path().to_owned(), self.index());
        self.board.compare(&root, &index, |_| vec![rel("tests/llm/plugins/p.py")]);
        let why = self.board.rows()[0].stale.clone();
        (why, !self.board.take_stale().is_empty())
    }
}

#[test]
fn only_what_a_run_used_makes_it_stale_and_going_back_makes_it_fresh() {
    let mut place = Place::new();
    place.ran(place.used(Some(&["A.used", "A.used.<locals>.inner"])), true);
    assert_eq!(place.stale(), (None, false));
    place.save("a.py", &CODE.replace("return 2", "return 3"));
    assert_eq!(place.stale(), (None, false), "it does not call that");
    place.save("a.py", &CODE.replace("return 1", "return 3"));
    let (why, due) = place.stale();
    assert_eq!((why.as_deref(), due), (Some("A.used.inner, which it calls, changed in a.py"), true));
    assert!(!place.stale().1, "a change calls for one run");
    place.save("a.py", CODE);
    assert_eq!(place.stale(), (None, false));
    place.save("a.py", &CODE.replace("LIMIT = 1", "LIMIT = 2"));
    assert_eq!(place.stale(), (Some("the top level of a.py changed".into()), true));
    place.save("a.py", &CODE.replace("rate = 1", "rate = 2"));
    assert_eq!(place.stale(), (Some("the top level of a.py changed".into()), true), "another change");
    place.save("a.py", CODE);
    place.save("tests/llm/plugins/p.py", "x = 2\n");
    assert_eq!(place.stale(), (Some("its plugin tests/llm/plugins/p.py changed".into()), true));
}

#[test]
fn where_nobody_saw_what_was_entered_all_of_the_file_counts_and_after_a_start_of_processes_all_code() {
    let mut place = Place::new();
    place.ran(place.used(None), true);
    place.save("a.py", &CODE.replace("return 2", "return 3"));
    assert_eq!(place.stale(), (Some("A.other, which it calls, changed in a.py".into()), true));
    place.save("a.py", CODE);
    let spawned = Used { spawned: true, files: BTreeMap::new(), ..place.used(Some(&[])) };
    place.ran(spawned, true);
    assert_eq!(place.stale(), (None, false));
    place.save("b.py", "def new():\n    pass\n");
    let (why, due) = place.stale();
    assert!(why.unwrap().contains("starts processes") && due);
}

#[test]
fn a_run_of_another_process_is_known_by_its_files_and_followed_from_then_on() {
    let mut place = Place::new();
    let used = place.used(Some(&["A.used", "A.used.<locals>.inner"]));
    place.save("a.py", &CODE.replace("return 2", "return 3"));
    place.ran(used, false);
    assert_eq!(place.stale(), (Some("a.py, which it imports, changed since".into()), false), "nobody here saw it run");
    place.save("a.py", CODE);
    assert_eq!(place.stale(), (None, false));
    place.save("a.py", &CODE.replace("return 1", "return 3"));
    assert_eq!(place.stale(), (Some("A.used.inner, which it calls, changed in a.py".into()), true));
}

#[test]
fn a_test_that_changes_what_it_rests_on_is_not_run_for_ever() {
    let mut place = Place::new();
    place.ran(place.used(None), true);
    let (file, now) = (rel("tests/llm/test_a.yaml"), crate::base::clock::now());
    let may = (0..20).filter(|_| place.board.may_run_again(&file, now)).count();
    assert_eq!(may, RESTLESS_MAX as usize);
    assert!(place.board.may_run_again(&file, Moment(now.0 + 60_000)), "a person's edit comes later");
}

#[test]
fn a_clock_that_was_set_back_hides_no_run_and_holds_none_up() {
    let mut place = Place::new();
    place.ran(place.used(None), true);
    let file = rel("tests/llm/test_a.yaml");
    let now = crate::base::clock::now();
    let last = place.board.tests.get_mut(&file).unwrap().last.as_mut().unwrap();
    let old = last.run.clone();
    // It ran a day before the clock went back by one.
    last.run.at = Moment(now.0 + 86_400_000);
    assert!((0..20).all(|_| place.board.may_run_again(&file, now)), "it did not run right before");
    assert!(place.board.take(&file, SpecRun { at: now, ..old.clone() }, None), "what runs now is news");
    assert!(!place.board.take(&file, SpecRun { at: now, ..old.clone() }, None), "once");
    assert!(!place.board.take(&file, SpecRun { at: Moment(now.0 - 1), ..old }, None), "an older one comes late");
}

#[test]
fn steps_are_kept_as_they_come() {
    let mut place = Place::new();
    let file = rel("tests/llm/test_a.yaml");
    place.board.read(place.folder.path(), std::slice::from_ref(&file));
    place.board.begin(&file, Moment(1), None);
    assert!(place.board.rows()[0].running.as_ref().unwrap().waits);
    let said = |progress: Progress, board: &mut Board| board.hear(&file, &progress);
    let name = file.to_string();
    said(Progress::Began { file: name.clone(), name: "it".into() }, &mut place.board);
    let (tool, args) = ("list_values".to_owned(), serde_json::Value::Null);
    let step = Progress::Step {
        file: name.clone(),
        name: tool.clone(),
        line: 3,
        tool: tool.clone(),
        args: args.clone(),
        filled: Vec::new(),
        tries: 1,
        of: 1,
    };
    said(step, &mut place.board);
    let running = place.board.rows()[0].running.clone().unwrap();
    assert_eq!((running.waits, running.step), (false, Some(("list_values".into(), 3, 1, 1))));
    let did = StepReport {
        phase: Phase::Steps,
        name: tool.clone(),
        line: 3,
        depth: 0,
        round: None,
        tool: Some(tool),
        args,
        tries: 1,
        ms: 1,
        end: End::Returned { result: serde_json::Value::Null },
        status: crate::domain::spec::Status::Passed,
        clauses: Vec::new(),
        filled: Vec::new(),
        printed: String::new(),
    };
    said(Progress::Stepped { file: name, step: Box::new(did) }, &mut place.board);
    let view = place.board.view(&file).unwrap();
    assert_eq!((view.steps.len(), view.row.running.unwrap().done), (1, 1));
    place.board.end(&file);
    assert!(place.board.view(&file).unwrap().steps.is_empty(), "there is no last run");
}
