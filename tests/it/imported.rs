//! What importing the project needs and does, on the real binary: scripts with code at the top level, variables of the environment.

use crate::harness::Place;

/// R31: a script that computes when it is imported is imported by tests, from the folder where it finds its files.
#[test]
fn functions_of_a_script_have_tests_where_importing_it_only_computes() {
    let place = Place::empty();
    place.save("data/orders.csv", "a,1\n");
    place.save("explore.py", "rows = open(\"data/orders.csv\").readlines()\n\n\ndef share(part, whole):\n    return part / whole\n\n\nprint(len(rows), share(1, 4))\n");
    place.save("export.py", "def name(n):\n    return f\"out-{n}.txt\"\n\n\nopen(name(1), \"w\").close()\n");
    for script in ["explore.py", "export.py"] {
        let (code, _, err) = place.run(&["--trust", "run", "--", "python3", script]);
        assert_eq!(code, 0, "{err}");
    }
    let (_, out, err) = place.run(&["--trust", "gen"]);
    assert!(out.contains("assert share(1, 4) == 0.25") && !out.contains("from export import"), "{out}{err}");
    assert!(out.contains("export is defined in a script that runs when imported: write out-1.txt"), "{out}{err}");
}

/// What a module reads of the environment while it is imported is given again; of a secret a placeholder is.
#[test]
fn variables_that_imports_need_are_given_again() {
    let place = Place::empty();
    place.save(
        "app.py",
        "import os\n\nMODE, KEY = os.environ[\"APP_MODE\"], os.environ[\"APP_TOKEN\"]\n\n\ndef double(x):\n    return x * 2\n",
    );
    place.save("main.py", "import app\n\nif __name__ == \"__main__\":\n    app.double(4)\n");
    let env = [("APP_MODE", "x"), ("APP_TOKEN", "tok-8f3a0b6c2d")];
    let (code, _, err) = place.run_with(&["--trust", "run", "--", "python3", "main.py"], &env);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert!(out.contains("assert double(4) == 8"), "{out}{err}");
    let conftest = place.read("tests/pytead/conftest.py");
    assert!(conftest.contains("os.environ.setdefault(\"APP_MODE\", \"x\")\n"), "{conftest}");
    assert!(conftest.contains("os.environ.setdefault(\"APP_TOKEN\", \"[REDACTED:token]\")\n"), "{conftest}");
    place.edit("app.py", "x * 2", "x * 3");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("double"), "{code} {out}{err}");
}
