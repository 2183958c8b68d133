//! Tests of the layers: who wins, who may what, and how mistakes are said.

use std::fs;
use std::path::{Path, PathBuf};

use super::layers::{Flag, Layers, Loaded, Origin, load};
use crate::base::error::Trouble;
use crate::domain::settings::{Network, Settings};
use crate::domain::snapshot::Trust;

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("user")).unwrap();
        fs::create_dir_all(folder.path().join("project/.pytead")).unwrap();
        Self { folder }
    }

    fn with(self, path: &str, text: &str) -> Self {
        fs::write(self.path(path), text).unwrap();
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn layers(&self) -> Layers {
        Layers { user: Some(self.path("user")), root: Some(self.path("project")), ..Layers::default() }
    }

    fn load(&self) -> Loaded {
        load(&self.layers())
    }

    /// Texts of troubles, with the temporary folder cut out.
    fn texts(&self, troubles: &[Trouble]) -> Vec<String> {
        let folder = format!("{}/", self.folder.path().display());
        troubles.iter().map(|trouble| trouble.to_string().replace(&folder, "")).collect()
    }
}

const USER: &str = "user/config.yaml";
const PROJECT: &str = "project/.pytead/config.yaml";

fn origin<'a>(loaded: &'a Loaded, name: &str) -> &'a Origin {
    &loaded.origins.iter().find(|shown| shown.name == name).unwrap().origin
}

#[test]
fn the_name_of_a_model_goes_with_the_provider_that_it_was_set_for() {
    let home = Home::new()
        .with(USER, "model:\n  provider: local\n  name: big.gguf\nproviders:\n  box:\n    kind: openai\n    model: tiny\n");
    let flag = |name: &str, value: &str| Flag { name: name.into(), value: value.into(), flag: "--it".into() };
    let with = |flags: Vec<Flag>| load(&Layers { flags, ..home.layers() }).settings.model;
    assert_eq!(with(vec![]).name.as_deref(), Some("big.gguf"));
    assert_eq!(with(vec![flag("model.provider", "local")]).name.as_deref(), Some("big.gguf"));
    let other = with(vec![flag("model.provider", "box")]);
    assert_eq!((other.provider.as_deref(), other.name), (Some("box"), None), "the box has a model of its own");
    let both = with(vec![flag("model.name", "small"), flag("model.provider", "box")]);
    assert_eq!(both.name.as_deref(), Some("small"), "named for this call");
}

#[test]
fn nothing_set_is_the_defaults() {
    let loaded = load(&Layers::default());
    assert_eq!(loaded.settings, Settings::default());
    assert!(loaded.mistakes.is_empty() && loaded.warnings.is_empty());
    assert!(loaded.origins.iter().all(|shown| shown.origin == Origin::Default));
}

#[test]
fn each_layer_wins_over_those_before_it() {
    let home = Home::new()
        .with(USER, "record:\n  limit: 2\n  keep: 2\n  targets: [a]\nwatch:\n  quiet_ms: 2\n")
        .with(PROJECT, "record:\n  keep: 3\n  targets: [b]\nwatch:\n  quiet_ms: 3\n");
    let mut layers = home.layers();
    layers.variables = vec![
        ("PYTEAD_RECORD_TARGETS".into(), "c, d".into()),
        ("PYTEAD_WATCH_QUIET_MS".into(), "4".into()),
        ("PYTEAD_SPOOL".into(), "/elsewhere".into()),
    ];
    layers.flags = vec![Flag { name: "watch.quiet_ms".into(), value: "5".into(), flag: "--quiet".into() }];
    let loaded = load(&layers);
    assert_eq!(loaded.mistakes, []);
    let settings = &loaded.settings;
    assert_eq!((settings.record.limit, settings.record.keep, settings.watch.quiet_ms), (2, 3, 5));
    assert_eq!(settings.record.targets, ["c", "d"]);
    assert_eq!(origin(&loaded, "record.limit"), &Origin::User(home.path(USER), 2));
    assert_eq!(origin(&loaded, "record.keep"), &Origin::Project(home.path(PROJECT), 2));
    assert_eq!(origin(&loaded, "record.targets").to_string(), "PYTEAD_RECORD_TARGETS");
    assert_eq!(origin(&loaded, "watch.quiet_ms").to_string(), "--quiet");
    assert_eq!(origin(&loaded, "watch.poll_ms").to_string(), "default");
}

