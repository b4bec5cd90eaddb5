-- What the service remembers: one script a version of the file; a new version is a new script at the end.

-- version 1: the account, its glossaries and style rules

CREATE TABLE keys (
    key_id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, masked TEXT NOT NULL, label TEXT NOT NULL,
    scopes TEXT, is_admin INTEGER NOT NULL DEFAULT 0, creation_time TEXT NOT NULL, deactivated_time TEXT,
    characters INTEGER, speech_to_text_milliseconds INTEGER
);
CREATE TABLE usage (
    at TEXT NOT NULL, key_id TEXT NOT NULL, product TEXT NOT NULL, tag TEXT, units INTEGER NOT NULL
);
CREATE INDEX usage_at ON usage (at);
CREATE TABLE spent (
    month TEXT NOT NULL, key_id TEXT NOT NULL, product TEXT NOT NULL, units INTEGER NOT NULL,
    PRIMARY KEY (month, key_id, product)
) WITHOUT ROWID;
CREATE TABLE glossaries (
    glossary_id TEXT PRIMARY KEY, name TEXT NOT NULL, creation_time TEXT NOT NULL,
    edited INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE dictionaries (
    glossary_id TEXT NOT NULL REFERENCES glossaries ON DELETE CASCADE, source_lang TEXT NOT NULL,
    target_lang TEXT NOT NULL, revision TEXT NOT NULL, entries TEXT NOT NULL, entry_count INTEGER NOT NULL,
    size INTEGER NOT NULL, PRIMARY KEY (glossary_id, source_lang, target_lang)
);
CREATE TABLE style_rules (
    style_id TEXT PRIMARY KEY, name TEXT NOT NULL, language TEXT NOT NULL, creation_time TEXT NOT NULL,
    updated_time TEXT NOT NULL, version INTEGER NOT NULL, configured_rules TEXT NOT NULL
);
CREATE TABLE instructions (
    id TEXT PRIMARY KEY, style_id TEXT NOT NULL REFERENCES style_rules ON DELETE CASCADE,
    label TEXT NOT NULL, prompt TEXT NOT NULL, source_language TEXT
);
CREATE INDEX instructions_style ON instructions (style_id);

-- version 2: documents

CREATE TABLE documents (
    document_id TEXT PRIMARY KEY, digest BLOB NOT NULL, status TEXT NOT NULL, creation_time TEXT NOT NULL,
    begun TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, fraction REAL NOT NULL DEFAULT 0,
    characters INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '', ticket BLOB NOT NULL
);
CREATE INDEX documents_time ON documents (creation_time);

-- version 3: translation memories

CREATE TABLE memories (
    translation_memory_id TEXT PRIMARY KEY, name TEXT NOT NULL, source_lang TEXT NOT NULL,
    segment_count INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0, creation_time TEXT NOT NULL,
    updated_time TEXT NOT NULL
);
CREATE TABLE memory_languages (
    translation_memory_id TEXT NOT NULL REFERENCES memories ON DELETE CASCADE, target_lang TEXT NOT NULL
);
CREATE INDEX memory_languages_memory ON memory_languages (translation_memory_id);
CREATE TABLE memory_segments (
    segment INTEGER PRIMARY KEY, translation_memory_id TEXT NOT NULL REFERENCES memories ON DELETE CASCADE,
    source TEXT NOT NULL, markup TEXT, creation_time TEXT NOT NULL, updated_time TEXT NOT NULL,
    last_used_time TEXT
);
CREATE INDEX memory_segments_memory ON memory_segments (translation_memory_id, segment);
CREATE TABLE memory_targets (
    segment INTEGER NOT NULL REFERENCES memory_segments ON DELETE CASCADE, place INTEGER NOT NULL,
    target_lang TEXT NOT NULL, target TEXT NOT NULL, markup TEXT, creation_time TEXT NOT NULL,
    updated_time TEXT NOT NULL, last_used_time TEXT, PRIMARY KEY (segment, place)
) WITHOUT ROWID;
CREATE TABLE memory_jobs (
    job_id TEXT PRIMARY KEY, operation TEXT NOT NULL, status TEXT NOT NULL,
    begun INTEGER NOT NULL DEFAULT 0, creation_time TEXT NOT NULL, updated_time TEXT NOT NULL,
    expires_at TEXT NOT NULL, display_name TEXT, translation_memory_id TEXT, content_type TEXT,
    content_length INTEGER, skipped INTEGER, error TEXT
);
CREATE TABLE memory_signing (key BLOB NOT NULL);
INSERT INTO memory_signing VALUES (randomblob(32));

-- version 4: spoken terms

CREATE TABLE spoken_terms (
    spoken_terms_id TEXT PRIMARY KEY, name TEXT NOT NULL, creation_time TEXT NOT NULL
);
CREATE TABLE term_lists (
    spoken_terms_id TEXT NOT NULL REFERENCES spoken_terms ON DELETE CASCADE, lang TEXT NOT NULL,
    entries TEXT NOT NULL, entry_count INTEGER NOT NULL, PRIMARY KEY (spoken_terms_id, lang)
);
