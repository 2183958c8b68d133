-- The modules that are not the project's and that a session of tests imports before everything else: their files, by name.
CREATE TABLE session_modules (
    session TEXT PRIMARY KEY,
    modules TEXT NOT NULL
) WITHOUT ROWID;

-- Former runs of tests began without such modules, and later ones are compared with them.
INSERT INTO session_modules (session, modules) SELECT DISTINCT session, '{}' FROM test_sessions
WHERE EXISTS (SELECT 1 FROM tests WHERE tests.session = test_sessions.id AND former_run IS NOT NULL);
