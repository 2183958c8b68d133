//! Tests by the steps of recorded ones, from scenes written by hand. That such tests pass is proved by `tests/it/applications.rs`.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Function, FunctionId, Span};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::Scene;
use crate::domain::settings::Snapshots;
use crate::domain::value::TypeName;
use crate::generate::learned::Learned;
use crate::generate::project::{AwaitBy, ClockBy, Definitions, Project};
use crate::generate::scenes::{Pages, choose, draft, requests, written};
use crate::generate::scope::Scope;
use crate::generate::told::Told;
use crate::source::facades::Facades;
use crate::source::parse::parse;

const ROOT: &str = "/srv/ada/shelf";
const FOLDER: &str = "tests/pytead";

fn with_project<T>(use_it: impl FnOnce(Project<'_>, &Function) -> T) -> T {
    with_test_file("", use_it)
}

/// As [`with_project`], with a file of tests.
fn with_test_file<T>(source: &str, use_it: impl FnOnce(Project<'_>, &Function) -> T) -> T {
    let text = "def detail(request, pk):\n    return pk\n";
    let module = parse(&RelPath::new("books/views.py").unwrap(), text.as_bytes(), "books.views", "");
    let file = parse(&RelPath::new("tests/test_views.py").unwrap(), source.as_bytes(), "test_views", "tests");
    let find = |name: &str| match name {
        "books.views" => Some(&module),
        "test_views" => Some(&file),
        _ => None,
    };
    let lines = |path: &RelPath, span: Span| {
        let own = source.lines().skip(span.first as usize - 1).take((span.last - span.first) as usize + 1);
        (*path == file.path).then(|| own.collect::<Vec<_>>().join("\n"))
    };
    let definitions = Definitions::default();
    let project = Project {
        definitions: &definitions,
        module: &find,
        history: &|_: &Call, _| Vec::new(),
        afterwards: &|_, _| Vec::new(),
        inner: &|_| Vec::new(),
        births: &|_: &TypeName| Vec::new(),
        makers: &|_, _| Vec::new(),
        makers_of: &|_| Vec::new(),
        reached: &|_| None,
        says: &|_| &[],
        stand_ins: &|_| &[],
        text: &lines,
        scenes: &|_| &[],
        mappings: &[],
        importable: &|_| true,
        learned: &Learned::default(),
        root: ROOT,
        facades: &Facades::default(),
        clock: ClockBy::default(),
        awaits: AwaitBy::default(),
        snapshots: Snapshots::default(),
    };
    use_it(project, &module.functions[0])
}

fn fixture(place: &str, base: &str, needs: &[&str], pk: Option<&str>) -> Json {
    json!({"where": place, "base": base, "scope": "function", "needs": needs, "type": "books.models.Book", "pk": pk})
}

fn call(on: &str, method: &str, args: Json, kwargs: Json) -> Json {
    json!({"kind": "call", "on": on, "type": "django.test.client.Client", "method": method, "args": args, "kwargs": kwargs})
}

fn answered(mut step: Json, answer: Json) -> Json {
    step["answer"] = answer;
    step
}

fn scene(fixtures: &Json, direct: &[&str], case: Option<&str>, steps: &[Json]) -> Scene {
    let told = json!({
        "test": "tests/test_views.py::test_it", "fixtures": fixtures, "direct": direct, "marks": [], "case": case,
        "has_django": true, "steps": steps,
    });
    Scene::read(&told.to_string()).unwrap()
}

fn page(status: u16, body: &str) -> Json {
    json!({"by": "django", "status": status, "content-type": "text/html", "body": body})
}

fn conftest() -> String {
    format!("{ROOT}/tests")
}

/// Writes the draft of scenes, or gives why there is none.
fn drafted(scenes: &[Scene]) -> Result<String, Vec<LeftOut>> {
    with_project(|project, function| {
        let told: Vec<Told> = scenes
            .iter()
            .zip(1..)
            .map(|(scene, id)| Told { call: CallId(id), times: 1, scene: scene.clone(), made: None })
            .collect();
        let found = choose(&requests(function, (&told, &Pages::new(scenes)), project, FOLDER), 6, &mut BTreeMap::new());
        if found.tests.is_empty() {
            return Err(found.left_out);
        }
        let target = RelPath::new("tests/pytead/test_views.py").unwrap();
        Ok(draft(function, &found.tests, project, &target, Vec::new()).standalone())
    })
}

fn why(scene: &Scene) -> Reason {
    drafted(std::slice::from_ref(scene)).unwrap_err()[0].reason.clone()
}

#[test]
fn a_request_is_made_with_the_projects_fixtures_and_keys_stand_by_their_rows() {
    let fixtures = json!({
        "client": fixture("plugin", "pytest_django.fixtures", &[], None),
        "book": fixture("conftest", &conftest(), &["db"], Some("7")),
    });
    let step = answered(call("client", "get", json!(["/books/7/"]), json!([])), page(200, "<h1>Emma</h1><p>12.50 EUR</p>"));
    let text = drafted(&[scene(&fixtures, &["client", "book"], None, &[step])]).unwrap();
    assert_eq!(
        text,
        r#"def test_detail(client, book):
    """Recorded from tests/test_views.py::test_it."""
    response = client.get(f"/books/{book.pk}/")
    assert response.status_code == 200
    assert "Emma" in response.content.decode()
    assert "12.50 EUR" in response.content.decode()
"#
    );
}

#[test]
fn rows_that_the_test_saved_are_saved_again_and_a_login_comes_before_the_request() {
    let steps = [
        json!({"kind": "row", "model": ["django.contrib.auth.models", "User"], "method": "create_user", "args": ["bo"],
               "kwargs": [["password", {"made_up": "password", "n": 3}]], "pk": "1"}),
        json!({"kind": "row", "model": ["django.contrib.auth.models", "User"], "method": "create_user", "args": ["idle"],
               "kwargs": [], "pk": "2"}),
        json!({"kind": "row", "model": ["books.models", "Author"], "method": "create", "args": [], "kwargs": [["name", "Sappho"]],
               "pk": "4"}),
        call("self.client", "force_login", json!([{"row": 0}]), json!([])),
        answered(
            call("self.client", "post", json!(["/books/new/"]), json!([["data", {"dict": [["title", "Odes"], ["author", 4]]}]])),
            json!({"by": "django", "status": 302, "content-type": "text/html", "location": "/books/9/", "body": ""}),
        ),
    ];
    let text = drafted(&[scene(&json!({}), &[], Some("django.test.testcases.TestCase"), &steps)]).unwrap();
    assert_eq!(
        text,
        r#"import pytest
from books.models import Author
from django.contrib.auth.models import User


@pytest.mark.django_db
def test_detail_post_redirects_to_books_after_login(client):
    """Recorded from tests/test_views.py::test_it."""
    user = User.objects.create_user("bo", password="made-up-password")
    author = Author.objects.create(name="Sappho")
    client.force_login(user)
    response = client.post("/books/new/", data={"title": "Odes", "author": author.pk})
    assert response.status_code == 302
    assert response["Location"].startswith("/books/")
"#
    );
}

#[test]
fn a_user_who_logs_in_by_name_is_made_and_files_are_given_by_what_they_hold() {
    let login = json!([["username", "bo"], ["password", {"made_up": "password", "n": 3}]]);
    let data = json!([["data", {"dict": [["file", {"upload": ["b.csv", "a,b", "text/csv"]}], ["note", {"io": "cd"}]]}]]);
    let steps = [
        json!({"kind": "row", "model": ["django.contrib.auth.models", "User"], "method": "create_user", "args": ["bo"],
               "kwargs": [["password", {"made_up": "password", "n": 3}], ["is_staff", true]], "pk": "1"}),
        call("self.client", "login", json!([]), login),
        answered(call("self.client", "post", json!(["/books/"]), data), page(200, "ok")),
    ];
    let text = drafted(&[scene(&json!({}), &[], Some("django.test.testcases.TestCase"), &steps)]).unwrap();
    for line in [
        "    User.objects.create_user(\"bo\", password=\"made-up-password\", is_staff=True)\n",
        "    client.login(username=\"bo\", password=\"made-up-password\")\n",
        "SimpleUploadedFile(\"b.csv\", b\"a,b\", content_type=\"text/csv\")",
        "\"note\": io.BytesIO(b\"cd\")",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn of_pages_that_differ_what_only_one_of_them_says_is_asserted() {
    let fixtures = json!({"client": fixture("plugin", "x", &[], None)});
    let ask = |data: Json, body: &str| {
        let step = call("client", "post", json!(["/join"]), json!([["data", {"dict": data}]]));
        scene(&fixtures, &["client"], None, &[answered(step, page(200, body))])
    };
    let text = drafted(&[
        ask(json!([["name", ""]]), "<h1>Join</h1><li>Name is required.</li>"),
        ask(json!([["name", "eve"]]), "<h1>Join</h1><li>Name is taken.</li>"),
    ])
    .unwrap();
    for (name, said) in [
        ("def test_detail_post_says_name_is_required(client):", "assert \"Name is required.\" in response.content.decode()"),
        ("def test_detail_post_says_name_is_taken(client):", "assert \"Name is taken.\" in response.content.decode()"),
    ] {
        assert!(text.contains(name) && text.contains(said), "{text}");
    }
    assert!(!text.contains("\"Join\""), "{text}");
}

#[test]
fn json_is_compared_leaf_by_leaf_and_what_changes_is_any() {
    let fixtures = json!({"client": fixture("plugin", "x", &[], None)});
    let body = r#"{"id": 31, "name": "Sappho", "added": "2026-01-05T10:11:12Z", "by": "Werkzeug/3.1.9",
        "tags": ["a", null, true, 1.5], "at": "and/or", "kind": "text/1"}"#;
    let answer = json!({"by": "django", "status": 200, "content-type": "application/json", "body": body});
    let step = answered(call("client", "get", json!(["/api/31"]), json!([])), answer);
    let text = drafted(&[scene(&fixtures, &["client"], None, &[step])]).unwrap();
    assert!(text.contains("from unittest.mock import ANY"), "{text}");
    let parts = [
        "\"id\": ANY",
        "\"name\": \"Sappho\"",
        "\"added\": ANY",
        "\"by\": ANY",
        "\"at\": \"and/or\"",
        "\"kind\": \"text/1\"",
        "\"tags\": [\"a\", None, True, 1.5]",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_request_whose_address_was_redacted_has_no_test() {
    let fixtures = json!({"client": fixture("plugin", "x", &[], None)});
    let address = json!([{"made_up": "credential", "n": 1}]);
    let ok = || page(200, "<h1>All books</h1>");
    let hidden = scene(&fixtures, &["client"], None, &[answered(call("client", "get", address, json!([])), ok())]);
    assert_eq!(why(&hidden), ReasonCode::Redacted.of("credential"));
    let secret = json!([["headers", {"dict": [["Authorization", {"made_up": "authorization", "n": 1}]]}]]);
    let text = drafted(&[scene(&fixtures, &["client"], None, &[answered(call("client", "get", json!(["/"]), secret), ok())])]);
    assert!(text.unwrap().contains("made-up-authorization"));
}

#[test]
fn a_fixture_that_is_only_there_for_what_it_does_stands_in_a_mark() {
    let fixtures = json!({
        "client": fixture("plugin", "x", &[], None),
        "book": fixture("conftest", &conftest(), &["author"], Some("3")),
        "author": fixture("conftest", &conftest(), &[], None),
    });
    let step = answered(call("client", "get", json!(["/"]), json!([])), page(200, "<h1>All books</h1>"));
    let text = drafted(&[scene(&fixtures, &["client", "book", "author"], None, &[step])]).unwrap();
    assert!(text.contains("@pytest.mark.usefixtures(\"book\")\ndef test_detail(client):"), "{text}");
}

/// Writes the fixture `client` of a test file beside a request by it.
fn by_fixture(source: &str, needs: &[&str]) -> Result<String, Reason> {
    with_test_file(source, |project, function| {
        let mut client = fixture("module", "tests/test_views.py", needs, None);
        client["of"] = json!(["test_views", "made"]);
        let step = answered(call("client", "get", json!(["/"]), json!([])), page(200, "<h1>Emma</h1>"));
        let scene = scene(&json!({ "client": client }), &["client"], None, &[step]);
        let written = written(&scene, &Pages::new([&scene]), project, Scope::new(&function.id), FOLDER)?;
        Ok(written.copied.iter().map(|copied| copied.text.as_str()).collect())
    })
}

#[test]
fn a_fixture_of_a_test_file_is_written_again_under_the_name_that_tests_take_it_by() {
    let source =
        "import pytest\nfrom django.test import Client\n\n\n@pytest.fixture(name=\"client\")\ndef made():\n    return Client()\n";
    assert_eq!(by_fixture(source, &[]).unwrap(), "@pytest.fixture\ndef client():\n    return Client()");
    let refused: Result<String, Reason> = Err(ReasonCode::FixtureInTestFile.of("client"));
    assert_eq!(by_fixture(&source.replace("Client()", "Client(SECRET)"), &[]), refused, "SECRET is of the test file");
    assert_eq!(by_fixture(source, &["client"]), refused, "it would be made of itself");
    assert_eq!(
        by_fixture(&source.replace("    return", &"    Client()\n".repeat(12)), &[]),
        refused,
        "nobody reads so many lines"
    );
}

#[test]
fn what_other_tests_cannot_see_or_write_has_a_reason() {
    let get = || answered(call("client", "get", json!(["/"]), json!([])), page(200, "<h1>All</h1>"));
    let of = |place: &str, base: &str| json!({"client": fixture(place, base, &[], None)});
    let module = scene(&of("module", "tests/test_views.py"), &["client"], None, &[get()]);
    assert_eq!(why(&module), ReasonCode::FixtureInTestFile.of("client"));
    let nearer = scene(&of("conftest", &format!("{ROOT}/tests/views")), &["client"], None, &[get()]);
    assert_eq!(why(&nearer), ReasonCode::FixtureOutOfReach.of("client").with("tests/views"));
    let mut hidden = of("conftest", &conftest());
    hidden["client"]["needs"] = json!(["app"]);
    hidden["app"] = fixture("module", "tests/test_views.py", &[], None);
    assert_eq!(why(&scene(&hidden, &["client"], None, &[get()])), ReasonCode::FixtureInTestFile.of("app"));
    let plugin = || of("plugin", "x");
    let given = answered(call("client", "post", json!(["/", {"other": "io.BytesIO"}]), json!([])), page(200, "ok"));
    assert_eq!(why(&scene(&plugin(), &["client"], None, &[given])), ReasonCode::UnwritableStep.of("BytesIO"));
    let silent = call("client", "get", json!(["/"]), json!([]));
    assert_eq!(drafted(&[scene(&plugin(), &["client"], None, &[silent])]), Err(Vec::new()), "the calls' own reasons say more");
    let mut patched = scene(&plugin(), &["client"], None, &[get()]);
    patched.patched = vec!["monkeypatch".to_owned()];
    assert_eq!(why(&patched), ReasonCode::FixtureChanged.of("monkeypatch"));
    let mut many = vec![call("client", "get", json!(["/"]), json!([])); 13];
    many.push(get());
    assert_eq!(why(&scene(&plugin(), &["client"], None, &many)), ReasonCode::SetupTooLong.with(13));
    let mut bare = scene(
        &json!({}),
        &[],
        Some("django.test.testcases.TestCase"),
        &[answered(call("self.client", "get", json!(["/"]), json!([])), page(200, "ok"))],
    );
    bare.has_django = false;
    assert_eq!(why(&bare), ReasonCode::NeedsPytestDjango.into());
    bare.case = Some("unittest.case.TestCase".into());
    assert_eq!(why(&bare), ReasonCode::ClientOfTestCase.of("self.client"));
}

#[test]
fn one_request_is_the_test_of_one_function() {
    let fixtures = json!({"client": fixture("plugin", "x", &[], None)});
    let step = answered(call("client", "get", json!(["/"]), json!([])), page(200, "<h1>All</h1>"));
    let told = [Told { call: CallId(1), times: 1, scene: scene(&fixtures, &["client"], None, &[step]), made: None }];
    with_project(|project, function| {
        let mut taken = BTreeMap::new();
        let own = requests(function, (&told, &Pages::default()), project, FOLDER);
        for _ in 0..2 {
            assert_eq!(choose(&own, 6, &mut taken).tests.len(), 1, "it keeps what it has");
        }
        let other = Function { id: FunctionId::new("books.views", "other"), ..function.clone() };
        let other = choose(&requests(&other, (&told, &Pages::default()), project, FOLDER), 6, &mut taken);
        assert!(other.tests.is_empty());
        assert_eq!(other.left_out[0].reason, ReasonCode::CoveredByRequests.into());
    });
}

#[test]
fn every_function_chooses_a_request_before_one_chooses_a_second() {
    let fixtures = json!({"client": fixture("plugin", "x", &[], None)});
    let told = |id: i64, path: &str| {
        let step = answered(call("client", "get", json!([path]), json!([])), page(200, &format!("<h1>{path}</h1>")));
        Told { call: CallId(id), times: 1, scene: scene(&fixtures, &["client"], None, &[step]), made: None }
    };
    let (both, one) = ([told(1, "/"), told(2, "/rooms/")], [told(3, "/rooms/")]);
    with_project(|project, function| {
        let mut taken = BTreeMap::new();
        let other = Function { id: FunctionId::new("books.views", "other"), ..function.clone() };
        let (own, other) = (
            requests(function, (&both, &Pages::default()), project, FOLDER),
            requests(&other, (&one, &Pages::default()), project, FOLDER),
        );
        choose(&own, 1, &mut taken);
        choose(&other, 1, &mut taken);
        assert_eq!(choose(&own, 6, &mut taken).tests.len(), 1);
        assert_eq!(choose(&other, 6, &mut taken).tests.len(), 1, "the second of the first one is its only one");
    });
}

/// What a fixture put in the place of something else before the test began is there for an accepted test that takes it.
#[test]
fn fixtures_that_replace_something_are_taken_unless_they_are_there_anyway() {
    let fixtures = json!({
        "client": fixture("plugin", "x", &[], None),
        "quiet": fixture("conftest", &conftest(), &["monkeypatch"], None),
        "first_page": fixture("conftest", &conftest(), &["monkeypatch"], None),
    });
    let mut replacing =
        scene(&fixtures, &["client"], None, &[answered(call("client", "get", json!(["/"]), json!([])), page(200, "ok"))]);
    replacing.replacing = [("quiet".to_owned(), true), ("first_page".to_owned(), false)].into();
    let written = |scene: &Scene| {
        with_project(|project, function| {
            written(scene, &Pages::default(), project, Scope::new(&function.id), FOLDER).map(|test| test.marks)
        })
    };
    assert_eq!(written(&replacing).unwrap(), ["@pytest.mark.usefixtures(\"first_page\")"]);
    let own = json!({"client": fixture("plugin", "x", &[], None), "quiet": fixture("module", "tests/test_x.py", &[], None)});
    let mut of_file =
        scene(&own, &["client"], None, &[answered(call("client", "get", json!(["/"]), json!([])), page(200, "ok"))]);
    of_file.replacing = [("quiet".to_owned(), true)].into();
    assert!(written(&of_file).unwrap().is_empty(), "the proof shows whether it is needed");
}

#[test]
fn flask_and_commands_are_asserted_in_their_own_words() {
    let fixtures =
        json!({"client": fixture("conftest", &conftest(), &[], None), "runner": fixture("conftest", &conftest(), &[], None)});
    let moved =
        json!({"by": "werkzeug", "status": 302, "content-type": "text/html", "location": "/auth/login", "body": "<p>x</p>"});
    let step = answered(call("client", "post", json!(["/create"]), json!([])), moved);
    let written = with_project(|project, _| {
        let scope = || Scope::new(&FunctionId::new("books.views", "detail"));
        let web = written(&scene(&fixtures, &["client"], None, &[step]), &Pages::default(), project, scope(), FOLDER).unwrap();
        let ran = answered(
            call("runner", "invoke", json!([]), json!([["args", {"list": ["init-db"]}]])),
            json!({"by": "click", "exit": 0, "body": "Initialized.\n"}),
        );
        let command = written(&scene(&fixtures, &["runner"], None, &[ran]), &Pages::default(), project, scope(), FOLDER).unwrap();
        [web.lines, command.lines].concat()
    });
    assert_eq!(
        written,
        [
            "    response = client.post(\"/create\")",
            "    assert response.status_code == 302",
            "    assert response.headers[\"Location\"] == \"/auth/login\"",
            "    result = runner.invoke(args=[\"init-db\"])",
            "    assert result.exit_code == 0",
            "    assert result.output == \"Initialized.\\n\"",
        ]
    );
}

fn made_by_hand(client: &Json, awaited: bool) -> Json {
    let mut step = call("@0", "get", json!(["/found"]), json!([["params", {"dict": [["q", "tea"]]}]]));
    step["type"] = json!("starlette.testclient.TestClient");
    step["client"] = client.clone();
    step["awaited"] = json!(awaited);
    answered(step, json!({"by": "starlette", "status": 200, "content-type": "application/json", "body": r#"{"found": "tea"}"#}))
}

#[test]
fn a_client_that_no_fixture_gives_is_made_of_the_application() {
    let plain = json!({"name": "client", "class": ["starlette.testclient", "TestClient"], "app": {"name": ["books.web", "app"]}});
    let text = drafted(&[scene(&json!({}), &[], None, &[made_by_hand(&plain, false)])]).unwrap();
    let act = r#"def test_detail():
    """Recorded from tests/test_views.py::test_it."""
    client = TestClient(app)
    response = client.get("/found", params={"q": "tea"})
    assert response.status_code == 200
    assert response.json() == {"found": "tea"}
"#;
    assert!(text.ends_with(act), "{text}");
    for import in ["from books.web import app\n", "from starlette.testclient import TestClient\n"] {
        assert!(text.contains(import), "{text}");
    }
    let mut entered = plain.clone();
    entered["entered"] = json!(true);
    let text = drafted(&[scene(&json!({}), &[], None, &[made_by_hand(&entered, false)])]).unwrap();
    assert!(text.contains("    with TestClient(app) as client:\n        response = client.get("), "{text}");
    let mut replaced = plain.clone();
    replaced["replaced"] = json!(true);
    let reason = why(&scene(&json!({}), &[], None, &[made_by_hand(&replaced, false)]));
    assert_eq!(reason, ReasonCode::FixtureChanged.of("dependency_overrides"));
    // Two clients have cookies of their own.
    let mut first = made_by_hand(&plain, false);
    first["method"] = json!("post");
    let mut second = made_by_hand(&plain, false);
    second["on"] = json!("@1");
    let reason = why(&scene(&json!({}), &[], None, &[first, second]));
    assert_eq!(reason, ReasonCode::UnwritableStep.of("client"));
}

#[test]
fn requests_that_are_awaited_stand_in_a_coroutine_function() {
    let client = json!({
        "name": "client", "class": ["httpx", "AsyncClient"], "transport": ["httpx", "ASGITransport"], "awaited": true, "entered": true,
        "app": {"name": ["books.web", "app"]}, "kwargs": [["base_url", "http://shop"]],
    });
    let mut told = scene(&json!({}), &[], None, &[made_by_hand(&client, true)]);
    told.is_async = true;
    told.marks = vec![("asyncio".into(), Vec::new(), std::collections::BTreeMap::new())];
    let text = drafted(&[told]).unwrap();
    for lines in [
        "@pytest.mark.asyncio\nasync def test_detail():\n",
        "    async with AsyncClient(",
        "transport=ASGITransport(app=app)",
        "        response = await client.get(\"/found\", params={\"q\": \"tea\"})\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
}
