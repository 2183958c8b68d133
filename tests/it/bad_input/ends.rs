//! Programs that end badly, and names of what is not there.

use super::{has, said};
use crate::harness::Place;

#[test]
fn a_programs_end_is_passed_on_and_its_calls_are_kept() {
    let place = Place::empty();
    place.save("lib.py", "def f(x):\n    return x\n");
    let head = "import os, sys\nfrom lib import f\n\nf(1)\n";
    for (name, end, expected, words) in [
        ("raises", "raise ValueError('no')", 1, "ValueError: no"),
        ("exits", "sys.exit(3)", 3, "1 call of 1 function"),
        ("killed", "os.kill(os.getpid(), 9)", 137, "the program was ended by SIGKILL; what was recorded until then is kept"),
        ("ended", "os.kill(os.getpid(), 15)", 143, "the program was ended by SIGTERM; what was recorded until then is kept"),
        ("crashed", "os.kill(os.getpid(), 11)", 139, "the program was ended by SIGSEGV; what was recorded until then is kept"),
    ] {
        place.save(&format!("{name}.py"), &format!("{head}{end}\n"));
        let (code, err) = said(&place, &["--trust", "run", &format!("{name}.py")]);
        assert_eq!(code, expected, "{name}: {err}");
        has(&err, &[words, "1 call of 1 function (1 kept with values)"]);
        assert!(!err.contains("pytead_tui/"), "our frames in the traceback: {err}");
    }
    let (code, out, err) = place.run(&["--trust", "gen", "lib:f"]);
    assert_eq!(code, 0, "{err}");
    has(&out, &["✓ passes"]);
}

#[test]
fn a_name_that_is_not_there_comes_with_the_nearest_ones() {
    let place = Place::example("shop");
    for (args, sentence) in [
        (&["run", "mian.py"][..], "There is no file mian.py. Did you mean main.py?"),
        (&["run", "pytset"], "There is no program pytset. It is not on the PATH. Did you mean pytest?"),
        (&["run", "-t", "shop.pricing:tax_fo", "main.py"], "No function shop.pricing:tax_fo. Nearest: shop.pricing:tax_for"),
        (&["gen", "tax_fro"], "No function tax_fro. Nearest: shop.pricing:tax_for"),
        (&["replay", "shop.pricng:tax_for"], "Nearest: shop.pricing:tax_for"),
        (&["draft", "tax_fr"], "Nearest: shop.pricing:tax_for"),
        (&["review", "--accept", "77"], "No proposal 77 waits. review --list shows the numbers of what waits."),
        (&["--root", "/no/such/folder", "index"], "There is no folder /no/such/folder."),
    ] {
        let (code, err) = said(&place, &[&["--trust"], args].concat());
        assert_eq!(code, 2, "{args:?}: {err}");
        has(&err, &[sentence]);
    }
}

#[test]
fn an_empty_folder_says_where_to_begin() {
    let place = Place::empty();
    let begin = "nothing is recorded yet. pytead-tui run records what a program does.";
    for (verb, sentence) in [
        ("index", "project: 0 functions in 0 files."),
        ("gen", begin),
        ("replay", begin),
        ("review", "Nothing waits. run records what your program does."),
    ] {
        let args = if verb == "review" { vec!["--trust", verb, "--list"] } else { vec!["--trust", verb] };
        let (code, out, err) = place.run(&args);
        assert_eq!(code, if verb == "replay" { 3 } else { 0 }, "{verb}: {err}");
        has(&out, &[sentence]);
    }
    let (code, err) = said(&place, &["--trust", "run", "pytest"]);
    assert_eq!(code, 5, "pytest's own code for no tests: {err}");
}

#[test]
fn a_syntax_error_is_placed_and_the_other_files_go_on() {
    let place = Place::empty();
    place.save("good.py", "def f(x):\n    return x\n\nf(1)\n");
    place.save("bad.py", "def g(:\n    pass\n");
    let (code, out, _) = place.run(&["--trust", "index"]);
    assert_eq!(code, 0);
    has(&out, &["! bad.py does not parse: line 1, column 7."]);
    let (code, err) = said(&place, &["--trust", "run", "bad.py"]);
    assert_eq!(code, 1);
    has(&err, &["SyntaxError"]);
    let (code, err) = said(&place, &["--trust", "run", "good.py"]);
    assert_eq!(code, 0);
    has(&err, &["1 call of 1 function"]);
}