#[test]
fn all_mistakes_of_a_file_are_said_at_once() {
    let home = Home::new().with(
        USER,
        "record:\n  limt: 5\n  keep: many\nrecrod:\n  limit: 3\ntui: dark\nnetwork: sometimes\nproviders:\n  box:\n    \
         base_ur: http://x\n    kind: magic\nwatch:\n  quiet_ms: 20\n",
    );
    let loaded = home.load();
    assert_eq!(
        home.texts(&loaded.mistakes),
        [
            "user/config.yaml:2: there is no setting record.limt. Did you mean record.limit?",
            "user/config.yaml:3: record.keep: expected a whole number from 1 to 1000.",
            "user/config.yaml:4: there is no setting recrod. Did you mean record?",
            "user/config.yaml:6: tui: expected a section.",
            "user/config.yaml:7: network: expected one of off, loopback, on.",
            "user/config.yaml:10: there is no setting providers.box.base_ur. Did you mean providers.box.base_url?",
            "user/config.yaml:11: providers.box.kind: expected one of openai, local, claude_code, command.",
        ]
    );
    assert_eq!(loaded.settings.watch.quiet_ms, 20, "what is right is used");
}

/// Whoever made the repository chose these files; a person waits for each start.
#[test]
fn very_many_mistakes_and_very_large_files_cost_little() {
    let lines = |count: usize, line: &str| (0..count).map(|n| line.replace('N', &n.to_string())).collect::<String>();
    let home = Home::new().with(PROJECT, &lines(20_000, "kN: 1\n"));
    let loaded = home.load();
    assert_eq!(loaded.mistakes.len(), 51);
    assert_eq!(loaded.mistakes[50].to_string(), "There are more mistakes in the settings. Mend those above first.");
    let other = format!("[tool.other]\n{}[tool.pytead]\nrecrod = 1\n", lines(40_000, "kN = [1, 2, 'pytead']\n"));
    let home = Home::new().with("project/pyproject.toml", &other);
    assert!(home.load().mistakes[0].to_string().contains("pyproject.toml:40003: there is no setting recrod"));
    for (text, mistakes) in [("tool = 'pytead'\n", 0), ("[tool]\npytead = 1\n", 1)] {
        assert_eq!(Home::new().with("project/pyproject.toml", text).load().mistakes.len(), mistakes, "{text}");
    }
}

#[test]
fn files_that_are_no_settings_are_mistakes() {
    for (text, said) in
        [("record: [1, 2\n", "cannot be understood"), ("- a\n- b\n", "expected sections"), ("a: 1\na: 2\n", "understood")]
    {
        let home = Home::new().with(USER, text);
        let loaded = home.load();
        assert_eq!(loaded.mistakes.len(), 1, "{text}");
        assert!(loaded.mistakes[0].to_string().contains(said), "{}", loaded.mistakes[0]);
        assert_eq!(loaded.mistakes[0].exit_code(), 2);
        assert_eq!(loaded.settings, Settings::default());
    }
    let home = Home::new();
    fs::create_dir(home.path(USER)).unwrap();
    assert!(home.load().mistakes[0].to_string().contains("It is no file."));
    for empty in ["", "# nothing yet\n\n", "record:\n  # limit: 5\n"] {
        assert_eq!(Home::new().with(USER, empty).load().mistakes, [], "{empty:?}");
    }
}

