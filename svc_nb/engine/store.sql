-- The long columns come last, so that counting and filtering need not read past them.
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
-- next version
CREATE INDEX claims_by_run ON claims (run);
CREATE INDEX answers_by_time ON answers (made);
CREATE INDEX answers_by_target ON answers (target_lang);
CREATE TABLE kinds (
    operation TEXT NOT NULL,
    service TEXT NOT NULL,
    target_lang TEXT NOT NULL COLLATE NOCASE,
    entries INTEGER NOT NULL,
    billed INTEGER NOT NULL,
    PRIMARY KEY (operation, service, target_lang)
) WITHOUT ROWID;
INSERT INTO kinds
SELECT operation, service, coalesce(target_lang, ''), count(*), CAST(total(billed) AS INTEGER)
FROM answers GROUP BY operation, service, target_lang;
CREATE TRIGGER answer_deleted AFTER DELETE ON answers BEGIN
    UPDATE kinds SET entries = entries - 1, billed = billed - coalesce(old.billed, 0)
    WHERE operation = old.operation AND service = old.service AND target_lang = coalesce(old.target_lang, '');
END;
CREATE TRIGGER answer_replaced AFTER UPDATE OF id ON answers BEGIN
    UPDATE kinds SET entries = entries - 1, billed = billed - coalesce(old.billed, 0)
    WHERE operation = old.operation AND service = old.service AND target_lang = coalesce(old.target_lang, '');
END;
CREATE TABLE days (
    day TEXT NOT NULL,
    operation TEXT NOT NULL,
    target_lang TEXT NOT NULL,
    notebook TEXT NOT NULL,
    columns TEXT NOT NULL,
    tag TEXT NOT NULL,
    api_key TEXT NOT NULL,
    service TEXT NOT NULL,
    charges INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    billed INTEGER NOT NULL,
    unclear INTEGER NOT NULL,
    marked INTEGER NOT NULL,
    PRIMARY KEY (day, operation, target_lang, notebook, columns, tag, api_key, service)
) WITHOUT ROWID;
INSERT INTO days
SELECT day, operation, target_lang, coalesce(notebook, ''), coalesce(columns, ''), coalesce(tag, ''),
       coalesce(api_key, ''), service, count(*), sum(requests), sum(billed), sum(unclear + open), sum(marked)
FROM ledger GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
CREATE TRIGGER run_charged AFTER INSERT ON ledger BEGIN
    INSERT INTO days
    VALUES (new.day, new.operation, new.target_lang, coalesce(new.notebook, ''), coalesce(new.columns, ''),
            coalesce(new.tag, ''), coalesce(new.api_key, ''), new.service,
            1, new.requests, new.billed, new.unclear + new.open, new.marked)
    ON CONFLICT (day, operation, target_lang, notebook, columns, tag, api_key, service) DO UPDATE SET
    charges = charges + 1, requests = requests + excluded.requests, billed = billed + excluded.billed,
    unclear = unclear + excluded.unclear, marked = marked + excluded.marked;
END;
CREATE TRIGGER run_charged_again AFTER UPDATE ON ledger BEGIN
    UPDATE days SET charges = charges - 1, requests = requests - old.requests, billed = billed - old.billed,
    unclear = unclear - old.unclear - old.open, marked = marked - old.marked
    WHERE day = old.day AND operation = old.operation AND target_lang = old.target_lang
    AND notebook = coalesce(old.notebook, '') AND columns = coalesce(old.columns, '')
    AND tag = coalesce(old.tag, '') AND api_key = coalesce(old.api_key, '') AND service = old.service;
    INSERT INTO days
    VALUES (new.day, new.operation, new.target_lang, coalesce(new.notebook, ''), coalesce(new.columns, ''),
            coalesce(new.tag, ''), coalesce(new.api_key, ''), new.service,
            1, new.requests, new.billed, new.unclear + new.open, new.marked)
    ON CONFLICT (day, operation, target_lang, notebook, columns, tag, api_key, service) DO UPDATE SET
    charges = charges + 1, requests = requests + excluded.requests, billed = billed + excluded.billed,
    unclear = unclear + excluded.unclear, marked = marked + excluded.marked;
END
