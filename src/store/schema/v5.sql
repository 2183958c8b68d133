-- What is done at once with decisions: here from before its first file is written until its last step.
CREATE TABLE unfinished (id INTEGER PRIMARY KEY AUTOINCREMENT, deed TEXT NOT NULL);

-- The program ended between taking and writing these: a person is asked again.
UPDATE proposals SET state = 'ready' WHERE state IN ('accepted', 'edited');
