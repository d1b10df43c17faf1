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
CREATE TABLE results (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, result_id TEXT NOT NULL, mime TEXT NOT NULL, bytes INTEGER NOT NULL, content TEXT NOT NULL,
     pieces INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, removed TEXT, PRIMARY KEY (tenant_id, session_id, result_id), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE result_pieces (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, content TEXT NOT NULL, piece INTEGER NOT NULL, body BLOB NOT NULL,
     PRIMARY KEY (tenant_id, session_id, content, piece), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE session_secrets (tenant_id TEXT NOT NULL, session_id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tenant_id, session_id), FOREIGN KEY (tenant_id, session_id) REFERENCES sessions (tenant_id, session_id)) STRICT;
CREATE TABLE facts (tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER,
     PRIMARY KEY (tenant_id, user_id, key)) STRICT;
CREATE TABLE cache (tenant_id TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, bytes INTEGER NOT NULL, stamp INTEGER NOT NULL, created_at INTEGER NOT NULL,
     expires_at INTEGER, PRIMARY KEY (tenant_id, key)) STRICT;
CREATE TABLE counters (tenant_id TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (tenant_id, name)) STRICT;
CREATE TABLE cache_changes (tenant_id TEXT NOT NULL, stamp INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tenant_id, stamp)) STRICT;
CREATE TABLE rates (tenant_id TEXT NOT NULL, key TEXT NOT NULL, taken INTEGER NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (tenant_id, key)) STRICT;
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
INSERT INTO "store_migrations" VALUES ('0001-first', '2026-11-30T20:03:21.099Z');
INSERT INTO "store_migrations" VALUES ('0002-job-turns', '2026-11-30T20:03:21.100Z');
INSERT INTO "store_migration_lock" VALUES ('migration_lock', 0);
INSERT INTO "store_versions" VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO "store_versions" VALUES (2, '0002-job-turns', 'adjutant golden', 1700000000000);
INSERT INTO "sessions" VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO "sessions" VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO "sessions" VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);
INSERT INTO "events" VALUES ('acme', 's1', 1, 1700000000001, 'user', X'0106676f6c64656eee01517211e2b24d6ed8e611650272c0e0fd279d8c1f929835afddd6308313a189101b6ceebc373c139557f9991ec54c681cad41b4c93bfd42898b5e73663b71227b93943c83ac020e90ec71c2a37e93af09cd2086f332');
INSERT INTO "events" VALUES ('acme', 's2', 1, 1700000000002, 'user', X'0106676f6c64656e76958c71ec19ebc543e593e48c1edab9373ae918c49ccb2110bf111b7078251c5eae94e9f7d58ac2967db561732e54913349e7092a8383511cfe55542ce1fbe1907d4e868ab298478e18c3dec286b0623892545fc83cb7');
INSERT INTO "events" VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', X'0106676f6c64656ec7a80563036e4670780fcf43fa4e6180169e0c1976ec41b12595bbf58e531cb0bf9f4d912f9a4f95067fd46bacf9ee99a4cda7067a671717012c32bd273310d3d44f803f5bb1578e1dd079030788c77c8e82ccf362ebf82c6f3e20e35f52129cc520');
INSERT INTO "checkpoints" VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, X'0106676f6c64656e3aeaa386584abcb38c3de7948331e935427b46d1f6cf950ef56da87c3ecb60be97053b9aff24c2998c8d09a07cf68d04d23fe2cbe7f76cff6cba8ec9f5e912140a74ac8b57a29151396ea6e1bd13b56282820ff1ccea72');
INSERT INTO "checkpoints" VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, X'0106676f6c64656e2f6aae1d253338fd7427e1bfc25214b7c0c81bb87993f5a6aa361329db5d63790550df21cff267db5c8e94d990e2b147ee0a4c77f88ed8e304083a9b3530b9d430684f1125933f570a73d81bae00550bf9019e32c0ebc8');
INSERT INTO "checkpoints" VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, X'0106676f6c64656e135b469979f6aca73a9af14fc6ba933e3563cafda306c2b7078447cf8e0b2a38844184bf0e842160e566013e84f02eeccad0c8e55b4fd99bc8952247d8877cb5102f8d0bea25d7aa2a8bfc1a0396e5f34235db04f0f8f738937e750d5b2a14916f03');
INSERT INTO "calls" VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "approvals" VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, X'0106676f6c64656e192e7d81a81925b82c467952247dc16fc82d9d313d915064be6359552a3cfaae932ef3af697e9f18b8c2a2b1cffc41815f2755a19efc6f4c4a885209415c74aca18f794acb53a9f98620f0aa14e4b349b31717abfa63d5', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e20cbbc6438a54d214c32866e6da1d4eca8e6dc93c03369746d000cfd1f1d36f8e7ef09642e77775e554ab0fb242d', 1700000001001, 'boss1', NULL);
INSERT INTO "approvals" VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, X'0106676f6c64656e7a3debc44b7e81f55335c73be524cec0f1b6ae709b22617fac6c3942a15b6daaa7258a61a41df0d6bc3b206d1f90069a29e0fb22bc81913c54aad28cb2a697a3b896b9bed40b2a86e9f7d07e8ce3ec76fdbf6715d15772', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656ef0c15da6418b360dfb4d39d213d6d894dd391436238f50089bf7ba05153e8f55940b7623f40df034f0c7eb91885c', 1700000001002, 'boss2', NULL);
INSERT INTO "approvals" VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, X'0106676f6c64656eff34301438dc8ad4bbb9575c2724f6ced37fd562168281486fcad69a7798c5d8fa6009d60a368f96530f2be819baaf3e1ce4e7633c593c0ae4444b0ae56db88d76a1e7ecbec761dfcd327ecfbdbd4f44b49a6817a5d6e5b12878ff3cc8527cf4b5b1', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e03e1c65e4adac3fdfeca3f51b3e74ec71f73df1aa67c9c201e5407a92cdecee213db0419cabac92acf15458050a4', 1700000001003, 'boss3', NULL);
INSERT INTO "results" VALUES ('acme', 's1', 'r1', 'text/plain', 3, 'k1', 1, 1700000000001, NULL, NULL);
INSERT INTO "results" VALUES ('acme', 's2', 'r2', 'text/plain', 3, 'k2', 1, 1700000000002, NULL, NULL);
INSERT INTO "results" VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, 'k3', 1, 1700000000003, NULL, NULL);
INSERT INTO "result_pieces" VALUES ('acme', 's1', 'k1', 1, X'0106676f6c64656e697f27655c128295517996cd12abb748cee590e98370631eebb21736f4bdeb');
INSERT INTO "result_pieces" VALUES ('acme', 's2', 'k2', 1, X'0106676f6c64656eb386938527075f44b52c45ccc1611844f38ca48f5680176c0e173dcccb3c2e');
INSERT INTO "result_pieces" VALUES ('o''brien \ 🐝', 's3', 'k3', 1, X'0106676f6c64656e4363f178935bd64accdfaa50ce987bec0d4c9d5212ace2b9d60d3bf91738cf');
INSERT INTO "session_secrets" VALUES ('acme', 's1', X'0106676f6c64656eeb70daebbbc626386a67d600872c7b92324c7d0a67f612e7751be90b450c6f68c73a4350b42fdf1909213ff442b3d9b6f066e04d8fb5f46c33ac4ba8');
INSERT INTO "session_secrets" VALUES ('acme', 's2', X'0106676f6c64656e04bad987b9bf4d21009457d984b8073d01fed6149e8c38e0469dae80e8376f7273f0a0b467b517283c2d221eb332f2461ca5f730a9168a5562ff04c5');
INSERT INTO "session_secrets" VALUES ('o''brien \ 🐝', 's3', X'0106676f6c64656eceb9cac6fabe479addaa9fdd344eec155014534f86e26df0266ebbc50b5eec9506476ba98a083bdd5618113423a3cb6fb98494601ef22d85be11d6ea');
INSERT INTO "facts" VALUES ('acme', 'u1', 'fact1', X'0106676f6c64656eca8a9eb422949c5d238f22019e6e101fa660680b4cae6bdbfb18f524fe659d79aa3d', 1700000000001, 1700000001001);
INSERT INTO "facts" VALUES ('acme', 'u2', 'fact2', X'0106676f6c64656e5bb985178eceda5f2f802cf399a69bea69cd60202f45822d6b79cf6552612b3a8324', 1700000000002, 1700000001002);
INSERT INTO "facts" VALUES ('o''brien \ 🐝', 'u3', 'fact3', X'0106676f6c64656e78ddc72a0db577a2f97fe5604ce8b5c7039ddc360586d6549b1ac0679daa84446805', 1700000000003, 1700000001003);
INSERT INTO "cache" VALUES ('acme', 'key1', X'0106676f6c64656e54f4f269f2c9d02d973d39ec0a02737fde806121228587f1a5083ec8f5', 1, 1, 1700000000001, 1700000001001);
INSERT INTO "cache" VALUES ('acme', 'key2', X'0106676f6c64656efb97c50e9688936243656b1cc05721079864d6b922858dc7a787f02ed1', 1, 2, 1700000000002, 1700000001002);
INSERT INTO "cache" VALUES ('o''brien \ 🐝', 'key3', X'0106676f6c64656e668070562fa05de01678993f723704306a70a5fb4403c6100caee3ede4', 1, 3, 1700000000003, 1700000001003);
INSERT INTO "counters" VALUES ('acme', 'counter1', 1);
INSERT INTO "counters" VALUES ('acme', 'counter2', 2);
INSERT INTO "counters" VALUES ('o''brien \ 🐝', 'counter3', 3);
INSERT INTO "cache_changes" VALUES ('acme', 1, X'0106676f6c64656e44b24a4e1a67a145868ab36c46132a2cc84070ca2a7271f0da5c7395b1a910572a31ef374f3552a6d17b');
INSERT INTO "cache_changes" VALUES ('acme', 2, X'0106676f6c64656ee7482f01cea8a0206962815e85710d5196ae6cd796c6f67d71e8764f78278b2607e7cdf690cb10f3eaa4');
INSERT INTO "cache_changes" VALUES ('o''brien \ 🐝', 3, X'0106676f6c64656ed79a8b4de7f1719fd81a1004b29daf2f0c84bfd925428b207729bbff5463f5df1bd66456f10d2de569cb');
INSERT INTO "rates" VALUES ('acme', 'rate1', 1, 1700000001001);
INSERT INTO "rates" VALUES ('acme', 'rate2', 2, 1700000001002);
INSERT INTO "rates" VALUES ('o''brien \ 🐝', 'rate3', 3, 1700000001003);
INSERT INTO "audit" VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "metering" VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "jobs" VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e60b85fa9a3d6a0534aa62b9eeab9f899e52fb7ad90692773866b0960ae5d', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e81348ff83522ea48d33f30431ddadb48b25e32ca731f7f107693868c74', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO "jobs" VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e7f6750f7a1ab016b34af08de9888cbacb037e76b6d396236400372e1fed7', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ed20b4fef880fa651ddd741382ab9d9a3daf7b9ff5697c753b3330bd013', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO "jobs" VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', X'0106676f6c64656ed0b1a48024cac413068f01d433309652f64712a0aec6a3fca3f0d15e4abe', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ee171cdb90080e0e982163f4d4f34cac628891de96c938b7f78ae518faf', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);
INSERT INTO "schedules" VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e12a560093207d8884ca20e194db35700709310d8372ceed8483f147ea4b3', 1700000000001, NULL, 0);
INSERT INTO "schedules" VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e28cdbd471b504d785eb12829fd5edff8f317b335ab5809f98d728dd6b2c3', 1700000000002, NULL, 0);
INSERT INTO "schedules" VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e9bdcd9203926b0509d6bdc9843534c09e9b1612096f3b6e8f4ff79c76c37', 1700000000003, NULL, 0);
INSERT INTO "skills" VALUES ('acme', 'skill1', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('acme', 'skill2', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('o''brien \ 🐝', 'skill3', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skill_files" VALUES ('acme', 'skill1', 'a/b.md', X'010201');
INSERT INTO "skill_files" VALUES ('acme', 'skill2', 'a/b.md', X'010202');
INSERT INTO "skill_files" VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', X'010203');
INSERT INTO "deliveries" VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', X'0106676f6c64656e56f368014d2f53bc8fe008575837d8afd36ceb91dc95539da4c2060fe091', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO "deliveries" VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', X'0106676f6c64656e7cbb999fd18b20b32a41e0270448927205317fe1258312cfe0371326e947', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO "deliveries" VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', X'0106676f6c64656eea053707e008905593f66a2bf43696b5adb0b0bab99e33ddef5084664fb1', 'delivered', 0, NULL, NULL, 1700000000003, 's3');
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
CREATE INDEX results_by_expiry ON results (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX rates_by_end ON rates (ends_at);
CREATE INDEX cache_by_age ON cache (tenant_id, created_at);
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
