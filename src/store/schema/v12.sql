-- Tests are run by pytest, by unittest or by Django: the session says by which, and how that was started.
UPDATE test_sessions SET session = json_set(
    json_remove(session, '$.config', '$.options'),
    '$.runner',
    json_object('pytest', json_object(
        'config', json_extract(session, '$.config'), 'options', json(json_extract(session, '$.options'))
    ))
);
