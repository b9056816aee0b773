    CREATE TABLE own.origin (
        token BLOB NOT NULL
    ) STRICT;
    CREATE TABLE own.pin (
        session TEXT NOT NULL,
        id      TEXT NOT NULL,
        pin     BLOB NOT NULL,
        PRIMARY KEY (session, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE own.pin_event (
        id      INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        type    TEXT NOT NULL,
        pins    TEXT NOT NULL,
        message TEXT NOT NULL,
        hash    BLOB
    ) STRICT;
    INSERT INTO own.origin (token) VALUES (randomblob(16));
