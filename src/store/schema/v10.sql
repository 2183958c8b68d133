-- Variables of the environment that a recorded program read while it imported modules of the project, with their values: its modules
-- cannot be imported without some of them.
CREATE TABLE import_variables (
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (recording, name)
) WITHOUT ROWID;
