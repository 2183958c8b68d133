//! `pytead-tui diff` on the real binary: what a change of the code does, against a commit of a real repository.

use crate::harness::Place;

fn recorded(place: Place, program: &[&str]) -> Place {
    let (code, _, err) = place.run(&[&["--trust", "run", "--"], program].concat());
    assert_eq!(code, 0, "{err}");
    place
}

fn small() -> Place {
    Place::prepared("diff", || {
        let place = Place::empty();
        place.save(
            "app/money.py",
            "RATE = 2\n\n\ndef cents(x):\n    return x * 100\n\n\ndef fee(x):\n    return x + RATE\n\n\ndef unused(x):\n    return x\n",
        );
        place.save("app/__init__.py", "");
        place.save(
            "app/order.py",
            "from app.money import cents, fee\n\n\ndef total(x):\n    return cents(fee(x))\n\n\ndef pay(x):\n    if x < 0:\n        raise ValueError('negative')\n    return total(x)\n",
        );
        place.save(
            "main.py",
            "from app.order import pay\n\nfor x in (1, 2, 30):\n    pay(x)\ntry:\n    pay(-1)\nexcept ValueError:\n    pass\n",
        );
        place.commit();
        recorded(place, &["main.py"])
    })
}

fn result(place: &Place, args: &[&str]) -> (i32, serde_json::Value) {
    let (code, out, err) = place.run(&[&["--trust", "--format", "json", "diff"], args].concat());
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = lines.into_iter().find(|line| line["result"] == "diff").unwrap_or_else(|| panic!("no result: {out}{err}"));
    (code, found["value"].clone())
}

fn function<'a>(diff: &'a serde_json::Value, id: &str) -> &'a serde_json::Value {
    let functions = diff["functions"].as_array().unwrap();
    functions.iter().find(|one| one["function"] == id).unwrap_or_else(|| panic!("{id} in {diff:#}"))
}

#[test]
fn a_regression_two_functions_away_is_told_with_the_edit_behind_it() {
    let place = recorded(
        {
            let place = Place::example("shop");
            place.commit();
            place
        },
        &["pytest", "-q"],
    );
    let (code, out, _) = place.run(&["--trust", "diff"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("no call to compare. Nothing was edited."), "{out}");
    place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
    let (code, out, err) = place.run(&["--trust", "diff"]);
    assert_eq!(code, 1, "{out}{err}");
    let elsewhere = out.find("Side effects elsewhere").unwrap_or_else(|| panic!("{out}"));
    let edited = out.find("Edited functions").unwrap();
    let total = out.find("shop.cart:Cart.total").unwrap();
    assert!(elsewhere < total && total < edited, "side effects come first: {out}");
    for line in ["+    if total >= FREE_FROM:", "old  → Decimal('104.90')", "new  → Decimal('100.00')", "because of shipping_for"]
    {
        assert!(out.contains(line), "{line} in {out}");
    }
}

#[test]
fn each_difference_names_the_edit_that_does_it_alone() {
    let place = small();
    place.edit("app/money.py", "return x * 100", "return x * 1000");
    place.edit("app/money.py", "RATE = 2", "RATE = 3");
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 1);
    for (id, how, edit) in [("app.money:cents", "alone", "app.money:cents"), ("app.money:fee", "only", "app.money:")] {
        let because = &function(&diff, id)["because"];
        let edits: Vec<&str> =
            because["edits"].as_array().unwrap().iter().map(|edit| edit["function"].as_str().unwrap()).collect();
        assert_eq!(edits, [edit], "{id}: {because:#}");
        assert!(because["how"] == how || because["how"] == "alone", "{id}: {because:#}");
    }
}

#[test]
fn edits_that_only_work_together_are_named_together() {
    let place = small();
    place.edit("app/money.py", "def fee(x):\n    return x + RATE", "def fee(x, rate):\n    return x + rate * 5");
    place.edit("app/order.py", "cents(fee(x))", "cents(fee(x, 3))");
    let (_, diff) = result(&place, &[]);
    let because = &function(&diff, "app.order:total")["because"];
    assert_eq!(because["how"], "together", "{because:#}");
    assert_eq!(because["edits"].as_array().unwrap().len(), 2, "{because:#}");
}

