//! Values of numpy and pandas on the real binary: recorded, drafted, written, run by plain pytest, and broken.

use std::process::{Command, Output};

use crate::harness::{Place, python_with};

const NUMBERS: &str = "tests/pytead/test_pytead_tables__numbers.py";
const FRAMES: &str = "tests/pytead/test_pytead_tables__frames.py";

/// Lines of the tests, each of which is there for a kind of value.
const LINES: &[(&str, &str)] = &[
    (NUMBERS, "import numpy as np\n"),
    (NUMBERS, "    result = normalise(np.array([1.0, 2.0, 4.0]))\n"),
    (NUMBERS, "    result = normalise(np.array([[1.0, 2.0, 3.0], [9.0, 10.0, 11.0]]))\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result, [1, 2, 0, 1])\n    assert result.dtype == np.int64\n"),
    (NUMBERS, "    result = transposed(np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]])))\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result, [False, True, True])\n    assert result.dtype == bool\n"),
    (NUMBERS, "    assert result.dtype == \"<U1\"\n"),
    (NUMBERS, "[\"2024-02-28\", \"2024-02-29\", \"2024-03-01\"], dtype=\"datetime64[D]\"\n"),
    (NUMBERS, "    np.testing.assert_allclose(result, [0.1, 2.5, 0.33333334], rtol=1e-6)\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result, np.zeros((0, 3), dtype=np.int16))\n"),
    (
        NUMBERS,
        "    np.testing.assert_allclose(result, 3.5, rtol=1e-9)\n    assert result.dtype == np.float64\n    assert result.shape == ()\n",
    ),
    (NUMBERS, "    np.testing.assert_allclose(result, [1.5, np.nan], rtol=1e-9)\n"),
    (NUMBERS, "    assert result == pytest.approx(2.3333333333333335, rel=1e-9, abs=0)\n    assert type(result) is np.float64\n"),
    (NUMBERS, "    assert is_sorted(np.array([1, 2, 2])) is np.True_\n"),
    (NUMBERS, "    values = np.array([1, 2, 3])\n    double(values)\n    np.testing.assert_array_equal(values, [2, 4, 6])\n"),
    (NUMBERS, "    assert clipped(values, 2.0) is values\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result, np.arange(1000))\n"),
    (NUMBERS, "    np.testing.assert_allclose(result, np.linspace(0.0, 1.0, 201), rtol=1e-9)\n"),
    (NUMBERS, "    assert total(np.full(500, 3)) == 1500\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result[1], [3, 4])\n"),
    (NUMBERS, "    np.testing.assert_array_equal(result[\"high\"], [4, 9])\n"),
    (NUMBERS, "    np.testing.assert_allclose(result.samples, [0.5, 2.5], rtol=1e-9)\n"),
    (FRAMES, "import pandas as pd\n"),
    (FRAMES, "    result = known(pd.DataFrame({\"a\": [1.0, None, 3.0], \"b\": [\"x\", \"y\", None]}))\n"),
    (FRAMES, "index=pd.date_range(\"2024-02-28\", periods=3, freq=\"D\", name=\"day\")"),
    (FRAMES, "pd.Series(pd.Categorical([\"low\", \"high\", \"low\"]))"),
    (FRAMES, "pd.Index([\"Rome\", \"Oslo\", \"Rome\"], name=\"city\")"),
    (FRAMES, ".astype({\"a\": \"Int64\", \"b\": \"string\", \"c\": \"boolean\"})"),
    (FRAMES, ".astype({\"count\": \"int16\"})"),
    (FRAMES, "pd.MultiIndex.from_arrays("),
    (FRAMES, "    mark(frame)\n    pd.testing.assert_frame_equal(frame, EXPECTED_MARK, rtol=1e-9, atol=0)\n"),
    (FRAMES, "    assert list(result) == [\"Oslo\", \"Rome\"]\n"),
    (FRAMES, "    assert result == pd.Timestamp(\"2024-01-02\")\n    assert type(result) is pd.Timestamp\n"),
    (FRAMES, "    assert result == pd.Timedelta(\"1 days\")\n"),
];

/// What has no form, and the reason that is given.
const REASONS: &[&str] = &[
    "tables.numbers:tags: argument values: an array is not supported: it holds Python objects",
    "tables.numbers:records: result: an array is not supported: it has no plain dtype",
    "tables.frames:rows: result: a DataFrame is not supported: it has 50 cells, more than 40",
    "tables.frames:size: argument frame: a DataFrame is not supported: it has 50 cells, more than 40",
    "tables.frames:periods: result: a DataFrame is not supported: it has a dtype that has no form: period[M]",
];

