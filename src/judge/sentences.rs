//! Which sentences are clauses, and what they say: each variant parses to its canonical sentence, that one to itself, and
//! what may mean several things is refused.

use crate::judge::grammar::{parse, sentences};

/// Canonical sentence, then other ways to say it.
const SAME: &[(&str, &[&str])] = &[
    (
        "Db.save is called",
        &["calls Db.save", "Make sure that Db.save is called", "Db.save must be called.", "it should call Db.save"],
    ),
    (
        "Mail.send is never called",
        &[
            "never calls Mail.send",
            "Mail.send must not be called",
            "It does not call Mail.send",
            "no call to Mail.send",
            "Mail.send shouldn't be called",
        ],
    ),
    (
        "Kiosk.print is called exactly once",
        &[
            "calls Kiosk.print only once",
            "exactly one call to Kiosk.print",
            "`Kiosk.print` has to be called once",
            "Kiosk.print is called a single time",
        ],
    ),
    ("Api.get is called exactly 3 times", &["Api.get must be called three times"]),
    ("Api.get is called at most 5 times", &["Api.get may be called no more than 5 times", "at most five calls to Api.get"]),
    ("Api.get is called at most twice", &["Api.get may be called no more than twice"]),
    ("Api.get is called at least twice", &["Api.get is called at least 2 times"]),
    ("Postman.drop is called at most once per street", &[]),
    (
        "Db.save is called before Mail.send",
        &[
            "calls Db.save before Mail.send",
            "Db.save happens before Mail.send",
            "Db.save precedes Mail.send",
            "calls Db.save, then Mail.send",
        ],
    ),
    ("first Db.save, then Mail.send, then Log.write", &["calls Db.save, then Mail.send, then Log.write"]),
    (
        "Mail.send is called only after Db.save",
        &["Mail.send is never called before Db.save", "Mail.send may only be called after Db.save"],
    ),
    (
        "Ferry.board is called only after Ferry.signal returning 'clear'",
        &["Ferry.board is called only after Ferry.signal returns \"clear\""],
    ),
    ("Ferry.whistle is called immediately after Ferry.dock", &[]),
    (
        "after File.open, File.close is called",
        &["every call of File.open is followed by File.close", "After File.open, File.close must be called"],
    ),
    ("after Conn.begin, Conn.commit or Conn.rollback is called", &[]),
    ("every Pool.acquire has a matching Pool.release", &[]),
    (
        "if Db.exists returns False then Db.save is called",
        &["Db.save is called if Db.exists returns False", "If Db.exists returns False, Db.save must be called"],
    ),
    ("if Db.exists returns True then Db.save is not called", &["When Db.exists returns True, Db.save is not called"]),
    ("Db.save is called only after Db.exists returning False", &["Db.save is called only if Db.exists returns False"]),
    (
        "if Kiosk.print raises ConnectionError then Stock.release is called",
        &["whenever Kiosk.print raises ConnectionError, Stock.release is called"],
    ),
    ("if Kiosk.print fails then Stock.release is called", &["if Kiosk.print fails, Stock.release must be called"]),
    ("Kiosk.print is called with copies=4", &["Kiosk.print with copies=4 is called"]),
    ("every call of Api.get has timeout=5", &[]),
    ("every call of Api.get has timeout <= 5", &[]),
    ("every call of Api.get has url matches /^https:/", &[]),
    ("Belt.accept is never called with item='glass'", &["Belt.accept must not be called with item=\"glass\""]),
    ("Kiosk.print is called with copies=4 exactly twice", &[]),
    ("Db.find returning None is called at most once", &[]),
    ("Club.join is called with member returned by Roll.add", &["Club.join is called with the member returned by Roll.add"]),
    ("Garden.plant and Garden.water get the same bed", &[]),
    ("Fair.close returns the result of Kiosk.issue", &[]),
    (
        "Service.register returns 'Success'",
        &["Service.register returns \"Success\"", "the result of Service.register is \"Success\""],
    ),
    ("Kiosk.scan raises PaperJam", &["Kiosk.scan must raise PaperJam"]),
    ("Burnt is raised inside Oven.inspect and handled", &[]),
    ("Burnt is raised inside Oven.inspect and handled by Baker.day", &[]),
    ("no exception escapes Worker.run", &["Worker.run never raises", "Worker.run must not raise"]),
    ("Poster.store calls Sheet.store", &[]),
    ("Well.draw is called only inside Pump.run", &["Well.draw is called only from Pump.run"]),
    ("Shelf.stack is called inside Library.lend", &[]),
    ("Shelf.stack is called exactly once in each Library.lend", &[]),
    ("between Curtain.rise and Curtain.fall, Stage.change is never called", &[]),
    ("Bucket.fill is called only between Tap.open and Tap.shut", &[]),
    ("calls of Loom.weave overlap", &[]),
    ("Loom.weave is never called concurrently", &["calls of Loom.weave never overlap"]),
    (
        "Parcel.send is called with weight returned by Scale.read",
        &["Parcel.send is called with weight equal to the result of Scale.read"],
    ),
    (
        "Club.join is called with member returned by Roll.add.id",
        &["Club.join is called with member equal to the id of the result of Roll.add"],
    ),
    ("the first result of Well.level equals the last result of Well.level", &[]),
    ("Maze.step is called at most once per (x, y)", &[]),
    ("Light.set is called with on=True, then with on=False", &[]),
    ("Sorter.sort does not change its argument items", &["Sorter.sort must not change items"]),
    ("Db.save with copies=4, name='x' is called before Mail.send", &[]),
    ("Mail.send is never called (may not occur)", &[]),
    ("Db.find returns one of [1, 2.5, None, True, {'a': []}]", &[]),
];

