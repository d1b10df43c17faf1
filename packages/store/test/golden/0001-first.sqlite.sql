PRAGMA application_id = 1097099893;
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE "store_migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "store_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE store_versions (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, program TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
CREATE TABLE sessions (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, user_id TEXT NOT NULL, principal TEXT NOT NULL, state TEXT NOT NULL,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, next_seq INTEGER NOT NULL DEFAULT 1, fence INTEGER NOT NULL DEFAULT 0,
     lease_owner TEXT, lease_until INTEGER, trace_id TEXT NOT NULL, title TEXT, retention_until INTEGER, version INTEGER NOT NULL DEFAULT 1,
     PRIMARY KEY (tenant_id, session_id)) STRICT;
CREATE TABLE events (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, body BLOB NOT NULL,
     PRIMARY KEY (tenant_id, session_id, seq), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE checkpoints (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL, digest TEXT NOT NULL,
     created_at INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tenant_id, session_id, seq), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE calls (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, batch INTEGER NOT NULL, call_id TEXT NOT NULL, name TEXT NOT NULL, effect TEXT NOT NULL,
     state TEXT NOT NULL, attempt INTEGER NOT NULL, idempotency_key TEXT NOT NULL, fence INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
     outcome TEXT, arguments_digest TEXT NOT NULL, tool_digest TEXT NOT NULL, principal_digest TEXT NOT NULL,
     PRIMARY KEY (tenant_id, session_id, batch, call_id), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE approvals (tenant_id TEXT NOT NULL, approval_id TEXT NOT NULL, session_id TEXT NOT NULL, batch INTEGER NOT NULL, call_id TEXT NOT NULL, state TEXT NOT NULL
     CHECK (state IN ('pending', 'approved', 'edited', 'denied', 'expired', 'cancelled')), version INTEGER NOT NULL DEFAULT 1,
     created_at INTEGER NOT NULL, expires_at INTEGER, request BLOB NOT NULL, arguments_digest TEXT NOT NULL, tool_digest TEXT NOT NULL,
     principal_digest TEXT NOT NULL, decision BLOB, decided_at INTEGER, decided_by TEXT, consumed_at INTEGER,
     PRIMARY KEY (tenant_id, approval_id), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE results (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, result_id TEXT NOT NULL, mime TEXT NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL,
     created_at INTEGER NOT NULL, PRIMARY KEY (tenant_id, session_id, result_id), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE facts (tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER,
     PRIMARY KEY (tenant_id, user_id, key)) STRICT;
CREATE TABLE cache (tenant_id TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,
     PRIMARY KEY (tenant_id, key)) STRICT;
CREATE TABLE audit (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, seq INTEGER NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
     PRIMARY KEY (tenant_id, session_id, seq)) STRICT;
CREATE TABLE metering (tenant_id TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, session_id TEXT NOT NULL, user_id TEXT NOT NULL, tool TEXT NOT NULL,
     units REAL NOT NULL, unit TEXT NOT NULL, micro_price INTEGER NOT NULL, call_id TEXT NOT NULL, trace_id TEXT NOT NULL,
     PRIMARY KEY (tenant_id, id)) STRICT;
CREATE TABLE jobs (tenant_id TEXT NOT NULL, job_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 0,
     group_key TEXT NOT NULL, payload BLOB NOT NULL, run_at INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, max_attempts INTEGER NOT NULL DEFAULT 1,
     retry_delay_ms INTEGER NOT NULL DEFAULT 1000, timeout_ms INTEGER NOT NULL DEFAULT 3600000, lease_owner TEXT, lease_until INTEGER,
     fence INTEGER NOT NULL DEFAULT 0, cancelling INTEGER NOT NULL DEFAULT 0, progress TEXT, result BLOB, error TEXT, created_at INTEGER NOT NULL,
     started_at INTEGER, ended_at INTEGER, idempotency_key TEXT, session_id TEXT, call_id TEXT, dead_letter INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (tenant_id, job_id), UNIQUE (tenant_id, idempotency_key)) STRICT;
CREATE TABLE schedules (tenant_id TEXT NOT NULL, schedule_id TEXT NOT NULL, cron TEXT NOT NULL, zone TEXT NOT NULL, kind TEXT NOT NULL, payload BLOB NOT NULL,
     next_at INTEGER, last_at INTEGER, paused INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, schedule_id)) STRICT;
CREATE TABLE skills (tenant_id TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (tenant_id, key)) STRICT;
CREATE TABLE skill_files (tenant_id TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (tenant_id, key, path),
     FOREIGN KEY (tenant_id, key) REFERENCES skills (tenant_id, key) ON DELETE CASCADE) STRICT;
CREATE TABLE deliveries (tenant_id TEXT NOT NULL, delivery_id TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0, next_at INTEGER, last_error TEXT, created_at INTEGER NOT NULL, session_id TEXT,
     PRIMARY KEY (tenant_id, delivery_id)) STRICT;
CREATE TABLE erasures (tenant_id TEXT NOT NULL, subject TEXT NOT NULL, subject_id TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT NOT NULL, open INTEGER NOT NULL,
     PRIMARY KEY (tenant_id, subject, subject_id)) STRICT;
CREATE TABLE nodes (node_id TEXT NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, address TEXT) STRICT;
INSERT INTO "store_migrations" VALUES ('0001-first', '2026-11-30T19:20:41.778Z');
INSERT INTO "store_migration_lock" VALUES ('migration_lock', 0);
INSERT INTO "store_versions" VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO "sessions" VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO "sessions" VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO "sessions" VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);
INSERT INTO "events" VALUES ('acme', 's1', 1, 1700000000001, 'user', X'0106676f6c64656eaae1c1f5dc557ab50392766fe4ab26aca536405c64b4370f484f398e5042a4eccfd12eb09b836973f7e08163b3cb3fc6ebc8ec2bd9e21679bb0499eaa87c4cf1936c818e5ce47f53743e1e0eb48fd04ea06f6dcbac0423');
INSERT INTO "events" VALUES ('acme', 's2', 1, 1700000000002, 'user', X'0106676f6c64656eebe49da49485daa5fb956f34b99e586beb39b62a16f1da5f1673f1596066c57a38ef1b535d48b153d9af7d097b27051df6a4e8682e3bd1d8f437f6190680f9dc9b66286150fcc8ee959be2728449d4232f4deab3912f26');
INSERT INTO "events" VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', X'0106676f6c64656eb4df6730bc87a419b77a0459121c29d4cbf32f56de639befc6e48f79f1b043b350888008659d1a6f03dd6335f557a0ff346e8d58967356dacb549edd93df9b711f81446526c14e0593c88b30b3f21be29660de90ce3359c88af8494c3e4dd9b80b57');
INSERT INTO "checkpoints" VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, X'0106676f6c64656ed8afc7abc217109e298a6ce22a6c4394f988f0a7cb7045e47e71f87d8f6e1f46c7e29fe80f4c82b35f6a18ada84cac8dd688dea725a08d9722a0bc483fda8bed5ff5aa0032880fab89376af6d272ff687c4743c23309b5');
INSERT INTO "checkpoints" VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, X'0106676f6c64656e8d9192d2bd2a0b9d7c09e476b679b481d4fd7e3960a188b33d294ec1b5085cbaf21d85c2dad3a17958157982b4047daaaf7504833fb91eb140b0a636e4d1eea57519714c5e66843893863e913a05f1956bf8de0da88a0a');
INSERT INTO "checkpoints" VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, X'0106676f6c64656e0aa6a94df7a210a37a79e5d084640682a808400cd0c66779ea421da958dd1329b6f2ad39722732b4074d4ad1ca15d093e6f6f54892bfbc5f0b6418036a536131fff0bee73a4755f56fbd83b324919d37c9685f474e782f25481d534b2bec5e070564');
INSERT INTO "calls" VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "approvals" VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, X'0106676f6c64656e742c3a2d7d3a53d631d4a8acbdff279f79142ac0cfff7364ba84989dc3b790c97162d0de8680524fdac8e1e63244071ba476512956b655cfc969b5b6f2e683c9b316f2049c2aebae0ebed3e049585a34e67d963d1a6149', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656ea6790fc0340b6e71db6c3681b5b723695721f0453da7db1a11d49fd0e1e952297756bb26fff55bb003a9d777a8a4', 1700000001001, 'boss1', NULL);
INSERT INTO "approvals" VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, X'0106676f6c64656e212d05d039a30c88fbc8fdbffd2230c1a4c110b0e9d0ffb65e4d2660550c19b2fb57c4b6ef8f3fc4b8794f28b76987fc1cf3696803e286cb1b98b6f5e091dc0ba538f04c041edc921351202271c63735d76db2b8fc6bde', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e72f1cd719a90a71be7a3056f136eb544f954024bccb3d61578fd5458b517f4024b096b183924589ee83b1b87c8c7', 1700000001002, 'boss2', NULL);
INSERT INTO "approvals" VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, X'0106676f6c64656e29fc9bbda4316d02ddcae0cf44bdfd642c0fd95027448e9595398ecd9d8becb0fa5376cf5c82cb4cca915b545bcb542635dc1142866b38185df612c655e572f012bf35f3b512dbdd978e3b1055c964dd0c4a5f122a1eb132267e55e189c1a35051a1', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e527c5fb7b4915a5836f75cc6060c81389d4650b22689473a67f01bb33d7d94a64d9ba5c836870510dc1ba979cb06', 1700000001003, 'boss3', NULL);
INSERT INTO "results" VALUES ('acme', 's1', 'r1', 'text/plain', 3, X'0106676f6c64656e9ab744f6526ef4f3aa8bb0fd4985f6bc1627a50bdcd063cacfb2a1242562b8', 1700000000001);
INSERT INTO "results" VALUES ('acme', 's2', 'r2', 'text/plain', 3, X'0106676f6c64656e92c167f8ac62598d774cf96107765ceed942bf4d9a23a3eacbf92bdf8c1a02', 1700000000002);
INSERT INTO "results" VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, X'0106676f6c64656e2e99175f94cfdc8df37d26be1297a835415c7b3df7f96fa2ce45588163f596', 1700000000003);
INSERT INTO "facts" VALUES ('acme', 'u1', 'fact1', X'0106676f6c64656ed011d5ff488d53b14c747777bbedc4b6e866a56515e67f28991c16901ddecbe9c90b', 1700000000001, 1700000001001);
INSERT INTO "facts" VALUES ('acme', 'u2', 'fact2', X'0106676f6c64656eb02bd346c715284383b46b1a5622d0e9d96bab0206767356c93d516ecc519df86ba5', 1700000000002, 1700000001002);
INSERT INTO "facts" VALUES ('o''brien \ 🐝', 'u3', 'fact3', X'0106676f6c64656e797be6c27182a006fcaf5a96ca9d99a34e114a5f5635e2e2bae8832a089cf413ed61', 1700000000003, 1700000001003);
INSERT INTO "cache" VALUES ('acme', 'key1', X'0106676f6c64656e476a04fb2df1aa33eaee99eb4c8da479fe37d7d55d654947415bf0af44', 1, 1700000000001, 1700000001001);
INSERT INTO "cache" VALUES ('acme', 'key2', X'0106676f6c64656e7e48fd48a230dbadce181a156be36bf1e425f97d42784f9a41624c9c26', 1, 1700000000002, 1700000001002);
INSERT INTO "cache" VALUES ('o''brien \ 🐝', 'key3', X'0106676f6c64656eb102d6273b7b18fcabebd9a83683466713ee53ad574dc237666e5d0dcc', 1, 1700000000003, 1700000001003);
INSERT INTO "audit" VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "metering" VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "jobs" VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656ef5a4e15e36f6ec8f277c872514615d2008c446f30bd7711011938f1ef463', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e5a185141cd2f90f7cca30a6540576b3ca327e05eeb1daca836c9c580ba', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO "jobs" VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e80cd155d5f1b28f414421b9e9cd0539ca9da28d6b647d88dcddaca9bb2ff', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ec2b6e05a9dd43782303b7503fd9aee3a17d8a8701b6bb5581691561a92', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO "jobs" VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', X'0106676f6c64656efd8af79c68dccabd4191b1607d069bef31a95d0564099c448209f25a8135', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e57557e431b3096036f9277ba754ddbbf4db0425babb895abf7707a0e73', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);
INSERT INTO "schedules" VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e65124c6b0028e6eab2f859882e89fe17b5bf1dd7baa8a97a51d2ac587b06', 1700000000001, NULL, 0);
INSERT INTO "schedules" VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656ec35fd2cc8cf549d6113a001a1d1499431c867263c01fa788949337af7b94', 1700000000002, NULL, 0);
INSERT INTO "schedules" VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656ea29ec3b86da138c5d64fc65c34c3d893f7f57b3daef8f89a77cbe44086fa', 1700000000003, NULL, 0);
INSERT INTO "skills" VALUES ('acme', 'skill1', '---
name: skill
---
Write.');
INSERT INTO "skills" VALUES ('acme', 'skill2', '---
name: skill
---
Write.');
INSERT INTO "skills" VALUES ('o''brien \ 🐝', 'skill3', '---
name: skill
---
Write.');
INSERT INTO "skill_files" VALUES ('acme', 'skill1', 'a/b.md', X'010201');
INSERT INTO "skill_files" VALUES ('acme', 'skill2', 'a/b.md', X'010202');
INSERT INTO "skill_files" VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', X'010203');
INSERT INTO "deliveries" VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', X'0106676f6c64656ed633ddf39c3edf01c1a319d14c63a81ac328eff5f07626bb6b9adedc5a50', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO "deliveries" VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', X'0106676f6c64656ee0015792a63b476ce23b0f3fa405bb5987068c99660685cf2312922221c1', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO "deliveries" VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', X'0106676f6c64656eec1692295613a37069d5f49cb85be2ba95e7f6ec141ee2f548da72cc0722', 'delivered', 0, NULL, NULL, 1700000000003, 's3');
INSERT INTO "erasures" VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO "erasures" VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO "erasures" VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);
INSERT INTO "nodes" VALUES ('host:1', 1, 2, NULL);
CREATE INDEX sessions_by_user ON sessions (tenant_id, user_id, updated_at);
CREATE INDEX sessions_by_change ON sessions (tenant_id, updated_at, session_id);
CREATE INDEX sessions_by_retention ON sessions (retention_until) WHERE retention_until IS NOT NULL;
CREATE INDEX sessions_by_lease ON sessions (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX calls_by_state ON calls (tenant_id, session_id, state);
CREATE INDEX approvals_by_state ON approvals (tenant_id, state, created_at, approval_id);
CREATE INDEX approvals_by_session ON approvals (tenant_id, session_id, batch, call_id);
CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX facts_by_expiry ON facts (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX cache_by_expiry ON cache (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX metering_by_time ON metering (tenant_id, at);
CREATE INDEX metering_by_session ON metering (tenant_id, session_id);
CREATE INDEX jobs_by_creation ON jobs (tenant_id, created_at, job_id);
CREATE INDEX jobs_by_session ON jobs (tenant_id, session_id);
CREATE INDEX jobs_ready ON jobs (kind, run_at) WHERE state = 'queued';
CREATE INDEX jobs_by_lease ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX schedules_next ON schedules (next_at) WHERE paused = 0;
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_session ON deliveries (tenant_id, session_id);
CREATE INDEX nodes_by_sign ON nodes (seen_at);
CREATE TRIGGER events_only_added BEFORE UPDATE ON events
      BEGIN SELECT RAISE(ABORT, 'events are only added'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE tenant_id = OLD.tenant_id AND subject = 'session' AND subject_id = OLD.session_id AND open = 1)
      BEGIN SELECT RAISE(ABORT, 'events go only when their session is erased'); END;
CREATE TRIGGER audit_only_added BEFORE UPDATE ON audit
      WHEN NOT (NEW.text = '' AND NEW.tenant_id = OLD.tenant_id AND NEW.session_id = OLD.session_id AND NEW.seq = OLD.seq
        AND NEW.previous = OLD.previous AND NEW.hash = OLD.hash AND EXISTS (SELECT 1 FROM erasures WHERE tenant_id = OLD.tenant_id AND subject = 'session' AND subject_id = OLD.session_id AND open = 1))
      BEGIN SELECT RAISE(ABORT, 'audit records are only added'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
      BEGIN SELECT RAISE(ABORT, 'audit records stay'); END;
COMMIT;