/// Changes that a test of what was recorded has to notice: module, function and the end of its test's name, before, after.
const MUTANTS: &[(&str, &str, &str, &str)] = &[
    ("numbers", "normalise_", "(values - values.min()) / spread", "(values - values.min()) / spread * 1.0000001"),
    ("numbers", "counts ", "np.bincount(labels, minlength=4)", "np.bincount(labels, minlength=4).astype(np.int32)"),
    ("numbers", "transposed ", "return table.T", "return table.T.copy().reshape(2, 3)"),
    ("numbers", "above ", "return values > limit", "return (values > limit).astype(int)"),
    ("numbers", "initials ", "names.astype(\"<U1\")", "names.astype(\"<U1\").astype(\"<U2\")"),
    ("numbers", "days_after ", "np.datetime64(day) +", "np.datetime64(day, \"s\") + 86400 *"),
    ("numbers", "small ", "values.astype(np.float32)", "values"),
    ("numbers", "nothing ", "np.empty((0, width), dtype=np.int16)", "np.empty((width, 0), dtype=np.int16)"),
    ("numbers", "single ", "return np.array(number)", "return np.array([number])"),
    ("numbers", "gaps ", "np.where(values < 0, np.nan, values)", "values"),
    ("numbers", "mean ", "return values.mean()", "return float(values.mean())"),
    ("numbers", "is_sorted ", "return np.all(values[:-1] <= values[1:])", "return bool(np.all(values[:-1] <= values[1:]))"),
    ("numbers", "double ", "values *= 2", "values = values * 2"),
    ("numbers", "clipped ", "np.clip(values, None, limit, out=values)\n    return values", "return np.clip(values, None, limit)"),
    ("numbers", "ramp ", "return np.arange(length)\n", "return np.arange(length) + (np.arange(length) == 700)\n"),
    ("numbers", "grid ", "np.linspace(0.0, 1.0, length)", "np.linspace(0.0, 1.0, length, endpoint=False)"),
    ("numbers", "summary ", "\"low\": values.min(axis=0)", "\"low\": values.max(axis=0)"),
    (
        "frames",
        "with_total ",
        "total=frame[\"price\"] * frame[\"count\"]",
        "total=(frame[\"price\"] * frame[\"count\"]).astype(\"float32\")",
    ),
    ("frames", "per_city ", "frame.groupby(\"city\")[\"count\"].sum()", "frame.groupby(\"city\")[\"count\"].sum().rename(\"n\")"),
    ("frames", "per_city_and_kind ", "[[\"count\"]].sum()", "[[\"count\"]].sum().reset_index()"),
    ("frames", "shrunk ", "frame.astype({\"count\": \"int16\"})", "frame"),
    ("frames", "known ", "frame.dropna().reset_index(drop=True)", "frame.dropna().set_index(pd.Index([5]))"),
    ("frames", "nullable ", "return frame.convert_dtypes()", "return frame"),
    ("frames", "kinds ", "pd.Series(texts, dtype=\"category\")", "pd.Series(texts)"),
    ("frames", "days ", "name=\"day\"", "name=\"date\""),
    (
        "frames",
        "parsed_",
        "{\"text\": texts, \"when\": pd.to_datetime(texts)}",
        "{\"when\": pd.to_datetime(texts), \"text\": texts}",
    ),
    ("frames", "localised ", ".dt.tz_localize(zone)", ".dt.tz_localize(\"UTC\").dt.tz_convert(zone)"),
    ("frames", "latest ", "return frame[\"when\"].max()\n", "return frame[\"when\"].max().to_pydatetime()\n"),
    ("frames", "mark ", "frame[\"seen\"] = True", "frame[\"seen\"] = 1"),
    ("frames", "labels ", "return frame.index", "return frame.index.rename(None)"),
    ("frames", "parts ", "for city, rows in frame.groupby(\"city\")", "for city, rows in list(frame.groupby(\"city\"))[::-1]"),
];

fn pytest(place: &Place, file: &str) -> Output {
    let tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", file];
    Command::new(python_with("pandas")).args(tests).current_dir(place.root()).output().unwrap()
}

/// R2, R3, R10: tests of arrays and frames read as people write them, pass as they are, and notice a value, a dtype, a
/// shape, an index or a name that is another.
/// numpy starts threads and looks at the machine when it is imported: each sandbox has to let it.
#[cfg(target_os = "linux")]
#[test]
fn arrays_and_frames_are_run_again_in_every_sandbox() {
    let place = Place::fixture("tables");
    let python = python_with("pandas");
    let python = python.to_str().unwrap();
    let (code, _, err) = place.run(&["--trust", "--python", python, "run", "--", python, "main.py"]);
    assert_eq!(code, 0, "{err}");
    for level in crate::contain::levels() {
        let mut command = place.command(&["--trust", "--python", python, "replay", "--format", "human"]);
        let output = command.env("PYTEAD_SANDBOX", level.word()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("49 calls compared: 49 as before"), "{level:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn arrays_and_frames_are_drafted_and_notice_changes() {
    let place = Place::fixture("tables");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert!(out.contains("40 drafts proved, 0 refused"), "{out}{err}");
    for reason in REASONS {
        let (function, why) = reason.split_once(": ").unwrap();
        let (_, out, err) = place.run(&["--trust", "gen", "--why", function]);
        assert!(out.contains(why), "{reason}: {out}{err}");
    }
    for (file, line) in LINES {
        let text = place.read(file);
        assert!(text.contains(line), "{line}: {text}");
    }
    for file in [NUMBERS, FRAMES] {
        let done = pytest(&place, file);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
    let lint = ["-m", "ruff", "check", "--isolated", "--quiet", "--select=E4,E7,E9,F,NPY,PD", "tests/pytead"];
    let lint = Command::new(python_with("pandas")).args(lint).current_dir(place.root()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&lint.stdout), "", "linters have nothing to say of drafts");
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "nothing would change: {out}{err}");
    // Each is in a function of its own, whose test is the one to fail.
    for (module, _, before, after) in MUTANTS {
        place.edit(&format!("tables/{module}.py"), before, after);
    }
    for (module, file) in [("numbers", NUMBERS), ("frames", FRAMES)] {
        let done = pytest(&place, file);
        let out = String::from_utf8_lossy(&done.stdout);
        for (_, function, before, after) in MUTANTS.iter().filter(|(of, ..)| *of == module) {
            let failed = format!("FAILED {file}::test_{function}");
            assert!(out.contains(&failed), "{before} -> {after} lives: {out}");
        }
    }
}