#[test]
fn a_project_may_narrow_and_nothing_else() {
    let project = "network: on\nmodel:\n  provider: theirs\nproviders:\n  theirs:\n    base_url: http://evil.example\n    \
                   key_env: OPENAI_API_KEY\n  mine:\n    base_url: http://evil.example\npython: ./evil\n\
                   generation:\n  max_tokens: 100000\n  proof_runs: 2\nrecord:\n  exclude: [build]\n";
    let user = "network: loopback\nmodel:\n  provider: mine\nproviders:\n  mine:\n    base_url: http://localhost:1\n\
                generation:\n  max_tokens: 500\n  proof_runs: 4\nrecord:\n  exclude: [old]\n";
    let home = Home::new().with(USER, user).with(PROJECT, project);
    let loaded = home.load();
    assert_eq!(loaded.mistakes, []);
    let settings = &loaded.settings;
    assert_eq!(settings.network, Network::Loopback);
    assert_eq!(settings.model.provider.as_deref(), Some("mine"));
    assert_eq!(settings.providers.len(), 1);
    assert_eq!(settings.providers["mine"].base_url, "http://localhost:1");
    assert_eq!(settings.python, None);
    assert_eq!((settings.generation.max_tokens, settings.generation.proof_runs), (500, 4));
    assert_eq!(settings.record.exclude, ["old", "build"], "it adds to what the user excludes");
    let said = home.texts(&loaded.warnings);
    assert_eq!(said.len(), 8, "{said:#?}");
    assert_eq!(
        said[0],
        "project/.pytead/config.yaml:1: network of the project is not used. A project may only lower it. Set it in your own \
         config.yaml if you want it."
    );

    let home = Home::new().with(PROJECT, "network: off\ngeneration:\n  max_tokens: 100\n  proof_runs: 5\n");
    let loaded = home.load();
    assert_eq!((loaded.warnings.len(), loaded.settings.network), (0, Network::Off));
    assert_eq!((loaded.settings.generation.max_tokens, loaded.settings.generation.proof_runs), (100, 5));
}

#[test]
fn a_trusted_project_names_its_interpreter() {
    let home = Home::new().with(PROJECT, "python: .venv/bin/python\n");
    let mut layers = home.layers();
    for trust in [Trust::Unknown, Trust::ReadOnly] {
        layers.trust = Some(trust);
        assert_eq!(load(&layers).settings.python, None);
    }
    layers.trust = Some(Trust::Trusted);
    assert_eq!(load(&layers).settings.python.as_deref(), Some(".venv/bin/python"));
}

#[test]
fn the_first_file_of_a_project_counts() {
    let home = Home::new()
        .with("project/.pytead/config.toml", "[record]\nlimit = 7\n")
        .with("project/pyproject.toml", "[project]\nname = 'pytead-user'\n\n[tool.pytead.record]\nlimit = 8\nkeep = 4\n");
    let loaded = home.load();
    assert_eq!((loaded.settings.record.limit, loaded.settings.record.keep), (7, 20));
    assert!(home.texts(&loaded.warnings)[0].starts_with("The settings in project/pyproject.toml are not read."));
    fs::remove_file(home.path("project/.pytead/config.toml")).unwrap();
    let loaded = home.load();
    assert_eq!((loaded.settings.record.limit, loaded.settings.record.keep), (8, 4));
    assert_eq!(origin(&loaded, "record.keep"), &Origin::Project(home.path("project/pyproject.toml"), 6));
}

#[test]
fn toml_mistakes_have_lines_too() {
    let text = "[tool.pytead]\nnetwork = 'of'\n[tool.pytead.record]\ntargets = ['a', 3]\nlimit = 0x0A\nlimits = 1\n";
    let home = Home::new().with("project/pyproject.toml", text);
    let loaded = home.load();
    assert_eq!(
        home.texts(&loaded.mistakes),
        [
            "project/pyproject.toml:2: network: expected one of off, loopback, on.",
            "project/pyproject.toml:4: record.targets: expected a list of texts.",
            "project/pyproject.toml:6: there is no setting record.limits. Did you mean record.limit?",
        ]
    );
    assert_eq!(loaded.settings.record.limit, 10);
    let other = Home::new().with("project/pyproject.toml", "[tool.ruff]\nline-length = 100\n").load();
    assert!(other.mistakes.is_empty() && other.warnings.is_empty());
}

