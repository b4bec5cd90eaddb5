CREATE TABLE documents (
    identity TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    target_lang TEXT NOT NULL,
    options TEXT NOT NULL,
    stage TEXT NOT NULL,
    status TEXT,
    document_id TEXT,
    document_key BLOB,
    output TEXT,
    temporary TEXT,
    whole INTEGER,
    output_digest TEXT,
    seconds_remaining INTEGER,
    billed_characters INTEGER,
    error TEXT,
    owner TEXT,
    created REAL NOT NULL,
    changed REAL NOT NULL
);
CREATE INDEX document_outputs ON documents (output);
CREATE INDEX document_stages ON documents (stage)
-- next version
ALTER TABLE documents ADD COLUMN tag TEXT;
CREATE TABLE outputs (
    output TEXT PRIMARY KEY,
    identity TEXT NOT NULL,
    path TEXT NOT NULL,
    target_lang TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE INDEX output_identities ON outputs (identity);
INSERT OR REPLACE INTO outputs SELECT output, identity, path, target_lang, output_digest FROM documents
WHERE stage = 'fetched' AND output IS NOT NULL AND output_digest IS NOT NULL ORDER BY changed;
DROP INDEX document_outputs
-- next version
ALTER TABLE documents ADD COLUMN translator TEXT;
ALTER TABLE documents ADD COLUMN marked_characters INTEGER;
ALTER TABLE documents ADD COLUMN detected_lang TEXT
-- next version
ALTER TABLE documents ADD COLUMN small_texts INTEGER;
ALTER TABLE documents ADD COLUMN kept_texts INTEGER
-- next version
ALTER TABLE documents ADD COLUMN risky_formulas INTEGER;
ALTER TABLE documents ADD COLUMN risky_cells TEXT