#[test]
fn what_raises_now_and_what_does_not_any_more_are_told_apart() {
    let place = small();
    place.edit("app/order.py", "if x < 0:", "if x > 20:");
    let (_, diff) = result(&place, &[]);
    let pay = function(&diff, "app.order:pay");
    let kinds: Vec<&str> = pay["calls"].as_array().unwrap().iter().map(|call| call["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["now_raises", "no_longer_raises"], "{pay:#}");
    assert_eq!(pay["same"], 2);
}

#[test]
fn a_refactoring_is_silent() {
    let place = small();
    place.edit("app/order.py", "    return cents(fee(x))", "    with_fee = fee(x)  # named\n\n    return cents(with_fee)");
    place.edit("app/money.py", "    return x * 100", "    return 100 * x");
    let (code, out, err) = place.run(&["--trust", "diff"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("0 differ in 0 functions"), "{out}");
}

#[test]
fn what_no_recording_covers_and_what_is_gone_is_said() {
    let place = small();
    place.edit("app/money.py", "def unused(x):\n    return x", "def unused(x):\n    return -x");
    place.edit("app/order.py", "def pay(x):", "def settle(x):");
    let (code, out, _) = place.run(&["--trust", "diff"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("app.order:pay is gone, and with it its 4 recorded calls"), "{out}");
    assert!(out.contains("? app.money:unused was edited and not compared  app/money.py:12  was never recorded."), "{out}");
    assert!(out.contains("New, not recorded yet: app.order:settle."), "{out}");
}

#[test]
fn a_call_that_got_ten_times_slower_is_told_though_it_ends_as_before() {
    let place = small();
    place.edit(
        "app/money.py",
        "    return x * 100",
        "    total = 0\n    for _ in range(4_000_000):\n        total += x\n    return x * 100",
    );
    let (_, diff) = result(&place, &[]);
    let cents = function(&diff, "app.money:cents");
    assert_eq!(cents["calls"][0]["kind"], "slower", "{cents:#}");
}

#[test]
fn any_commit_may_be_named_and_a_wrong_name_says_so() {
    let place = small();
    place.edit("app/money.py", "return x * 100", "return x * 1000");
    place.git(&["commit", "-qam", "dearer"]);
    assert_eq!(result(&place, &[]).0, 0, "against HEAD nothing differs");
    assert_eq!(result(&place, &["HEAD~1"]).0, 1);
    let (code, _, err) = place.run(&["--trust", "diff", "no-such-branch"]);
    assert_eq!(code, 2);
    assert!(err.contains("There is no commit no-such-branch."), "{err}");
    let outside = Place::empty();
    outside.save("m.py", "def f():\n    return 1\n");
    outside.save("main.py", "import m\n\nm.f()\n");
    let outside = recorded(outside, &["main.py"]);
    let (code, _, err) = outside.run(&["--trust", "diff"]);
    assert_eq!(code, 2);
    assert!(err.contains("no git repository"), "{err}");
}

#[test]
fn the_project_and_its_repository_are_left_as_they_were() {
    let place = small();
    place.edit("app/money.py", "return x * 100", "open('made', 'w').close()\n    return x * 1000");
    let listing = |place: &Place| {
        let mut all = Vec::new();
        let mut folders = vec![place.root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.ends_with(".pytead") {
                    continue;
                }
                all.push((path.clone(), entry.metadata().unwrap().modified().unwrap()));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        all.sort();
        all
    };
    let before = listing(&place);
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 4, "what it gives when a write is refused tells nothing: {diff:#}");
    assert_eq!(listing(&place), before);
}

#[test]
fn files_that_no_commit_holds_are_there_under_both_versions() {
    let place = Place::empty();
    place.save(".gitignore", "_version.py\ndata/\n");
    place.save(
        "app.py",
        "import _version\n\n\ndef name(x):\n    return f'{_version.V}-{open(\"data/x\").read()}{open(\"new/y\").read()}-{x}'\n",
    );
    place.save("main.py", "import app\n\napp.name(1)\n");
    place.commit();
    place.save("_version.py", "V = 7\n");
    place.save("data/x", "d");
    place.save("new/y", "e");
    let place = recorded(place, &["main.py"]);
    place.edit("app.py", "-{x}'", "+{x}'");
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 1, "{diff:#}");
    let call = &function(&diff, "app:name")["calls"][0];
    assert!(call["old"].to_string().contains("7-de-1") && call["new"].to_string().contains("7-de+1"), "{call:#}");
}

#[test]
fn the_edit_behind_a_difference_is_found_among_a_hundred() {
    let place = Place::empty();
    let function = |number: usize, body: &str| format!("def f{number}(x):\n    {body}\n\n\n");
    let module = |body: &str| (0..100).map(|number| function(number, body)).collect::<String>();
    let all = "def all_of(x):\n    return sum(globals()[f'f{n}'](x) for n in range(100))\n";
    place.save("app.py", &(module("return x + 1") + all));
    place.save("main.py", "import app\n\napp.all_of(1)\napp.all_of(5)\n");
    place.commit();
    let place = recorded(place, &["main.py"]);
    // All are written in another way, one of them wrongly.
    let edited = module("one = 1\n    return one + x").replacen(
        &function(61, "one = 1\n    return one + x"),
        &function(61, "return x"),
        1,
    );
    place.save("app.py", &(edited + all));
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 1, "{diff:#}");
    let because = &self::function(&diff, "app:all_of")["because"];
    assert_eq!(because["how"], "alone", "{because:#}");
    assert_eq!(because["edits"].as_array().map(Vec::len), Some(1), "{because:#}");
    assert_eq!(because["edits"][0]["function"], "app:f61");
}

#[test]
fn markdown_and_the_form_for_agents_carry_nothing_that_acts() {
    let place = Place::empty();
    place.save("app.py", "def show(x):\n    return x\n");
    let hostile = "</code></details>``` @everyone <img src=x> \\x1b]52;c;aGk=\\x07";
    place.save("main.py", &format!("import app\n\napp.show('{hostile}')\n"));
    place.commit();
    let place = recorded(place, &["main.py"]);
    place.edit("app.py", "return x", "return x + '!'");
    let (code, markdown, _) = place.run(&["--trust", "--format", "markdown", "diff"]);
    assert_eq!(code, 1);
    let inside = markdown.split("````text").nth(1).unwrap_or_else(|| panic!("a longer fence: {markdown}"));
    assert!(inside.split("````").next().unwrap().contains("@everyone"), "{markdown}");
    assert!(!markdown.split("````text").next().unwrap().contains("@everyone") && !markdown.contains('\u{1b}'), "{markdown}");
    let (_, agent, _) = place.run(&["--trust", "--format", "agent", "diff"]);
    assert!(agent.contains("not instructions") && agent.len() < 8_000 && !agent.contains('\u{1b}'), "{agent}");
    let (code, _, err) = place.run(&["--trust", "--format", "agent", "replay"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn the_form_for_agents_stays_short_and_counts_the_rest() {
    let place = Place::empty();
    let functions: String = (0..60).map(|n| format!("def function_number_{n}(x):\n    return step(x, {n})\n\n\n")).collect();
    place.save(
        "app.py",
        &format!("def step(x, n):\n    return [x, n, 'a long result, a long result, a long result']\n\n\n{functions}"),
    );
    let calls: String = (0..60).map(|n| format!("app.function_number_{n}({n})\n")).collect();
    place.save("main.py", &format!("import app\n\n{calls}"));
    place.commit();
    let place = recorded(place, &["main.py"]);
    place.edit("app.py", "return [x, n,", "return [n, x + 1,");
    let (code, agent, err) = place.run(&["--trust", "--format", "agent", "diff"]);
    assert_eq!(code, 1, "{err}");
    assert!(agent.len() < 6_500, "{}", agent.len());
    assert!(agent.contains("differ in 61 functions") && agent.contains("more: pytead-tui diff HEAD"), "{agent}");
}

#[test]
fn calls_that_read_a_changed_file_are_compared_under_its_old_and_its_new_content() {
    let place = Place::empty();
    place.save("data/rates.txt", "2");
    place.save("notes.toml", "a = 1");
    place.save(
        "app.py",
        "from pathlib import Path\n\nHERE = Path(__file__).parent\n\n\ndef rate():\n    return int((HERE / 'data/rates.txt').read_text())\n\n\n\
         def price(x):\n    return x * rate()\n\n\ndef other(x):\n    return x\n",
    );
    place.save("main.py", "import app\n\napp.price(2)\napp.price(3)\napp.other(1)\n");
    place.commit();
    let place = recorded(place, &["main.py"]);
    assert_eq!(result(&place, &[]).0, 0);
    place.save("data/rates.txt", "5");
    place.save("notes.toml", "a = 2");
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 1, "{diff:#}");
    let price = function(&diff, "app:price");
    assert!(price["edited"] == false && price["calls"].as_array().unwrap().len() == 2, "{price:#}");
    assert_eq!(price["because"]["data"], serde_json::json!(["data/rates.txt"]), "{price:#}");
    let call = &price["calls"][0];
    assert!(call["old"].to_string().contains('4') && call["new"].to_string().contains("10"), "{call:#}");
    assert!(diff["functions"].as_array().unwrap().iter().all(|one| one["function"] != "app:other"), "{diff:#}");
    assert_eq!(diff["data_files"][0]["path"], "data/rates.txt");
    assert_eq!(diff["data_files"][0]["read_by"], serde_json::json!([["app:price", 2], ["app:rate", 1]]), "{diff:#}");
    assert_eq!(diff["other_files"], serde_json::json!(["notes.toml"]), "{diff:#}");
    let (_, out, _) = place.run(&["--trust", "diff"]);
    assert!(out.contains("because of data/rates.txt"), "{out}");
}

#[test]
fn a_changed_file_that_is_read_when_a_module_is_imported_is_seen_in_the_calls_that_use_it() {
    let place = Place::empty();
    place.save("data/rates.txt", "2");
    place.save(
        "app.py",
        "from pathlib import Path\n\nRATE = int((Path(__file__).parent / 'data' / 'rates.txt').read_text())\n\n\n\
         def price(x):\n    return x * RATE\n",
    );
    place.save("apart.py", "def other(x):\n    return x\n");
    place.save("main.py", "import app, apart\n\napp.price(2)\napart.other(1)\n");
    place.commit();
    let place = recorded(place, &["main.py"]);
    assert_eq!(result(&place, &[]).0, 0);
    place.save("data/rates.txt", "5");
    let (code, diff) = result(&place, &[]);
    assert_eq!(code, 1, "{diff:#}");
    let price = function(&diff, "app:price");
    assert_eq!(price["because"]["data"], serde_json::json!(["data/rates.txt"]), "{price:#}");
    assert_eq!(diff["data_files"][0]["named_by"], serde_json::json!(["app.py"]), "{diff:#}");
    assert_eq!(diff["functions"].as_array().unwrap().len(), 1, "{diff:#}");
    let (_, out, _) = place.run(&["--trust", "diff"]);
    assert!(out.contains("Changed: data/rates.txt, named in app.py"), "{out}");
}

#[test]
fn a_link_that_git_ignores_leads_where_it_leads_under_the_older_files_too() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("rate"), "3").unwrap();
    let place = Place::empty();
    place.save("lib.py", "from pathlib import Path\n\n\ndef rate():\n    return int(Path('data/rate').read_text())\n\n\ndef fee(x):\n    return x\n");
    place.save("main.py", "import lib\n\nlib.rate()\nlib.fee(2)\n");
    place.save(".gitignore", "data\npasswd\n");
    place.commit();
    std::os::unix::fs::symlink(outside.path(), place.root().join("data")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", place.root().join("passwd")).unwrap();
    let place = recorded(place, &["main.py"]);
    place.edit("lib.py", "    return x\n", "    return x + 1\n");
    let (code, out, err) = place.run(&["--trust", "diff"]);
    assert!(code == 1 && out.contains("lib:fee") && !out.contains("lib:rate"), "{code} {out}{err}");
}
