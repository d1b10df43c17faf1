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
INSERT INTO "store_migrations" VALUES ('0001-first', '2026-11-30T20:03:18.705Z');
INSERT INTO "store_migration_lock" VALUES ('migration_lock', 0);
INSERT INTO "store_versions" VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO "sessions" VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO "sessions" VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO "sessions" VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);
INSERT INTO "events" VALUES ('acme', 's1', 1, 1700000000001, 'user', X'0106676f6c64656eea948906ab20139136f2584cef0d14b412503282ed779ad6b0bc880fecd63b048fac728b86f955c2f3ba440bdd9b0652d78ac954e85e4b9134425f87a70092100b68ccbd43f480ffb6326cc2dee01e7e4f1a6357c1bf7a');
INSERT INTO "events" VALUES ('acme', 's2', 1, 1700000000002, 'user', X'0106676f6c64656eed3de2a6c26f0da748c4965e40e45f8cd6a645d7792a60aa10b00477db77219e5addb15e2b13098b8a06fd238010468fa6706cbc20bb3a6e6b34db958f269310eb0a5ad3a3903037d82da384fb317868dee37a53bbdbcb');
INSERT INTO "events" VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', X'0106676f6c64656e3cfe2ae722a80333881fcc55539be4fbde7a402426a8de586d6327af03e050680ac712bc437fc1e41ec4fc7d3eff3b13c325b0b8fa3306a1262f450473a4d084f6f4bfc024030716cfd03e24f8cbadadb112970c20716d44ea51a36cc477613e3824');
INSERT INTO "checkpoints" VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, X'0106676f6c64656ecf9f4b112ca4288978449e14b26ba277e25b8f792150a14efceb71bb1cb17393c01e40373c9f33dc3346fab801cbd8b56d2dba5a3feb9c97cacff9b496602f78639519a79d858c6334be11cdd356ff97bf3e7ef1b384e1');
INSERT INTO "checkpoints" VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, X'0106676f6c64656ec0169d39e49916dc032834d6c0c611e7b4c892ac330ec5f52a6e6bb11227e5b1ace6f3dabb4370a83f2884b22fdc2ed79788db7e26a14fc57fc75c710f205326fec0d0459556c4a0597e2b9be33ec3ff46f47f6e22b7a3');
INSERT INTO "checkpoints" VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, X'0106676f6c64656e9aa642172e2411499d2ecd9ddfafbce368fd9f63fab1801cc457a19a9ff59620f49892700f9cb48bc4c9e45d06b5d0480d9c1b23b6d85a307161d3aadf218d9150be6359193dc87f48f2d974c21029733779fb0d211f77032f34b2a16c1e06b739ea');
INSERT INTO "calls" VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "calls" VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO "approvals" VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, X'0106676f6c64656e4bf11b9df66ff6492055810b36802871374ad82b62bbfd4d115ca8bb49c9c242b9f3ebf65c3e628d26e7474824cf8c6c59de9c67468997d41500b761cd935ca4e7af9d4a578abf7fa62aaa0abcf170218e18c89caa7e8b', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e545a4b01394031cbd6719014e9bc289175cb62cd4b9d152053cc1217ff02ae8c44763ee496bebaf4d7325f22e6e8', 1700000001001, 'boss1', NULL);
INSERT INTO "approvals" VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, X'0106676f6c64656ec25a1ffc1deef96d086f438bb5b5b28b65f6b156a8460555c8fcfa48f66aa5332d2e670124e67b6085be9b67aebb9c3981878b8949d58068c346c7f31764119cf5b3e4c01a35a8c7905758c0875163a1872093a7a3341e', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656ec54ac30a6481fee353470b5539fe8f1f73fab2e149f4904705583e6b9a60a91a87e765b8281eefeb2c3ee28f5431', 1700000001002, 'boss2', NULL);
INSERT INTO "approvals" VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, X'0106676f6c64656ee8ac3fb9798ea1911ced1ba583b26869c9998371a8f935bd0047bb00166da0785ca2bf44c53ff024dd44176c272807bd5bdb27ac141c659fc6e9567416bfee13fde462f3b325006f1953fc3ef4e799d3c7eb77d9a858d53482830a29c112bcbf439c', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', X'0106676f6c64656e4d9c1bf1207c9005d5033e4e52ca8185d4fe24eab786396a93cbaf41820bb199369730bd08e83fbe9ff785ccd397', 1700000001003, 'boss3', NULL);
INSERT INTO "results" VALUES ('acme', 's1', 'r1', 'text/plain', 3, 'k1', 1, 1700000000001, NULL, NULL);
INSERT INTO "results" VALUES ('acme', 's2', 'r2', 'text/plain', 3, 'k2', 1, 1700000000002, NULL, NULL);
INSERT INTO "results" VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, 'k3', 1, 1700000000003, NULL, NULL);
INSERT INTO "result_pieces" VALUES ('acme', 's1', 'k1', 1, X'0106676f6c64656e4164b68d242eaf0d71646779f4933bf62014fa700a6183b17e01acbaf7e70f');
INSERT INTO "result_pieces" VALUES ('acme', 's2', 'k2', 1, X'0106676f6c64656eae6b5bb3cee5f0e7441d44816d54729bda5b6b0b098c9f452ec3b514a237ca');
INSERT INTO "result_pieces" VALUES ('o''brien \ 🐝', 's3', 'k3', 1, X'0106676f6c64656e5fb01416eb50bd9872c3c04634992fceb8ea9b3832766e6cc10ab3358751b3');
INSERT INTO "session_secrets" VALUES ('acme', 's1', X'0106676f6c64656e255ca2b3f39258afa092571c227bfab851b9d9032fff57cbb3678dad4b492ac79a6c54ee23b1be35958bdd1d09089274ba6a409fc5163ee347181e45');
INSERT INTO "session_secrets" VALUES ('acme', 's2', X'0106676f6c64656e3b6af87b841fcdb737e7e6f044eef4c5b6bad98f2eab732a25a50e6179a6d4a554b740019dc52efd7f76b2558b54e23c9734f967714a3f465bad2f4d');
INSERT INTO "session_secrets" VALUES ('o''brien \ 🐝', 's3', X'0106676f6c64656efbfddaf241d84862fa1ca13430e62f4ab3140c3e2d51f4b2307052537f3bfadff57e94765e07165c0865df0d89a962faae422c687501726ad09e3d9e');
INSERT INTO "facts" VALUES ('acme', 'u1', 'fact1', X'0106676f6c64656e5982a308555c2b2bc1a8da37d318204fc6572d5d36d8b2d23e56f3ba8eac277470a9', 1700000000001, 1700000001001);
INSERT INTO "facts" VALUES ('acme', 'u2', 'fact2', X'0106676f6c64656e668a59860544498d3ec685ac1493af1cfb418fbc86f86ffaf77350da8830d360b056', 1700000000002, 1700000001002);
INSERT INTO "facts" VALUES ('o''brien \ 🐝', 'u3', 'fact3', X'0106676f6c64656e59cb9490f0aa4015b056aa4d91a908fde9689d522caa0b74a224043ccc631359bdff', 1700000000003, 1700000001003);
INSERT INTO "cache" VALUES ('acme', 'key1', X'0106676f6c64656e4ae8403cee079ac4093d1d86d17e0fd1dbfab539b283cec8902d1bf8af', 1, 1, 1700000000001, 1700000001001);
INSERT INTO "cache" VALUES ('acme', 'key2', X'0106676f6c64656e1ebf6a64fcd28254e91674452a7e4062014133e075f10bab4ac71b2a5f', 1, 2, 1700000000002, 1700000001002);
INSERT INTO "cache" VALUES ('o''brien \ 🐝', 'key3', X'0106676f6c64656eabf5381fa7de3d1223ba3e671585f2e9101abf2b04adea9ef2e14d3bda', 1, 3, 1700000000003, 1700000001003);
INSERT INTO "counters" VALUES ('acme', 'counter1', 1);
INSERT INTO "counters" VALUES ('acme', 'counter2', 2);
INSERT INTO "counters" VALUES ('o''brien \ 🐝', 'counter3', 3);
INSERT INTO "cache_changes" VALUES ('acme', 1, X'0106676f6c64656e4642e2985068ca6425fa3dd82187761a1785700c03319e1b06cd400b7502ec9648a9ba28ea6139b50638');
INSERT INTO "cache_changes" VALUES ('acme', 2, X'0106676f6c64656ea34711b9ccde83337b95aee51b3fbd2701fa76547abe3cdb605f2b6a558daaa3a6ae7224f6f6e3d05941');
INSERT INTO "cache_changes" VALUES ('o''brien \ 🐝', 3, X'0106676f6c64656e8f6b12eb26781e6a81729b9de038c7ab7509d9972b8e16003876dccbe6c1f446d95384713c4168a88b98');
INSERT INTO "rates" VALUES ('acme', 'rate1', 1, 1700000001001);
INSERT INTO "rates" VALUES ('acme', 'rate2', 2, 1700000001002);
INSERT INTO "rates" VALUES ('o''brien \ 🐝', 'rate3', 3, 1700000001003);
INSERT INTO "audit" VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "audit" VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO "metering" VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "metering" VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO "jobs" VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656ec7c7e7a59b1fbeb7386b88008dbeabdc1e3e5e5c49b0bd337f57385be888', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ed217ddb723ffee00a2389527d2dd9c12073f518eae6100507b3db33d27', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO "jobs" VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', X'0106676f6c64656e9e1687379d169f66096ae85300112e49d9a61c4c05a74f43e769c22f791e', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656ebb1ee38a538295f9eb95947041ada6f73c565a83f1a202d12e7fdfbc45', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO "jobs" VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', X'0106676f6c64656e8767c2609c36874a76b8c5a87a09d9e401d62b10d265ee268619e3c0b9c4', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, X'0106676f6c64656e651e66f818252be002fa811e8be99ab76a8b58598b7693ecfda4e5f24e', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);
INSERT INTO "schedules" VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e48a588d5e96579c12d8a0735d0ecc38b05abefe265459f31bb32c03170e2', 1700000000001, NULL, 0);
INSERT INTO "schedules" VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e3bc74c7f6610d2ec22e2de1bdbceb73a12ce36b52b67e6070792b3cbe820', 1700000000002, NULL, 0);
INSERT INTO "schedules" VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', X'0106676f6c64656e4f70f5725ca17752a2ee987590ef9af28b07bedd9fac031a394bafdf6cb9', 1700000000003, NULL, 0);
INSERT INTO "skills" VALUES ('acme', 'skill1', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('acme', 'skill2', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skills" VALUES ('o''brien \ 🐝', 'skill3', X'2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO "skill_files" VALUES ('acme', 'skill1', 'a/b.md', X'010201');
INSERT INTO "skill_files" VALUES ('acme', 'skill2', 'a/b.md', X'010202');
INSERT INTO "skill_files" VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', X'010203');
INSERT INTO "deliveries" VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', X'0106676f6c64656ebc04f173ab23edbb2778e805bd9a7fee4de925d5f4f60d489decc4a76e79', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO "deliveries" VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', X'0106676f6c64656e9bd08994b07cdc9a1ddac60eb7896507857d5ea0eeab49ae68ae318abe7b', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO "deliveries" VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', X'0106676f6c64656efbfc55c94e8adfd0b39c3c4a48cbc1270efd212ede604eaa5cb0aa077069', 'delivered', 0, NULL, NULL, 1700000000003, 's3');
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
COMMIT;
