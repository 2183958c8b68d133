-- Events of journeys, in compressed blocks: a row for each would take five times as long.
CREATE TABLE journeys (
    id INTEGER PRIMARY KEY,
    recording INTEGER NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
    process INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    number INTEGER NOT NULL,
    events INTEGER NOT NULL,
    size INTEGER NOT NULL,
    records BLOB NOT NULL,
    UNIQUE (recording, process, thread, number)
);
