-- The long columns stand last, so that counting and filtering need not read past them.
CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    made REAL NOT NULL,
    operation TEXT NOT NULL,
    service TEXT NOT NULL,
    source_lang TEXT,
    target_lang TEXT COLLATE NOCASE,
    billed INTEGER,
    answer BLOB NOT NULL,
    source TEXT NOT NULL
)
-- next version
CREATE TABLE ledger (
    day TEXT NOT NULL,
    run TEXT NOT NULL,
    operation TEXT NOT NULL,
    target_lang TEXT NOT NULL,
    started REAL NOT NULL,
    notebook TEXT,
    columns TEXT,
    tag TEXT,
    api_key TEXT,
    service TEXT NOT NULL,
    requests INTEGER NOT NULL,
    billed INTEGER NOT NULL,
    unclear INTEGER NOT NULL,
    open INTEGER NOT NULL,
    PRIMARY KEY (day, run, operation, target_lang)
) WITHOUT ROWID
-- next version
ALTER TABLE ledger ADD COLUMN marked INTEGER NOT NULL DEFAULT 0
