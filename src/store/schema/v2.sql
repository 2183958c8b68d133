-- Whether the calls of a recording were run once more on the code they were recorded with.
ALTER TABLE recordings ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
UPDATE recordings SET tried = 1;

-- Why a function has no test.
CREATE TABLE untestable (function TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
