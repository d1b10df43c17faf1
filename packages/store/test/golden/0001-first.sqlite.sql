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
CREATE TABLE skills (tenant_id TEXT NOT NULL, key TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (tenant_id, key)) STRICT;
CREATE TABLE skill_files (tenant_id TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (tenant_id, key, path),
     FOREIGN KEY (tenant_id, key) REFERENCES skills (tenant_id, key) ON DELETE CASCADE) STRICT;
CREATE TABLE deliveries (tenant_id TEXT NOT NULL, delivery_id TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0, next_at INTEGER, last_error TEXT, created_at INTEGER NOT NULL, session_id TEXT,
     PRIMARY KEY (tenant_id, delivery_id)) STRICT;
CREATE TABLE erasures (tenant_id TEXT NOT NULL, subject TEXT NOT NULL, subject_id TEXT NOT NULL, at INTEGER NOT NULL, reason TEXT NOT NULL, open INTEGER NOT NULL,
     PRIMARY KEY (tenant_id, subject, subject_id)) STRICT;
CREATE TABLE nodes (node_id TEXT NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, address TEXT) STRICT;
INSERT INTO "store_migrations" VALUES ('0001-first', '2026-11-30T19:44:53.817Z');
INSERT INTO "store_migration_lock" VALUES ('migration_lock', 0);
INSERT INTO "store_versions" VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO "sessions" VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO "sessions" VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO "sessions" VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);
INSERT INTO "events" VALUES ('acme', 's1', 1, 1700000000001, 'user', X'0106676f6c64656e064d47f2636127aded68b8047a669d40e450f9ec4aa6f34572a59ffef6db8da1c8928a8ed8857b58c0bf92fdbdb0cab129255a91fc6e8af82f08e6bccdb4dbf9eeee02cfcaad398511325ea2025c5b41db7521f22c6dbe');
INSERT INTO "events" VALUES ('acme', 's2', 1, 1700000000002, 'user', X'0106676f6c64656eafc4cb8bf7acd5c10e4869a2f0f994a66ff74ed948156c63fafb67d38acd955a808ae75cc15d99ea7751b00d1c40fd16d41c326e5c1860ef56c1f718dd58700df2d206befcdcadc15b5f910ce2ffc24169363951201732');
INSERT INTO "events" VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', X'0106676f6c64656e64ef602bbacdbc18ab15ea89abf29f9d24e9c3b2b6dfa59bbd08f02dbb7c7851e7df1cb0c7fa3accadc440396d77420469c761b988acc32b9e289c1fc88ced3e385c2765551e27ed7b2fc00e564418b3d7592ae03c2ae4acc83a2428dbb036641798');
INSERT INTO "checkpoints" VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, X'0106676f6c64656e2a9d1bec32c3e5d08c0e003667e24406cca0b2a6791f87fb1d0c55e64b465c4590ee462748d0eb23390afed8d1aa2bb0c59766aef77dd130a35c6e1cc664a1304572ae984ebd223042046bf9ea05f2476d19216914b6f6');
INSERT INTO "checkpoints" VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, X'0106676f6c64656e0be775443125bef2fb8c8de529836a0dbcc6d2408713e7a76bf6379d4f1099f3da1e2a1870f9db1608ecefc22885d4a9ab5364909bc73a6fecb1445a9e44a5447b02bdf70a7d293f6f01ca7fa108204c664942666a4909');
INSERT INTO "checkpoints" VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, X'0106676f6c64656e16a7d664861bf15e0686f9cb03517960478860d12e369b7d64fc7dc7de03546807a02a9ddf70eb127efd1c758e2b04feb126184bd7bdc3592124c8b391fd7783a5ac60c5e33d6ddea10f7c03d648b30de710511ee6d329401040a488563960107b52');
INSERT INTO "calls" VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "approvals" VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, X'0106676f6c64656e4e3b481bec17d836bcd6343b23ad8e0963708377e8849751d420267583c5e2bdcb602a466437d745eb15e0c5ae5782aa3d217f6e055c280046cd99bb93990e2efc8084e638e1de6ffea5c68b73165c5553578163ac3582', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656ec9bbcffb4ab18616cc4de40049327c97d3bd9007ebb5f9a7d67ab7bdbcf67a099e678ac6bd47ff227816cc0b1700', 1700000001001, 'boss1', NULL);
INSERT INTO "approvals" VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, X'0106676f6c64656e073e9523c2224a2bdb2e55a423451864a2e341375841cc055c4bdee554d42de189c88850950bf620521706335b39c603cf59d94878afb1b0c579fc6a6cc952a5bce9c0cae1812c19e96a448cc4c9025f7cef35dae9797c', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e87a01d16276f2819d010de97e10a09eccdccffa8e0ef643878620e54a7ee8f150e3895cda30514f0e855f96412ae', 1700000001002, 'boss2', NULL);
INSERT INTO "approvals" VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, X'0106676f6c64656eb9b3ee1575ebe65efb0284352eb361b14a2d1f31a190d1ae1f603c5f405450e569de4e61ce52b4c05995b20352cb35a8359fc98751470e5ace0164d55b8811ca23f93e44ad3ca9e7e44b957a054e82e9e90b60c05e34048f4984e86645447c91bc62', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e4d9256700dcfee9ed93c1170e4d2963da8b5f397ce382abe2054ec0af8fa71993bb5c67c9cbf33e387ef1a27cf0a', 1700000001003, 'boss3', NULL);
INSERT INTO "results" VALUES ('acme', 's1', 'r1', 'text/plain', 3, X'0106676f6c64656e8d0aa8f04a2217e1dd02c1133db9144087430987fe8f0e5a7df659b6449ff5', 1700000000001);
INSERT INTO "results" VALUES ('acme', 's2', 'r2', 'text/plain', 3, X'0106676f6c64656e888fbc7885577c11562f97b49bd3ae099e7eed5779e94134377f8d3f4336cf', 1700000000002);
INSERT INTO "results" VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, X'0106676f6c64656e73693e01f20cd70b279d7534ced7cf39d1376cce2256da8dd08056f1f62914', 1700000000003);
INSERT INTO "facts" VALUES ('acme', 'u1', 'fact1', X'0106676f6c64656e66180536c64a39cfb73c401ad9fce06a1238a09e37dee2bedd81aac18aa0a8b6f271', 1700000000001, 1700000001001);
INSERT INTO "facts" VALUES ('acme', 'u2', 'fact2', X'0106676f6c64656e35ea24aa63b5bf6e1c88575a6e3d98ee4b8ad06b997adf902bf3fc9560a7072a1dca', 1700000000002, 1700000001002);
INSERT INTO "facts" VALUES ('o''brien \ 🐝', 'u3', 'fact3', X'0106676f6c64656eddad71958da05046620bb219b0d41e2b567ce773bed5f4ddfa3af19b1b6dfbf6cc88', 1700000000003, 1700000001003);
INSERT INTO "cache" VALUES ('acme', 'key1', X'0106676f6c64656e69b0cc0c184ae0da45be28fe28764db53abda1f062d675ece78e495391', 1, 1700000000001, 1700000001001);
INSERT INTO "cache" VALUES ('acme', 'key2', X'0106676f6c64656ef25f696ee279debb563c04bb79eed87a98df5fb94ced3493c071a4aa4c', 1, 1700000000002, 1700000001002);
INSERT INTO "cache" VALUES ('o''brien \ 🐝', 'key3', X'0106676f6c64656e7c298857e02b5b6858d5d3175e74b723c531746753f69881ed70ff6963', 1, 1700000000003, 1700000001003);
INSERT INTO "audit" VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "metering" VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "jobs" VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e99622a9cfdbce9085c0f4fab5395db6d374e74725fee310f05c6d46488e9', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e0fcc08923f105e2ff9ebdd0219a0b1a48dc15835b247d254ee7933f378', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO "jobs" VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e17b6c53819716673a26460a7db07c93ec49326a84d3660dcefaae95d8bd2', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e344f9133332d39481f3e69d7a689beac7c29b0e4aa9b493296fe36a546', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO "jobs" VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', X'0106676f6c64656e129043fdc6260d166b9910076d52de959477d250ca15f9d73a249621f974', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e1737529f8a56c8b574a2badc3d7d3a8b831afa0f2edfeb666ad974ab87', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);
INSERT INTO "schedules" VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e05438bebcd9de29626a4653742acabfd5c0d2e1598e356d86b7c8a507dbf', 1700000000001, NULL, 0);
INSERT INTO "schedules" VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e08da42f0c15581073e3831ff2346f1ff5ce17e51a49afff564c9985c674e', 1700000000002, NULL, 0);
INSERT INTO "schedules" VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e73874dfe42b0d39208d01bfbc6096be7bde99c9daf64e6da7f225c29fef8', 1700000000003, NULL, 0);
INSERT INTO "skills" VALUES ('acme', 'skill1', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('acme', 'skill2', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('o''brien \ 🐝', 'skill3', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skill_files" VALUES ('acme', 'skill1', 'a/b.md', X'010201');
INSERT INTO "skill_files" VALUES ('acme', 'skill2', 'a/b.md', X'010202');
INSERT INTO "skill_files" VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', X'010203');
INSERT INTO "deliveries" VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', X'0106676f6c64656e56a26b5be02301343ecee20dadce792a1cdf1db6ba9de827562a75870954', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO "deliveries" VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', X'0106676f6c64656e384ac88563061fff62123bc05cb855e62e82d0eab9ae77d2b9c068376dc9', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO "deliveries" VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', X'0106676f6c64656e61d8b3ddf89091671ffc9def72f54e2c8373fb9f033cce4cfb83cc2e10b5', 'delivered', 0, NULL, NULL, 1700000000003, 's3');
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
CREATE INDEX approvals_overdue ON approvals (tenant_id, expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX approvals_by_expiry ON approvals (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX facts_by_expiry ON facts (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX cache_by_expiry ON cache (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX metering_by_time ON metering (tenant_id, at);
CREATE INDEX metering_by_session ON metering (tenant_id, session_id);
CREATE INDEX jobs_by_creation ON jobs (tenant_id, created_at, job_id);
CREATE INDEX jobs_by_session ON jobs (tenant_id, session_id);
CREATE INDEX jobs_ready ON jobs (kind, run_at) WHERE state = 'queued';
CREATE INDEX jobs_by_lease ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_by_end ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX schedules_next ON schedules (next_at) WHERE paused = 0;
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_age ON deliveries (created_at) WHERE state <> 'pending';
CREATE INDEX deliveries_by_session ON deliveries (tenant_id, session_id);
CREATE INDEX erasures_open ON erasures (at) WHERE subject = 'session' AND open = 1;
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