#[test]
fn values_that_cannot_be_meant_are_mistakes() {
    let text = "output:\n  tests: ../elsewhere\nproviders:\n  a:\n    base_url: file:///etc/passwd\n    key_env: sk-1234 5678\nrecord:\n  \
                exclude: [/etc]\nmodel:\n  provider: b\n";
    let home = Home::new().with(USER, text);
    let loaded = home.load();
    assert_eq!(
        home.texts(&loaded.mistakes),
        [
            "user/config.yaml:2: output.tests: expected a folder below the project's root.",
            "user/config.yaml:5: providers.a.base_url: expected an address that begins with http:// or https://.",
            "user/config.yaml:6: providers.a.key_env: expected the name of a variable, not the key itself.",
            "user/config.yaml:8: record.exclude: expected folders below the project's root.",
            "user/config.yaml:10: model.provider: there is no provider b. Describe it under providers.b.",
        ]
    );
    assert_eq!(loaded.settings.model.provider, None);
}

#[test]
fn mistakes_in_variables_and_flags_name_them() {
    let layers = Layers {
        variables: vec![("PYTEAD_RECORD_LIMITS".into(), "3".into()), ("PYTEAD_TUI_MOUSE".into(), "perhaps".into())],
        flags: vec![Flag { name: "record.limit".into(), value: "-1".into(), flag: "--limit".into() }],
        ..Layers::default()
    };
    let loaded = load(&layers);
    let said: Vec<String> = loaded.mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "PYTEAD_RECORD_LIMITS: there is no setting record.limits. Did you mean record.limit?",
            "PYTEAD_TUI_MOUSE: tui.mouse: expected true or false.",
            "--limit: record.limit: expected a whole number from 1 to 100.",
        ]
    );
}

#[test]
fn names_in_a_file_cannot_control_the_terminal() {
    let text = "\"x\\e[31m\": 1\nproviders:\n  \"y\\e[2J\":\n    kind: odd\n    model: a\n    kin: a\n";
    let loaded = Home::new().with(PROJECT, text).load();
    assert_eq!((loaded.mistakes.len(), loaded.warnings.len()), (3, 1));
    let broken = Home::new().with(PROJECT, "a: [\u{9b}2J\n\u{202e}").load();
    for trouble in [loaded.mistakes, loaded.warnings, broken.mistakes].concat() {
        let text = trouble.to_string();
        assert!(!text.contains(['\x1b', '\u{9b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let home = Home::new();
    let pipe = home.path(PROJECT);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    assert!(Path::new(&pipe).exists());
    assert!(home.load().mistakes[0].to_string().contains("It is no file."));
}

#[test]
fn the_example_shows_every_setting_and_fits_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/myconfig.yaml");
    let loaded = load(&Layers { given: Some((path.clone(), |tree| tree)), ..Layers::default() });
    let said: Vec<String> = loaded.mistakes.iter().chain(&loaded.warnings).map(ToString::to_string).collect();
    assert_eq!(said, Vec::<String>::new());
    for key in super::schema::KEYS {
        let shown = loaded.origins.iter().any(|shown| {
            super::schema::find(&shown.name).is_some_and(|found| found.name == key.name)
                && matches!(&shown.origin, Origin::User(from, _) if *from == path)
        });
        assert!(shown, "examples/myconfig.yaml does not show {}", key.name);
    }
}

#[test]
fn a_named_file_wins_over_all_but_flags_and_has_to_be_there() {
    let home = Home::new().with(USER, "record:\n  limit: 1\n").with("mine.yaml", "record:\n  limit: 2\n  keep: 7\n");
    let layers = |name: &str| Layers { given: Some((home.path(name), |tree| tree)), ..home.layers() };
    let loaded = load(&Layers { variables: vec![("PYTEAD_RECORD_LIMIT".into(), "3".into())], ..layers("mine.yaml") });
    assert_eq!((loaded.settings.record.limit, loaded.settings.record.keep), (2, 7));
    let flag = Flag { name: "record.limit".into(), value: "4".into(), flag: "--limit".into() };
    assert_eq!(load(&Layers { flags: vec![flag], ..layers("mine.yaml") }).settings.record.limit, 4);
    assert_eq!(home.texts(&load(&layers("gone.yaml")).mistakes), ["There is no file gone.yaml."]);
}
