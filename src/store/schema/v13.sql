-- The modules that are not the project's and that a session of tests imports before everything else: their files, by name.
CREATE TABLE session_modules (
    session TEXT PRIMARY KEY,
    modules TEXT NOT NULL
) WITHOUT ROWID;
