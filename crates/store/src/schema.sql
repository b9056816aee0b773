    CREATE TABLE code_file (
        id       INTEGER PRIMARY KEY,
        path     TEXT NOT NULL UNIQUE,
        language TEXT NOT NULL,
        size     INTEGER NOT NULL,
        mtime    INTEGER NOT NULL,
        hash     BLOB NOT NULL,
        n_terms  INTEGER NOT NULL,
        vector   BLOB
    ) STRICT;
    CREATE TABLE code_terms (
        last  INTEGER PRIMARY KEY,
        -- A dictionary, as a finite state transducer.
        terms BLOB NOT NULL
    ) STRICT;
    CREATE TABLE code_symbols (
        id       INTEGER PRIMARY KEY,
        hash     BLOB NOT NULL,
        language TEXT NOT NULL,
        -- The symbols that the engine finds in the syntax of the language.
        symbols  BLOB NOT NULL,
        UNIQUE (hash, language)
    ) STRICT;

    CREATE TABLE rule_reading (
        -- Of the text of a rule and its headings.
        hash    BLOB PRIMARY KEY,
        reading BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE memory_file (
        file     TEXT PRIMARY KEY,
        size     INTEGER NOT NULL,
        mtime    INTEGER NOT NULL,
        memory   TEXT NOT NULL,
        warnings TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE memory_store (
        id              TEXT PRIMARY KEY,
        file            TEXT NOT NULL,
        hash            BLOB NOT NULL,
        type            TEXT NOT NULL,
        category        TEXT,
        heading         TEXT,
        scope           TEXT NOT NULL,
        paths           TEXT NOT NULL,
        status          TEXT NOT NULL,
        tags            TEXT NOT NULL,
        created_at      TEXT,
        updated_at      TEXT,
        anchor_file     TEXT,
        anchor_symbol   TEXT,
        anchor_score    REAL,
        anchor_metadata TEXT,
        content         TEXT NOT NULL
    ) STRICT;
    CREATE TABLE memory_section (
        id      INTEGER PRIMARY KEY,
        memory  TEXT NOT NULL,
        section TEXT NOT NULL,
        norm    REAL NOT NULL,
        vector  BLOB NOT NULL
    ) STRICT;
    CREATE INDEX memory_section_memory ON memory_section (memory);
    CREATE TABLE memory_term (
        id   INTEGER PRIMARY KEY,
        term TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE VIRTUAL TABLE memory_text USING fts5(
        heading, body, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE TABLE memory_link (
        memory   TEXT NOT NULL,
        position INTEGER NOT NULL,
        line     INTEGER NOT NULL,
        target   TEXT NOT NULL,
        relation TEXT NOT NULL,
        label    TEXT,
        context  TEXT NOT NULL,
        PRIMARY KEY (memory, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX memory_link_target ON memory_link (target);
    CREATE INDEX memory_link_relation ON memory_link (relation);
    CREATE TABLE memory_anchor (
        id     TEXT PRIMARY KEY,
        -- With the agent that chose it, and with anchors to the further examples.
        anchor BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lock_file (
        size  INTEGER NOT NULL,
        mtime INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE given_rule (
        session TEXT NOT NULL,
        memory  TEXT NOT NULL,
        millis  INTEGER NOT NULL,
        PRIMARY KEY (session, memory)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rule_count (
        memory      TEXT PRIMARY KEY,
        given       INTEGER NOT NULL,
        broken      INTEGER NOT NULL,
        after_given INTEGER NOT NULL,
        millis      INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE origin (
        -- That of the user's database for the folder of this store.
        token BLOB NOT NULL
    ) STRICT;
