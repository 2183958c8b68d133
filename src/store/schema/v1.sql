CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE recordings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    command TEXT NOT NULL,
    cwd TEXT NOT NULL,
    interpreter TEXT,
    python TEXT,
    checked_out TEXT,
    started INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    ending TEXT NOT NULL,
    running INTEGER NOT NULL,
    process INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    functions INTEGER NOT NULL,
    raised INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    gaps TEXT NOT NULL,
    recorder_seen INTEGER NOT NULL
);

CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    process INTEGER NOT NULL,
    number INTEGER NOT NULL,
    parent_number INTEGER,
    function TEXT NOT NULL,
    path TEXT NOT NULL,
    caller TEXT,
    caller_line INTEGER,
    direct INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    task INTEGER NOT NULL,
    receiver INTEGER,
    start_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    input INTEGER NOT NULL,
    times INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    touches TEXT NOT NULL,
    not_replayable TEXT,
    args BLOB NOT NULL,
    outcome BLOB,
    UNIQUE (recording, process, number)
);
CREATE INDEX calls_by_function ON calls (function, input, recording);
CREATE INDEX calls_by_parent ON calls (recording, process, parent_number);

CREATE TABLE counts (
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    function TEXT NOT NULL,
    path TEXT NOT NULL,
    calls INTEGER NOT NULL,
    raised INTEGER NOT NULL,
    PRIMARY KEY (recording, function)
) WITHOUT ROWID;

CREATE TABLE edges (
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    caller TEXT NOT NULL,
    callee TEXT NOT NULL,
    PRIMARY KEY (recording, caller, callee)
) WITHOUT ROWID;

CREATE TABLE callers (
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    function TEXT NOT NULL,
    caller TEXT NOT NULL,
    line INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (recording, function, caller, line)
) WITHOUT ROWID;

CREATE TABLE outcomes (
    call INTEGER NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    code INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    outcome BLOB NOT NULL,
    duration_ns INTEGER NOT NULL,
    entered TEXT NOT NULL,
    PRIMARY KEY (call, code)
) WITHOUT ROWID;

CREATE TABLE baselines (
    call INTEGER PRIMARY KEY REFERENCES calls (id) ON DELETE CASCADE,
    outcome BLOB NOT NULL
);

CREATE TABLE overruled (
    input INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (input, outcome)
) WITHOUT ROWID;

CREATE TABLE proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    function TEXT NOT NULL,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    evidence TEXT NOT NULL,
    proved TEXT,
    containment TEXT,
    basis INTEGER NOT NULL,
    created INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    edited TEXT
);
CREATE INDEX proposals_by_function ON proposals (function);
CREATE INDEX proposals_by_state ON proposals (state);

CREATE TABLE citations (
    proposal INTEGER NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
    call INTEGER NOT NULL,
    PRIMARY KEY (proposal, call)
) WITHOUT ROWID;
CREATE INDEX citations_by_call ON citations (call);

CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    proposal INTEGER NOT NULL,
    function TEXT NOT NULL,
    verb TEXT NOT NULL,
    came_from TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT,
    basis INTEGER NOT NULL,
    edits TEXT NOT NULL,
    undone INTEGER NOT NULL
);

CREATE TABLE accepted (
    function TEXT NOT NULL,
    path TEXT NOT NULL,
    tests TEXT NOT NULL,
    body INTEGER NOT NULL,
    proposal INTEGER,
    PRIMARY KEY (function, path)
) WITHOUT ROWID;

CREATE TABLE session (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE code (
    function TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    fingerprint INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    text TEXT NOT NULL
) WITHOUT ROWID;
