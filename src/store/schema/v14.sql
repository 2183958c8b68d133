-- Session fixtures that tests asked for while they ran: the name, by the fixture's key. They are set up once above the tests.
CREATE TABLE session_fixtures (
    session TEXT PRIMARY KEY,
    fixtures TEXT NOT NULL
) WITHOUT ROWID;
