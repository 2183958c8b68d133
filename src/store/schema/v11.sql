-- How sessions of pytest were started in a recorded program, and whether their tests were run again since.
CREATE TABLE test_sessions (
    id INTEGER PRIMARY KEY,
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    tried INTEGER NOT NULL DEFAULT 0,
    UNIQUE (recording, session)
);

-- The tests in which calls were recorded, with what running one again on the recorded code showed.
CREATE TABLE tests (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES test_sessions (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    former_run TEXT,
    UNIQUE (session, name)
);

-- Which test made a call, and whether the call is compared inside it.
CREATE TABLE test_calls (
    call INTEGER PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
    test INTEGER NOT NULL REFERENCES tests (id) ON DELETE CASCADE,
    compared INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX test_calls_by_test ON test_calls (test);

-- What was raised where a module could not be imported: the file and the exception.
ALTER TABLE unimportable ADD COLUMN raised TEXT NOT NULL DEFAULT '';