/// These may mean several things, or nothing that rules could decide.
const UNCLEAR: &[&str] = &[
    "Save the user and send a welcome email",
    "The email should be friendly",
    "Kiosk.print is called quickly",
    "Db.save is called before",
    "Db.save is not called twice",
    "Db.save is called before Mail.send unless Db.exists returns True",
    "Kiosk.print is called at most or exactly once",
    "",
    "Db.save",
    "if Db.exists then Db.save is called",
    "Db.save is called with n=1, then with m=2",
    "every call of Api.get has url matches /(/",
    "Db.save is called \u{202e}",
];

#[test]
fn every_way_to_say_it_is_the_same_clause() {
    for (canonical, variants) in SAME {
        let clause = parse(canonical).unwrap_or_else(|unclear| panic!("{canonical}: {unclear}"));
        assert_eq!(clause.to_string(), *canonical);
        for variant in *variants {
            let same = parse(variant).unwrap_or_else(|unclear| panic!("{variant}: {unclear}"));
            if canonical.contains("returned by") {
                // A field is told from a function's name only by what the project defines.
                assert_eq!(same.to_string(), *canonical, "{variant}");
            } else {
                assert_eq!(same, clause, "{variant}");
            }
        }
    }
}

#[test]
fn what_may_mean_several_things_is_refused() {
    for sentence in UNCLEAR {
        let unclear = parse(sentence).expect_err(sentence);
        assert!(unclear.at <= sentence.len() && sentence.is_char_boundary(unclear.at), "{sentence}");
        assert!(unclear.to_string().ends_with(['.']), "{unclear}");
    }
    let unclear = parse("Db.save is called before Mail.send unless Db.exists returns True").expect_err("unless");
    assert_eq!(unclear.to_string(), "There is no clause that goes on like this at “unless Db.exists returns True”.");
    assert_eq!(unclear.nearest()[0], "A is called before B");
}

#[test]
fn a_text_is_cut_into_sentences() {
    let text = "Db.save is called. Mail.send is never called.\n- A returns \"One. Two.\"\n\n  * every call of B has n=1.5";
    assert_eq!(
        sentences(text),
        ["Db.save is called", "Mail.send is never called.", "A returns \"One. Two.\"", "every call of B has n=1.5"]
    );
}
