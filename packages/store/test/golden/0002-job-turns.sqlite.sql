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
INSERT INTO "store_migrations" VALUES ('0001-first', '2026-11-30T20:00:23.184Z');
INSERT INTO "store_migrations" VALUES ('0002-job-turns', '2026-11-30T20:00:23.185Z');
INSERT INTO "store_migration_lock" VALUES ('migration_lock', 0);
INSERT INTO "store_versions" VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO "store_versions" VALUES (2, '0002-job-turns', 'adjutant golden', 1700000000000);
INSERT INTO "sessions" VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO "sessions" VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO "sessions" VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);
INSERT INTO "events" VALUES ('acme', 's1', 1, 1700000000001, 'user', X'0106676f6c64656eafcb41bbbb47a0d832033558a6771cf39eba40473e1d6cd0aea69f58c9abea544028104bcc66c42a7267dcfe6a5c62cbd145ea856cce5daadaaa52487b259684355853ee664d9bfd6bf626db6c312e666ba6339833573e');
INSERT INTO "events" VALUES ('acme', 's2', 1, 1700000000002, 'user', X'0106676f6c64656e33794bd44c97bdc4492eaa3320664eef61d316a192773856d24743f06a9e56cf4c5135bd4ff7d9b4b99269db87d5fedbb1c833252eda41bb0cb46f60ea0071e809f65b6eca4a6d403fe5c1c1170d2c2f2446607510d2e6');
INSERT INTO "events" VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', X'0106676f6c64656e746c42970842f4008b74c55392a9de187da11a60c5e6ca2793cd0b3d6622296436f986cfe7349ce84dd21509689b2e366821899db56bff47ddb733cf361601d84323d7e8bed11b36834e030e273ab3110eaf943d91dd78f6653d2a3bf1ca435bcce1');
INSERT INTO "checkpoints" VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, X'0106676f6c64656e31636662783e28a3062e44d004d6fd3828b2f61c13f445e39938f394dd12b933fc403a59adac6b81363e93fd0fc999a8497ffa18e15093300f9ce6a33190a8961569d564f9f09d6c8e60bad3bb101655c5dc237e2d669d');
INSERT INTO "checkpoints" VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, X'0106676f6c64656ea7b13af8493d7f0d9a8de753a0ecef83557ac66e7eb46fd71d5e67018ab69f0a76d9d9e2cc7a896e277352f8c5e35a5308fe066b1221b4b2af5a94197d22a1b07973f21ed5eb3ad866de1660f2bc7dccf22df1023b05b9');
INSERT INTO "checkpoints" VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, X'0106676f6c64656e479159838b29b292067b08564739089a860373b7ae02f996bd53f7555ab375c4f8ea9ae0bfeecee56f684d20f732dee3591daf4e0a209691d24ba00e1ac5e26e0880fa87e375ec8cead5f134f1d7cfbda3fda48b9ccd8d4eaf7a8e091291b2da138d');
INSERT INTO "calls" VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "approvals" VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, X'0106676f6c64656e52479fab49d9ca1e5257850eed70c7a24d27a918156d589c551cf224b54339f54f59c20d0e6ba2455cecdfd7a1c197111bf0b7285c0fd2360a2859d0a3efdb4d2f8ee9a03895aad0d64197bbd1e66e03a03a6b6df9d64f', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656ea7bb3da0ee47266c45237168a9595539b30d2ecf8ae988df432b49ea67a7d4db960b6ddb2a4714629ae4805b9213', 1700000001001, 'boss1', NULL);
INSERT INTO "approvals" VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, X'0106676f6c64656e158c7da3577529d86a60d4267f43544392a140b454e7c968e55bb7dd6e55f259c522877d363639d1839e8456d1c08f2f44de57f26c581e3083a44228eb3078586c27aef93d8cac3bea4738a5b3033a8fbbf6df458221cf', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e9d020aa5eea6ab0b7d020bbf559a26d43e00263f9206d3b1ec1ce401e748a9525817cd8c7154bbeb01ee3670cc8c', 1700000001002, 'boss2', NULL);
INSERT INTO "approvals" VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, X'0106676f6c64656e4203cf675b640c54e5dc21652586dc03e51bd38ae6e74ac9e1c4d05eeb71eab4df8eef064d19cb9b172d50c47f48d119dd744caecd7437981d0b1369e73dd7c0c53bec3b747c75e8ce183a96a1e90761f153c2331adbe37bd13c8dfa6e959fb2ecb3', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e360c0fe73e6326924c4605daaf731bc0759d0235107d4562c9f94b764696fbc5d9526ff5e902c9385469ab627d44', 1700000001003, 'boss3', NULL);
INSERT INTO "results" VALUES ('acme', 's1', 'r1', 'text/plain', 3, X'0106676f6c64656e456715a70c282564ab4ab68909d6863c795407e50670cecd044e4090298dad', 1700000000001);
INSERT INTO "results" VALUES ('acme', 's2', 'r2', 'text/plain', 3, X'0106676f6c64656e23e470f7dee60e929e40b4ec987ad9ea995dca4de732cadf03501091ff0c5e', 1700000000002);
INSERT INTO "results" VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, X'0106676f6c64656e6cbb27300aed8c110cb85c5cfa451ca52ebf601c0a8af388c893cff293caef', 1700000000003);
INSERT INTO "facts" VALUES ('acme', 'u1', 'fact1', X'0106676f6c64656eb7639f60dc969dacaab158457cd3e0b0eff906dadd486f370c4d0dcc1c0076e666a4', 1700000000001, 1700000001001);
INSERT INTO "facts" VALUES ('acme', 'u2', 'fact2', X'0106676f6c64656eed4eabc251afb382dec62141175aa500ba1b8d99a86935f1091b4dc00003b38ce687', 1700000000002, 1700000001002);
INSERT INTO "facts" VALUES ('o''brien \ 🐝', 'u3', 'fact3', X'0106676f6c64656e519e40f2f40f87415595b9dc4532b7e6cc57305cf5d3146dafef87fab3b70850c6bc', 1700000000003, 1700000001003);
INSERT INTO "cache" VALUES ('acme', 'key1', X'0106676f6c64656ee04667f45e0a4fd4697002685de31aaa2f200e52fe2a0cf0b30c2d60a6', 1, 1700000000001, 1700000001001);
INSERT INTO "cache" VALUES ('acme', 'key2', X'0106676f6c64656e4f8e8e44956ea2a5fb6e5e7d05becf1488a8779106573669492ca4a971', 1, 1700000000002, 1700000001002);
INSERT INTO "cache" VALUES ('o''brien \ 🐝', 'key3', X'0106676f6c64656e96a262ef060efb5006ee7b072ae7d5c061223978077d7e3a7fe0ee2875', 1, 1700000000003, 1700000001003);
INSERT INTO "audit" VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "metering" VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "jobs" VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656ef32a1a462dcb748ab911aa72fd33259bc19f9de7df0b41ff99239e9c05b4', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ea139226575071f3faa26f285482e02dd0adfe0f8dd3bb9917159a8ada3', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO "jobs" VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656ea25261729906a2f9accfd0a3ef8ef9af3f6cf25f00b9a15e9279d92a92bd', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e9164e0a0bc02796b4127c5e80d379864c63fbd69db3fc6418321f67397', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO "jobs" VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', X'0106676f6c64656ea6685fbcfd9b9ea65c65e785cde6b1f082ce263d48316d307020ddf706ce', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e2701715e7aa835101f0d692dad0c6821ee785eac06dd5ff59e0d3bb9c4', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);
INSERT INTO "schedules" VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656ea9594edb18baec30ce8b4aa7cf72c7e067f8ce3feaee0e10852a2039e3b1', 1700000000001, NULL, 0);
INSERT INTO "schedules" VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e864563dcc0e0375100406be01ce5173062d06bb8642585b00026ac642e09', 1700000000002, NULL, 0);
INSERT INTO "schedules" VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656edefb84bb8a7b87d0fa6dd2601dd99fdfb4d7bda92cc3598c138672a79527', 1700000000003, NULL, 0);
INSERT INTO "skills" VALUES ('acme', 'skill1', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('acme', 'skill2', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('o''brien \ 🐝', 'skill3', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skill_files" VALUES ('acme', 'skill1', 'a/b.md', X'010201');
INSERT INTO "skill_files" VALUES ('acme', 'skill2', 'a/b.md', X'010202');
INSERT INTO "skill_files" VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', X'010203');
INSERT INTO "deliveries" VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', X'0106676f6c64656e9d611be2af43e5b35f9bad1b7c99e2168a343d06040173bf1fe5b92e645f', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO "deliveries" VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', X'0106676f6c64656e66841f8bf58a195010d785219328df7b9f0cc3b121d75c974186fe3b481d', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO "deliveries" VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', X'0106676f6c64656e2859bd60ea3daddbcbaa03dce4853fd84ce1ab6a9973ba6a98d4e1cc4d3d', 'delivered', 0, NULL, NULL, 1700000000003, 's3');
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
CREATE INDEX jobs_in_turn ON jobs (kind, tenant_id, group_key, priority DESC, run_at, created_at, job_id) WHERE state = 'queued';
COMMIT;
