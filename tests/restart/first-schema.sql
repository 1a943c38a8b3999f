-- A store of the first schema, with a thread in it, as an older build left it. Made of the first of `MIGRATIONS`, which never changes.
BEGIN;
    CREATE TABLE threads (
        id TEXT PRIMARY KEY, provider TEXT NOT NULL, plugin TEXT NOT NULL, digest TEXT NOT NULL, folder TEXT NOT NULL,
        title TEXT, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, native_id TEXT, cursor TEXT,
        last_seq INTEGER NOT NULL DEFAULT 0, reserved_seq INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- A row holds the events from_seq..=seq: one, or merged deltas, whose seams are in parts.
    CREATE TABLE events (
        thread TEXT NOT NULL, seq INTEGER NOT NULL, from_seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        json TEXT NOT NULL, parts TEXT, PRIMARY KEY (thread, seq)
    ) STRICT;
    CREATE TABLE sessions (
        id TEXT NOT NULL, epoch INTEGER NOT NULL, thread TEXT NOT NULL, plugin TEXT NOT NULL, digest TEXT NOT NULL,
        capabilities TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER, end_reason TEXT, PRIMARY KEY (id, epoch)
    ) STRICT;
    CREATE INDEX sessions_of_thread ON sessions (thread, epoch);
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, ordinal INTEGER NOT NULL, status TEXT NOT NULL, prompt TEXT NOT NULL,
        selection TEXT NOT NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, UNIQUE (thread, ordinal)
    ) STRICT;
    CREATE TABLE requests (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, run TEXT, json TEXT NOT NULL, state TEXT NOT NULL, resolution TEXT,
        opened_ms INTEGER NOT NULL, resolved_ms INTEGER
    ) STRICT;
    CREATE INDEX requests_of_thread ON requests (thread, state);
    CREATE TABLE grants (
        id INTEGER PRIMARY KEY, plugin TEXT NOT NULL, digest TEXT NOT NULL, what TEXT NOT NULL, json TEXT NOT NULL,
        granted_ms INTEGER NOT NULL, UNIQUE (plugin, digest, what)
    ) STRICT;
    INSERT INTO threads (id, provider, plugin, digest, folder, created_ms, updated_ms, last_seq, reserved_seq)
        VALUES ('thr_01d', 'faulty', 'jackfield/faulty', '00', '/', 1, 3, 3, 3);
    INSERT INTO events (thread, seq, from_seq, at_ms, json) VALUES
        ('thr_01d', 1, 1, 1, '{"seq":1,"at_ms":1,"thread":"thr_01d","type":"thread.created","provider":"faulty","folder":"/"}'),
        ('thr_01d', 2, 2, 2, '{"seq":2,"at_ms":2,"thread":"thr_01d","run":"run_01","type":"run.created","content":[{"type":"text","value":"old"}],"ordinal":1}'),
        ('thr_01d', 3, 3, 3, '{"seq":3,"at_ms":3,"thread":"thr_01d","run":"run_01","type":"run.updated","status":"queued"}');
    PRAGMA application_id = 1246121028;
    PRAGMA user_version = 1;
COMMIT;
