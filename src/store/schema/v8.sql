-- Hashes of all code of the project as it was when calls were recorded last: what counts as edited is told against them.
CREATE TABLE prints (subject TEXT PRIMARY KEY, fingerprint INTEGER NOT NULL) WITHOUT ROWID;

-- The source that a recorded program ran, until its calls were run once more on it: it may be edited before.
CREATE TABLE ran (
    recording INTEGER PRIMARY KEY REFERENCES recordings (id) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    texts BLOB NOT NULL
);

-- Modules of recorded functions that could not be imported alone when their calls were recorded.
CREATE TABLE unimportable (module TEXT PRIMARY KEY) WITHOUT ROWID;
