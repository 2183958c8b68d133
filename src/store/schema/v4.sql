-- The last verdict of each test with an intent, and what the test did in that run, compressed.
CREATE TABLE verdicts (
    test TEXT PRIMARY KEY,
    function TEXT NOT NULL,
    at INTEGER NOT NULL,
    begun INTEGER NOT NULL,
    passed INTEGER,
    ruling TEXT NOT NULL,
    overridden INTEGER NOT NULL,
    entered TEXT NOT NULL,
    judged TEXT NOT NULL,
    size INTEGER NOT NULL,
    journey BLOB NOT NULL
);
