//! The codes of reasons, each with its message and with what a person can do about it.
//!
//! A message follows "function, n calls:": lower case, no full stop. `{name}` and `{detail}` are the arguments of the reason,
//! `{a name}` is the name with its article, and what stands in brackets is left out where an argument in it is missing.
//! Codes are stored and printed as JSON: none is renamed. Messages may change.

use std::fmt;
use std::str::FromStr;

/// Declares the codes with what is said of each.
macro_rules! codes {
    ($($code:ident = $text:literal, $message:literal, $fix:literal;)*) => {
        /// Why a call is not replayed, or a function has no test.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ReasonCode {
            $(#[doc = $message] $code,)*
        }

        impl ReasonCode {
            /// All codes, in the order of the stages that give them.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// Gives the code as it is stored and printed.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)*
                }
            }

            /// Gives the message, with places for the arguments.
            #[must_use]
            pub fn message(self) -> &'static str {
                match self {
                    $(Self::$code => $message,)*
                }
            }

            /// Gives what a person can do about it, with places for the arguments.
            #[must_use]
            pub fn fix(self) -> &'static str {
                match self {
                    $(Self::$code => $fix,)*
                }
            }
        }
    };
}

codes! {
    // Why a recorded call is not replayed.
    Network = "network", "uses the network: {detail}",
        "Test a caller: it gets this call's recorded result as a mock.";
    Subprocess = "subprocess", "starts a process: {detail}",
        "Test a caller: it gets the recorded result as a mock.";
    WritesFiles = "writes-files", "writes a file: {detail}",
        "Return the content and write it in a thin caller, or write this test by hand with `tmp_path`.";
    UnknownSideEffect = "unknown-side-effect", "has a side effect that is not known here: {name} {detail}",
        "Update pytead-tui, or record again.";
    ExternalCall = "external-call", "calls {name}, which uses {detail} and cannot be mocked",
        "Make {name} a module-level function or a method, so that a mock can replace it.";
    TooManyExternalCalls = "too-many-external-calls", "makes more than {detail} external calls through {name}",
        "Record a smaller input.";
    ExternalCallUnfinished = "external-call-unfinished", "{name} was still running when the recording ended",
        "Record the program to its end.";
    Unfinished = "unfinished", "was still running when the recording ended",
        "Let the program finish, or record a shorter run.";
    NestedFunction = "nested-function", "is defined inside another function",
        "Move it to module level, or test the outer function.";
    ValueTooLarge = "value-too-large", "the call's values exceed the recording limit, at {a name}[ with {detail} items]",
        "Record a run with smaller data.";
    UnsupportedArray = "unsupported-array", "an array is not supported: it {detail}",
        "Use a numeric, text or time dtype, or record a smaller array.";
    UnsupportedDataframe = "unsupported-dataframe", "{a name} is not supported: it {detail}",
        "Convert or shorten it before the call, with `astype`, `reset_index` or `head`.";
    OpaqueObject = "opaque-object", "{a name} has no readable state",
        "Pass plain values, or a class whose `__init__` stores its arguments.";
    LocalFunction = "local-function", "function {name} is defined inside a function",
        "Move it to module level.";
    LocalClass = "local-class", "class {name} is defined inside a function",
        "Move the class to module level.";
    NotImportable = "not-importable", "{name} cannot be imported[ from {detail}]: the program makes it while it runs",
        "Nothing to do: recorded tests compare it. Define it at module level to get a test.";
    WrapperDuplicate = "wrapper-duplicate", "decorator wrapper with the same result as the wrapped function",
        "Nothing to do: tests of the function run both.";
    ChangedByDecorator = "changed-by-decorator", "its decorator changes the result; the decorated function is tested",
        "Nothing to do.";
    NotReproducible = "not-reproducible", "gives another result when run alone: depends on unrecorded state",
        "Pass the state (global, cache, singleton) as an argument, then record again.";
    HeldStill = "held-still", "follows the clock or chance: compared with both held still, and gets no test",
        "Pass the time or a seeded generator in.";
    OtherArguments = "other-arguments", "its callers gave it another kind of argument then",
        "Nothing to do: calls of the callers are compared.";
    IteratorNotRead = "iterator-not-read", "it returns an iterator whose items are not compared: {detail}",
        "Return a list, or compare a caller that reads the items.";
    ReplayError = "replay-error", "replay failed: {detail}",
        "See the log.";
    SignatureChanged = "signature-changed", "its parameters changed[: {detail}]",
        "Record again.";
    ClassChanged = "class-changed", "the attributes of {name} changed",
        "Record again.";
    BlockedSideEffect = "blocked-side-effect", "tried to use {detail}, which replays block",
        "Nothing to do: the recorded result stays.";
    FunctionHangs = "function-hangs", "skipped: earlier calls of this function time out",
        "Fix the hang, or raise `generation.call_seconds`.";
    Timeout = "timeout", "importing it took longer than {detail} s",
        "Make the import faster.";
    Crashed = "crashed", "crashed the process ({detail})",
        "See the log.";
    TestFails = "test-fails", "its test {name} fails now: {detail}",
        "Run the test: `pytest {name}`.";
    UnittestFails = "unittest-fails", "its test {name} of unittest fails now: {detail}",
        "Run the test: `python -m unittest {name}`.";
    DjangoTestFails = "django-test-fails", "its test {name} of Django fails now: {detail}",
        "Run the test: `python manage.py test {name}`.";
    TestNotRun = "test-not-run", "its test {name} cannot be run again here: {detail}",
        "Mend what the test needs, or record again.";
    NotReachedInTest = "not-reached-in-test", "its test {name} does not make this call any more",
        "Record again.";
    OtherTest = "other-test", "is compared in tests that the compared calls of the edited functions are not in",
        "Nothing to do: the edited functions were compared in their own tests.";
    NotCheckedYet = "not-checked-yet", "not replayed yet on the recorded code",
        "Run `pytead-tui replay`, or press `t` on the function.";
    OtherThanRecorded = "other-than-recorded", "ends otherwise than recorded, on code that may not be the recorded one",
        "Record it here: `pytead-tui run pytest`.";
    ImportFails = "import-fails", "its module cannot be imported: {detail}",
        "Mend the import.";
    BaseRunFails = "base-run-fails", "cannot run on the code it is compared with: {detail}",
        "Compare with a newer commit.";
    NotRecorded = "not-recorded", "was never recorded",
        "Record a program or a test that calls it: `pytead-tui run pytest`.";
    EditedPathNotCompared = "edited-path-not-compared", "no compared call runs edited line {detail}",
        "Record a call that takes this path with values that can be rebuilt.";
    RecordedPathNotCompared = "recorded-path-not-compared", "recorded calls ran line {detail}, and no compared call does",
        "Record a run with smaller data that takes this path.";
    AcceptedTestFails = "accepted-test-fails", "an accepted test of it fails: {detail}",
        "Mend the edit, or draft the test anew: `pytead-tui gen`.";
    AcceptedTestEdited = "accepted-test-edited", "its test passes, but it or what it uses was edited after it was accepted: {detail}",
        "Take the test back from git, or record a call: `pytead-tui run pytest`.";
    MarkedAsBug = "marked-as-bug", "its result is marked as a bug",
        "Fix the code; the call counts again when the result changes.";
    MockTargetChanged = "mock-target-changed", "the function to mock changed since the recording",
        "Record again.";
    TooManyMocks = "too-many-mocks", "needs mocks of more than {name} functions or {detail} calls",
        "Record a smaller input, or split the function.";

    // Why there is no draft although calls are replayable.
    TestHelper = "test-helper", "is a test helper",
        "Name it to get tests: `pytead-tui gen MODULE:FUNCTION`.";
    CoveredByCallers = "covered-by-callers", "covered by its callers' tests",
        "Nothing to do.";
    CoveredByRequests = "covered-by-requests", "the requests that run it are tests of other functions",
        "Nothing to do.";
    Redundant = "redundant", "adds no coverage to the other tests[ (limit: {detail} per function)]",
        "Raise `generation.tests_per_function` to get more.";
    Contradictory = "contradictory", "the same input gave different results",
        "Look for hidden state or randomness; pass it in.";
    FieldsSetByHand = "fields-set-by-hand", "its receiver can only be built field by field",
        "Nothing to do: other calls have a constructor.";
    InternalAndLong = "internal-and-long", "only internal callers use this form, and the test would be too long",
        "Nothing to do.";
    Rejected = "rejected", "you rejected this test, and the code has not changed",
        "It comes back when the code changes; `u` takes the rejection back.";
    Deleted = "deleted", "you deleted its test",
        "Name the function to draft it again: `pytead-tui gen MODULE:FUNCTION`.";
    NotEvaluated = "not-evaluated", "its arguments were not checked",
        "Run `pytead-tui gen` again.";
    NoNewerDraft = "no-newer-draft", "its calls give no other test than before",
        "Record new inputs.";
    Removed = "removed", "{name} no longer exists[ in {detail}]",
        "Record again under the new name.";

    // Why an argument or a receiver cannot be written in a test.
    UnreadableArgument = "unreadable-argument", "{a name} cannot be written as Python code",
        "Pass plain values, or a class with a recorded constructor.";
    UnknownConstructor = "unknown-constructor", "no constructor call is known that gives this {name}",
        "Give {name} an `__init__` in the project, or build it in a factory that is recorded.";
    ConstructionNotRecorded = "construction-not-recorded", "the construction of {name} was not recorded",
        "Record from the program's start, so that {name} is built under the recorder.";
    ArgumentNotStored = "argument-not-stored", "{name} does not store its argument {detail}",
        "Store it as an attribute, or add a `__repr__` that shows the arguments.";
    ExtraAttributes = "extra-attributes", "{name} has attributes besides its content",
        "Set them in `__init__`.";
    CustomConstructor = "custom-constructor", "{name} overrides the constructor of its base type",
        "Add a `from_…` method, or compare attributes by hand.";
    InvalidName = "invalid-name", "{name} is not a valid Python identifier",
        "Nothing to do; write the test by hand.";
    HistoryTooLong = "history-too-long", "{detail} calls changed this {name} before (limit reached)",
        "Record a shorter history, for example one test.";
    UnsupportedHistory = "unsupported-history", "the history of this {name} cannot be repeated in a test[: {detail} changed it]",
        "Let a method of {name} make the change, and record from the program's start.";
    UnusableFactory = "unusable-factory", "{name} cannot be used as a factory in a test",
        "Build the object in a plain function that returns it.";
    SharedObject = "shared-object", "two arguments share an object that needs several statements",
        "Write the test by hand (`e`).";
    MultiStatementValue = "multi-statement-value", "the value needs several statements",
        "Write the test by hand (`e`).";
    CyclicValue = "cyclic-value", "the value contains itself",
        "Use `generation.snapshots: graph`, or write the test by hand.";
    MissingObject = "missing-object", "refers to an object that was not recorded",
        "Record from the program's start.";
    TooLong = "too-long", "its values are too long for a test[ ({detail} characters)]",
        "Record a smaller input.";
    SetupTooLong = "setup-too-long", "needs {detail} lines of set-up (limit: 12)",
        "Build the objects in a factory of the project that is recorded, or write the test by hand.";
    MachinePath = "machine-path", "[variable {name} ]contains a path of this machine",
        "Pass a path below the project or `tmp_path`.";
    Redacted = "redacted", "needs a redacted value ({name})",
        "Nothing to do; write the test by hand with a dummy value.";
    UnreadableLambda = "unreadable-lambda", "a lambda cannot be copied into a test",
        "Replace it with a named module-level function.";
    UnsupportedRegex = "unsupported-regex", "this `re` object cannot be rebuilt",
        "Pass the pattern and the text.";
    GeneratorExpression = "generator-expression", "a generator expression cannot be rebuilt",
        "Pass a list or a generator function.";
    ImplicitMethod = "implicit-method", "Python calls {name} implicitly",
        "Nothing to do: tests of the class run it.";
    UnsupportedProperty = "unsupported-property", "this property access cannot be written",
        "Write the test by hand.";
    Overridden = "overridden", "{name} overrides it; called through `super()` only",
        "Test it on an instance of its own class.";
    SyntaxError = "syntax-error", "a file that it needs has a syntax error",
        "Fix the file: {detail}.";
    ArgumentRaises = "argument-raises", "building its arguments raises {detail}",
        "Look at the error: the constructor may need more than its arguments.";
    ArgumentMismatch = "argument-mismatch", "rebuilt arguments differ from the recorded ones[ at {detail}]",
        "Make the constructor deterministic.";
    InputFilesTooLarge = "input-files-too-large", "reads {detail} characters of files (limit exceeded)",
        "Record with a smaller file.";
    FixtureInTestFile = "fixture-in-test-file", "its test takes {name} from a test file, which other tests cannot use",
        "Move the fixture to a `conftest.py`.";
    ClientOfTestCase = "client-of-test-case", "its test takes {name} from the `setUp` of its class, which other tests cannot use",
        "Make the client in a fixture of a `conftest.py`, and record a test that uses it.";
    FixtureOutOfReach = "fixture-out-of-reach", "its test takes fixture {name} from the `conftest.py` in {detail}",
        "Move the fixture to a `conftest.py` above `output.tests`, or change `output.tests`.";
    FixtureChanged = "fixture-changed", "its test changes something by fixture {name} in a way that is not recorded",
        "Make the change in a fixture of a `conftest.py`.";
    UnwritableStep = "unwritable-step", "its test passes {a name}, which cannot be written as Python code",
        "Pass plain values, a fixture or a saved row.";
    NeedsPytestDjango = "needs-pytest-django", "its test needs the database of Django's tests",
        "Install pytest-django.";
    MockTooLong = "mock-too-long", "the recorded result of {name} is too long for a mock ({detail} characters)",
        "Record a smaller response.";
    StreamingMock = "streaming-mock", "{name} streams its result, which mocks do not support",
        "Collect the stream in a function of your own.";

    // Why an import is not possible.
    DefinedInTestFile = "defined-in-test-file", "{name} is defined in a test file, which tests do not import",
        "Give its folder an `__init__.py`, or move it to a module that is not named `test_*.py`.";
    UnguardedScript = "unguarded-script", "{name} is defined in a script that runs when imported[: {detail}]",
        "Guard it with `if __name__ == \"__main__\":`.";
    UnimportableScript = "unimportable-script", "{name} is defined in a script without a module name",
        "Move it into an importable module.";
    UnimportableName = "unimportable-name", "{name} cannot be imported by name",
        "Bind it to a module-level name.";
    NameConflict = "name-conflict", "two imports use the name {name}: one is `{detail}`",
        "Rename one of them.";

    // Why nothing can be asserted.
    NoEffect = "no-effect", "returns None and changes none of its arguments",
        "Test a caller, or say the effect in an intent: `@semantic_test`.";
    NotComparable = "not-comparable", "nothing [of {a name} ]can be compared",
        "Give the class `__eq__` or readable attributes, or change `generation.snapshots`.";
    Nan = "nan", "contains NaN or NaT, which never compare equal",
        "Write the assertion by hand with `math.isnan`.";
    TooDeep = "too-deep", "the result is nested too deeply",
        "Use `generation.snapshots: graph`.";
    UnfinishedContext = "unfinished-context", "the context manager was not exited",
        "Record a run that leaves the `with` block.";
    UnconsumedIterator = "unconsumed-iterator", "the iterator was not consumed",
        "Record a run that reads it to the end.";
    NoResult = "no-result", "did not finish within the time limit",
        "Raise `generation.call_seconds`.";
    NotImplemented = "not-implemented", "returns NotImplemented",
        "Nothing to do: Python tries the other operand.";
    HashValue = "hash-value", "a hash differs in every process",
        "Nothing to do.";
    ExceptionNotRecorded = "exception-not-recorded", "the exception was not recorded",
        "Record again.";
    ExternalException = "external-exception", "{name} is raised by the caller or the event loop",
        "Nothing to do.";
    PrivateException = "private-exception", "{name} and its bases cannot be imported",
        "Export the exception class.";

    // What is not determined by the arguments.
    DependsOnClock = "depends-on-clock", "result may depend on the clock: {detail}",
        "Pass the time in, or install time-machine or freezegun.";
    DependsOnRandom = "depends-on-random", "result may depend on random numbers: {detail}",
        "Pass a seeded generator in.";
    DependsOnEnvironment = "depends-on-environment", "result may depend on the environment: {detail}",
        "Pass the value in.";
    Nondeterministic = "nondeterministic", "gives another result on each replay[: reads {name} ({detail})]",
        "Look for unordered sets, ids, times or shared state.";
    Unsettled = "unsettled", "ends otherwise on the recorded code, too: time, load or packages decide",
        "Record again. What goes on at the same time, such as threads, is best held still.";
    NeedsSecondReplay = "needs-second-replay", "needs a second replay",
        "Run `pytead-tui replay` again.";
    NotReplayed = "not-replayed", "was not replayed",
        "Run `pytead-tui replay`.";

    // Why a test failed verification.
    CollectionError = "collection-error", "cannot be collected: {detail}",
        "Fix the import or the syntax that pytest names.";
    Fails = "fails", "fails: {detail}",
        "See `v`; edit it with `e`.";
    FailsInTimezone = "fails-in-timezone", "fails in another time zone: {detail}",
        "Pin the time zone, or pass it in.";
    FailsInDirectory = "fails-in-directory", "fails in another directory: {detail}",
        "Pass the path in, or use `tmp_path`.";
    FailsElsewhere = "fails-elsewhere", "fails on another machine: {detail}",
        "Pass in what it reads of the machine, or set the variable with `monkeypatch`.";
    FailsWithHashSeed = "fails-with-hash-seed", "fails with hash seed {name}: {detail}",
        "Sort what comes from a set before it is used.";
    FailsLater = "fails-later", "fails 400 days later: {detail}",
        "Pin the time, or pass it in.";
    Flaky = "flaky", "passes in {name} of {detail} runs only",
        "Remove the source of variation.";
    PollutesState = "pollutes-state", "changes {detail} and does not restore it",
        "Use `monkeypatch`, or restore it in the code.";
    Polluter = "polluter", "makes {name} fail: it changes {detail}",
        "Reset it in a fixture.";
    NonIdempotent = "non-idempotent", "fails when repeated: it changes {detail}",
        "Reset it in a fixture.";
    WritesOutsideTmpPath = "writes-outside-tmp-path", "changes a file outside of `tmp_path`: {detail}",
        "Pass the path in, so that a test can give one below `tmp_path`.";
    LeavesProcess = "leaves-process", "uses the network or starts a process: {detail}",
        "Replace what it calls there with `monkeypatch` or `unittest.mock`.";
    RaisesWarning = "raises-warning", "raises a warning: {detail}",
        "Await the coroutine, close the resource, or expect the warning with `pytest.warns`.";
    KillsNoMutant = "kills-no-mutant", "passes with all {detail} mutants of {name}",
        "Assert more with `e`, or reject it.";
    AssertionCannotFail = "assertion-cannot-fail", "passes although `{detail}` is negated",
        "Remove what catches its failure, or have the test come by.";
    FailedVerification = "failed-verification", "failed verification: {detail}",
        "`w` shows why.";

    // What an earlier version stored as a sentence.
    Legacy = "legacy", "{detail}",
        "Draft again to learn more.";
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A text that is no code of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCode;

impl FromStr for ReasonCode {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|code| code.code() == text).ok_or(UnknownCode)
    }
}
