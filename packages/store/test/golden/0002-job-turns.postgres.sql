--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: golden; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA golden;


--
-- Name: audit_is_only_added(); Type: FUNCTION; Schema: golden; Owner: -
--

CREATE FUNCTION golden.audit_is_only_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.text = '' AND NEW.tenant_id = OLD.tenant_id AND NEW.session_id = OLD.session_id AND NEW.seq = OLD.seq
        AND NEW.previous = OLD.previous AND NEW.hash = OLD.hash AND EXISTS (SELECT 1 FROM erasures WHERE tenant_id = OLD.tenant_id AND subject = 'session' AND subject_id = OLD.session_id AND open = 1) THEN RETURN NEW; END IF;
      IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'audit records stay'; END IF;
      RAISE EXCEPTION 'audit records are only added';
    END $$;


--
-- Name: events_are_only_added(); Type: FUNCTION; Schema: golden; Owner: -
--

CREATE FUNCTION golden.events_are_only_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM erasures WHERE tenant_id = OLD.tenant_id AND subject = 'session' AND subject_id = OLD.session_id AND open = 1) THEN RETURN OLD; END IF;
      IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'events go only when their session is erased'; END IF;
      RAISE EXCEPTION 'events are only added';
    END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: approvals; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.approvals (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    approval_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    batch bigint NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    request bytea NOT NULL,
    arguments_digest text NOT NULL,
    tool_digest text NOT NULL,
    principal_digest text NOT NULL,
    decision bytea,
    decided_at bigint,
    decided_by text,
    consumed_at bigint,
    CONSTRAINT approvals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'edited'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY golden.approvals FORCE ROW LEVEL SECURITY;


--
-- Name: audit; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.audit (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    previous text NOT NULL,
    hash text NOT NULL,
    text text NOT NULL
);

ALTER TABLE ONLY golden.audit FORCE ROW LEVEL SECURITY;


--
-- Name: cache; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.cache (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value bytea NOT NULL,
    bytes bigint NOT NULL,
    stamp bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint
);

ALTER TABLE ONLY golden.cache FORCE ROW LEVEL SECURITY;


--
-- Name: cache_changes; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.cache_changes (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    stamp bigint NOT NULL,
    body bytea NOT NULL
);

ALTER TABLE ONLY golden.cache_changes FORCE ROW LEVEL SECURITY;


--
-- Name: calls; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.calls (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    batch bigint NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    effect text NOT NULL,
    state text NOT NULL,
    attempt bigint NOT NULL,
    idempotency_key text NOT NULL,
    fence bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    outcome text,
    arguments_digest text NOT NULL,
    tool_digest text NOT NULL,
    principal_digest text NOT NULL
);

ALTER TABLE ONLY golden.calls FORCE ROW LEVEL SECURITY;


--
-- Name: checkpoints; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.checkpoints (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    version bigint NOT NULL,
    digest text NOT NULL,
    created_at bigint NOT NULL,
    body bytea NOT NULL
);

ALTER TABLE ONLY golden.checkpoints FORCE ROW LEVEL SECURITY;


--
-- Name: counters; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.counters (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    value bigint NOT NULL
);

ALTER TABLE ONLY golden.counters FORCE ROW LEVEL SECURITY;


--
-- Name: deliveries; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.deliveries (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    target text NOT NULL,
    body bytea NOT NULL,
    state text NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    next_at bigint,
    last_error text,
    created_at bigint NOT NULL,
    session_id text COLLATE pg_catalog."C"
);

ALTER TABLE ONLY golden.deliveries FORCE ROW LEVEL SECURITY;


--
-- Name: erasures; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.erasures (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    reason text NOT NULL,
    open smallint NOT NULL
);

ALTER TABLE ONLY golden.erasures FORCE ROW LEVEL SECURITY;


--
-- Name: events; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.events (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    body bytea NOT NULL
);

ALTER TABLE ONLY golden.events FORCE ROW LEVEL SECURITY;


--
-- Name: facts; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.facts (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value bytea NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint
);

ALTER TABLE ONLY golden.facts FORCE ROW LEVEL SECURITY;


--
-- Name: jobs; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.jobs (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    state text NOT NULL,
    priority bigint DEFAULT 0 NOT NULL,
    group_key text NOT NULL,
    payload bytea NOT NULL,
    run_at bigint NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    max_attempts bigint DEFAULT 1 NOT NULL,
    retry_delay_ms bigint DEFAULT 1000 NOT NULL,
    timeout_ms bigint DEFAULT 3600000 NOT NULL,
    lease_owner text,
    lease_until bigint,
    fence bigint DEFAULT 0 NOT NULL,
    cancelling smallint DEFAULT 0 NOT NULL,
    progress text,
    result bytea,
    error text,
    created_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    idempotency_key text,
    session_id text COLLATE pg_catalog."C",
    call_id text COLLATE pg_catalog."C",
    dead_letter smallint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY golden.jobs FORCE ROW LEVEL SECURITY;


--
-- Name: metering; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.metering (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    session_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    tool text NOT NULL,
    units double precision NOT NULL,
    unit text NOT NULL,
    micro_price bigint NOT NULL,
    call_id text NOT NULL COLLATE pg_catalog."C",
    trace_id text NOT NULL
);

ALTER TABLE ONLY golden.metering FORCE ROW LEVEL SECURITY;


--
-- Name: nodes; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.nodes (
    node_id text NOT NULL COLLATE pg_catalog."C",
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    address text
);


--
-- Name: rates; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.rates (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    taken bigint NOT NULL,
    ends_at bigint NOT NULL
);

ALTER TABLE ONLY golden.rates FORCE ROW LEVEL SECURITY;


--
-- Name: result_pieces; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.result_pieces (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    piece bigint NOT NULL,
    body bytea NOT NULL
);

ALTER TABLE ONLY golden.result_pieces FORCE ROW LEVEL SECURITY;


--
-- Name: results; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.results (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    result_id text NOT NULL COLLATE pg_catalog."C",
    mime text NOT NULL,
    bytes bigint NOT NULL,
    content text NOT NULL COLLATE pg_catalog."C",
    pieces bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    removed text
);

ALTER TABLE ONLY golden.results FORCE ROW LEVEL SECURITY;


--
-- Name: schedules; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.schedules (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    schedule_id text NOT NULL COLLATE pg_catalog."C",
    cron text NOT NULL,
    zone text NOT NULL,
    kind text NOT NULL,
    payload bytea NOT NULL,
    next_at bigint,
    last_at bigint,
    paused smallint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY golden.schedules FORCE ROW LEVEL SECURITY;


--
-- Name: session_secrets; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.session_secrets (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL
);

ALTER TABLE ONLY golden.session_secrets FORCE ROW LEVEL SECURITY;


--
-- Name: sessions; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.sessions (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    principal text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    next_seq bigint DEFAULT 1 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    lease_owner text,
    lease_until bigint,
    trace_id text NOT NULL,
    title text,
    retention_until bigint,
    version bigint DEFAULT 1 NOT NULL
);

ALTER TABLE ONLY golden.sessions FORCE ROW LEVEL SECURITY;


--
-- Name: skill_files; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.skill_files (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    content bytea NOT NULL
);

ALTER TABLE ONLY golden.skill_files FORCE ROW LEVEL SECURITY;


--
-- Name: skills; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.skills (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    text bytea NOT NULL
);

ALTER TABLE ONLY golden.skills FORCE ROW LEVEL SECURITY;


--
-- Name: store_migration_lock; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.store_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);


--
-- Name: store_migrations; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.store_migrations (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);


--
-- Name: store_versions; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.store_versions (
    version bigint NOT NULL,
    name text NOT NULL,
    program text NOT NULL,
    applied_at bigint NOT NULL
);


--
-- Data for Name: approvals; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.approvals VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, '\x0106676f6c64656ecd41d23f2dede9dca3d328a3a916b4171d5a255d5a0ce7c6d9092f239e6bd83353b17c3baef39bc7e5a6134ea6cf5be5618e31e360ff273881d409acce9edaddc7a4db1cc78a4e0192e963cb8d96d30e03d5de5c74c016', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e2797e3b94353c54ff5fb09a577eca01402c279963061a9a92a9eefa65fc4a9d7650537b6be33740d34f3548bfecd', 1700000001001, 'boss1', NULL);
INSERT INTO golden.approvals VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, '\x0106676f6c64656e746bd4822392faa4e5b0d9d978f5662ba07d98abd7a2e4073b518b142fcbeeb826b1a32dd44e476a2789a53fb96e4dd57f54eca6a304ba05d0ab83a00ef4646464c5593e50e99d24ccbee48a6530eab532efdf5eb6e69a', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e82051e3ce0232b0bf51fab1708e048a542d2b89f8388859fb8adc58185f0e10807f2ea0d58a05dd20bc487ca2bae', 1700000001002, 'boss2', NULL);
INSERT INTO golden.approvals VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, '\x0106676f6c64656e281d47ab804293320a486e46bc3ecc5089bf4a8540f06ec7e9cac380b720386a60da3927977a20619953dfa585a59d540abada7a14fa00593e400dbb3aff4cf2d2d21c7e045142f876668e6af4c8149d80ac0106cebc0d9eb7a326a66599604dacc3', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656ea1286aff08baab5b8e4b664e683cd9d312722537a56fea0cf0811f204bbd4cfecdc799f8676885ac517e85c3fb8b', 1700000001003, 'boss3', NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.audit VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');


--
-- Data for Name: cache; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache VALUES ('acme', 'key1', '\x0106676f6c64656ed338dfbacfaa0dfe495f95fd0457f47ac5637ff25d42ee34d5399d0800', 1, 1, 1700000000001, 1700000001001);
INSERT INTO golden.cache VALUES ('acme', 'key2', '\x0106676f6c64656e03cc1b84a87f02a0b52a0b61f09953ae923dc701e9a43c632306d6b2b0', 1, 2, 1700000000002, 1700000001002);
INSERT INTO golden.cache VALUES ('o''brien \ 🐝', 'key3', '\x0106676f6c64656e2b68cfeacb0bc950b562809b88d02ecc23e88b8fbef91070304dbd62a5', 1, 3, 1700000000003, 1700000001003);


--
-- Data for Name: cache_changes; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache_changes VALUES ('acme', 1, '\x0106676f6c64656e117fdddee9f4ff96197aad1325a8b89fb179c94ded7fb11f48dfce33e9d252b5ee974a1356cb87381da8');
INSERT INTO golden.cache_changes VALUES ('acme', 2, '\x0106676f6c64656e8f0ca58b482e3c44ed7404e6a9212d073089fe41548d74fb0ab47e1fa207323d0584fc74544609321ea6');
INSERT INTO golden.cache_changes VALUES ('o''brien \ 🐝', 3, '\x0106676f6c64656e122192025488ac3ab1d483edd68788c8c4e1f5f41bbaaacd258e706406b3604d5bfc29099ea869ac5b15');


--
-- Data for Name: calls; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.calls VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');


--
-- Data for Name: checkpoints; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.checkpoints VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, '\x0106676f6c64656e663204f36e104de854193d5ca2d363a18e2dd0611a9525d743154e2fd07b3770deec83f80531f744457d3e80d753333fc0778b51a1fa39741532babd964884b6032482dc768aabb26729ca4e8a8ea02bdf36d2f57a334b');
INSERT INTO golden.checkpoints VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, '\x0106676f6c64656e4056585b853f5367267fdce053b3bfea0381e7f459a7887f29ae43075318bfcae344e247aadcccd58341ddf577af22a705124bb3b2c2d3a5afef253647c021bd9ea3f53910689556e968cc545d837b97c9e42c5e9dae06');
INSERT INTO golden.checkpoints VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, '\x0106676f6c64656e2c516425bf5b417350822a53dd7c7963c02cdd31612d063d5e95b6aa0855990668614b262ca4b3d8428dad9552e649239ba43210eb8271e4d633ea6800d89e94e078b79ea6b48f91d31a49e2ee7b713521ede8829b15a862d08530d0512085615fc3');


--
-- Data for Name: counters; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.counters VALUES ('acme', 'counter1', 1);
INSERT INTO golden.counters VALUES ('acme', 'counter2', 2);
INSERT INTO golden.counters VALUES ('o''brien \ 🐝', 'counter3', 3);


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.deliveries VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e33537f8eb116052db7c9351eabe0efe188c4b9b8a6041ad3c72d581643db', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO golden.deliveries VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e0ad77bd65ecaa11e73c3041ca3e41751cf1548079e30e6fbc62b25b7039d', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO golden.deliveries VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e7034a8e44d15c7b4e49c161ccceb9add9d8d3c1c065879bf522efad1e94b', 'delivered', 0, NULL, NULL, 1700000000003, 's3');


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO golden.erasures VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);


--
-- Data for Name: events; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.events VALUES ('acme', 's1', 1, 1700000000001, 'user', '\x0106676f6c64656eae327276c4c9e6de70d55167a116faaa909f7ea153ffe6936d556fb106b84c71318a0dd5921451cabaf6d110fe86ebf60ee382f067fb968ec7a0e2bdce00e0630060942eb132cbe81bf3895e132e66a69e769517b387b3');
INSERT INTO golden.events VALUES ('acme', 's2', 1, 1700000000002, 'user', '\x0106676f6c64656ef81a9952567b753a7e9f0059f49d0ad8e6f13b0bbca33351ee03c31c2e4a6572e9c7f3879bf3e2bfca76819d875431e4310f0431902badb0a49dabfa770acba083a2a909cb3b394c19ef6d6469153d95dd96b364c84012');
INSERT INTO golden.events VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', '\x0106676f6c64656e51eed9b13c5a7ed41f39d501e8afb5aaa7037f02f4eb50a2064e1f9adf8c78a16d2b3ea76e34be74e43fa0f79c9ee3619fb7ac24d5d76a21e54b5d6f6c9cef6ad0b31274cd822922ab53bc21cb4d98cc53f0bfe3dc24c9a5b44a39d676890ac59728');


--
-- Data for Name: facts; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.facts VALUES ('acme', 'u1', 'fact1', '\x0106676f6c64656ef3678673cbe309875746fbc42d95dc6121477734b2f6d762e323f6cefc39d58e5f0f', 1700000000001, 1700000001001);
INSERT INTO golden.facts VALUES ('acme', 'u2', 'fact2', '\x0106676f6c64656e060edf6f32938c31c5f49b32baf4f4654723bdf888adb245a647d22a2580ec41356d', 1700000000002, 1700000001002);
INSERT INTO golden.facts VALUES ('o''brien \ 🐝', 'u3', 'fact3', '\x0106676f6c64656e2dd7630f3ab923c55d2ae130237569f9dee34386aa8f9a0bd3029b669a5f69e8b52a', 1700000000003, 1700000001003);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.jobs VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e60d8e5d34cbee19ffe30f02ef712ed7c831c5b578a2cc228a4be73da1804', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656ee04ec43f9283ecbed9b3c88f4c4535147a3810ce4a294b1da60cc710bf', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO golden.jobs VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e56b94924a4ea046af3cf0e3b71c22c6b64ca67bd769f7d6be2acaff1d22e', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e98811a4c12507b4ed1b984bd216fba4040d6def8fd64bb1aa4a7557228', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO golden.jobs VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', '\x0106676f6c64656e0998d0a5a7e6059dbe50d8ffddb9979d9ca8ef4363c726d04cef9ddec0ba', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e091f3acf4fd63068337a73944bb8f917b62f02159db5aa7a6f99c5e460', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);


--
-- Data for Name: metering; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.metering VALUES ('acme', 'm1', 1700000000001, 's1', 'u1', 'web_search', 1.5, 'query', 5000, 'c1', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO golden.metering VALUES ('acme', 'm2', 1700000000002, 's2', 'u2', 'web_search', 1.5, 'query', 5000, 'c2', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');
INSERT INTO golden.metering VALUES ('o''brien \ 🐝', 'm3', 1700000000003, 's3', 'u3', 'web_search', 1.5, 'query', 5000, 'c3', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd');


--
-- Data for Name: nodes; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.nodes VALUES ('host:1', 1, 2, NULL);


--
-- Data for Name: rates; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.rates VALUES ('acme', 'rate1', 1, 1700000001001);
INSERT INTO golden.rates VALUES ('acme', 'rate2', 2, 1700000001002);
INSERT INTO golden.rates VALUES ('o''brien \ 🐝', 'rate3', 3, 1700000001003);


--
-- Data for Name: result_pieces; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.result_pieces VALUES ('acme', 's1', 'k1', 1, '\x0106676f6c64656e32206c471061000ae80960b0a53a212df29c0de9c58e55665426928671efa6');
INSERT INTO golden.result_pieces VALUES ('acme', 's2', 'k2', 1, '\x0106676f6c64656e7b93fa3eaccae73cf6323fef5d2b48c757b0308803bcb3534b3ab7eb492623');
INSERT INTO golden.result_pieces VALUES ('o''brien \ 🐝', 's3', 'k3', 1, '\x0106676f6c64656e039a1a9effe8edc8207158ba62e80c5eb08756419c07d3f5c022c3f9966510');


--
-- Data for Name: results; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.results VALUES ('acme', 's1', 'r1', 'text/plain', 3, 'k1', 1, 1700000000001, NULL, NULL);
INSERT INTO golden.results VALUES ('acme', 's2', 'r2', 'text/plain', 3, 'k2', 1, 1700000000002, NULL, NULL);
INSERT INTO golden.results VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, 'k3', 1, 1700000000003, NULL, NULL);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.schedules VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e8c202d7d8396c3f2f725767097a3cb1740c2e47798e7b61eb59168096b7d', 1700000000001, NULL, 0);
INSERT INTO golden.schedules VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656ece0f2a051fdea2ee66b11ceed8f418dd32a8df72f46e5402c85d95089e33', 1700000000002, NULL, 0);
INSERT INTO golden.schedules VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e81320acd26fbc97bbf800c31471541670fd880f8a7a5d189040860a56a53', 1700000000003, NULL, 0);


--
-- Data for Name: session_secrets; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.session_secrets VALUES ('acme', 's1', '\x0106676f6c64656e3fa45f61d0180c6f0b012852ef4eef458832e89a37a6f09cb322f0365c7a04c5abce24dac3cd7cac6a98d4a50fc001ccde0b45abe2bf9c2e6f6ffa20');
INSERT INTO golden.session_secrets VALUES ('acme', 's2', '\x0106676f6c64656ebd054e4a73caade44c6eae5949fa48d6def0afae87bdfd30d6fca8e795ac7fa2f34019b5b4a766e8c84da4b607e9b4a88313c10dbbd4ec549f8e721b');
INSERT INTO golden.session_secrets VALUES ('o''brien \ 🐝', 's3', '\x0106676f6c64656ee0999849884b65d9c0b6232704036a6558849b71026b3f69a3feecf59c8f52c45add7cfa49638a0ffa547a50813732b981ad1599c5881567e646a7af');


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.sessions VALUES ('acme', 's1', 'u1', '{"tenantId":"acme","userId":"u1","roles":[]}', 'idle', 1700000000001, 1700000000001, 2, 3, 'host:1', 1700000030001, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 1', 1700086400001, 1);
INSERT INTO golden.sessions VALUES ('acme', 's2', 'u2', '{"tenantId":"acme","userId":"u2","roles":[]}', 'idle', 1700000000002, 1700000000002, 2, 3, 'host:1', 1700000030002, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 2', 1700086400002, 1);
INSERT INTO golden.sessions VALUES ('o''brien \ 🐝', 's3', 'u3', '{"tenantId":"o''brien \\ 🐝","userId":"u3","roles":[]}', 'idle', 1700000000003, 1700000000003, 2, 3, 'host:1', 1700000030003, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 'Title 3', 1700086400003, 1);


--
-- Data for Name: skill_files; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.skill_files VALUES ('acme', 'skill1', 'a/b.md', '\x010201');
INSERT INTO golden.skill_files VALUES ('acme', 'skill2', 'a/b.md', '\x010202');
INSERT INTO golden.skill_files VALUES ('o''brien \ 🐝', 'skill3', 'a/b.md', '\x010203');


--
-- Data for Name: skills; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.skills VALUES ('acme', 'skill1', '\x2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO golden.skills VALUES ('acme', 'skill2', '\x2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');
INSERT INTO golden.skills VALUES ('o''brien \ 🐝', 'skill3', '\x2d2d2d0a6e616d653a20736b696c6c0a2d2d2d0a57726974652e');


--
-- Data for Name: store_migration_lock; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: store_migrations; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_migrations VALUES ('0001-first', '2026-11-30T20:03:22.007Z');
INSERT INTO golden.store_migrations VALUES ('0002-job-turns', '2026-11-30T20:03:22.009Z');


--
-- Data for Name: store_versions; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_versions VALUES (1, '0001-first', 'adjutant golden', 1700000000000);
INSERT INTO golden.store_versions VALUES (2, '0002-job-turns', 'adjutant golden', 1700000000000);


--
-- Name: approvals approvals_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (tenant_id, approval_id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, session_id, seq);


--
-- Name: cache_changes cache_changes_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.cache_changes
    ADD CONSTRAINT cache_changes_pkey PRIMARY KEY (tenant_id, stamp);


--
-- Name: cache cache_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.cache
    ADD CONSTRAINT cache_pkey PRIMARY KEY (tenant_id, key);


--
-- Name: calls calls_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (tenant_id, session_id, batch, call_id);


--
-- Name: checkpoints checkpoints_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (tenant_id, session_id, seq);


--
-- Name: counters counters_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (tenant_id, name);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (tenant_id, delivery_id);


--
-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (tenant_id, subject, subject_id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tenant_id, session_id, seq);


--
-- Name: facts facts_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (tenant_id, user_id, key);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (tenant_id, job_id);


--
-- Name: jobs jobs_tenant_id_idempotency_key_key; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.jobs
    ADD CONSTRAINT jobs_tenant_id_idempotency_key_key UNIQUE (tenant_id, idempotency_key);


--
-- Name: metering metering_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.metering
    ADD CONSTRAINT metering_pkey PRIMARY KEY (tenant_id, id);


--
-- Name: nodes nodes_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (node_id);


--
-- Name: rates rates_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.rates
    ADD CONSTRAINT rates_pkey PRIMARY KEY (tenant_id, key);


--
-- Name: result_pieces result_pieces_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.result_pieces
    ADD CONSTRAINT result_pieces_pkey PRIMARY KEY (tenant_id, session_id, content, piece);


--
-- Name: results results_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (tenant_id, session_id, result_id);


--
-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (tenant_id, schedule_id);


--
-- Name: session_secrets session_secrets_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.session_secrets
    ADD CONSTRAINT session_secrets_pkey PRIMARY KEY (tenant_id, session_id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (tenant_id, session_id);


--
-- Name: skill_files skill_files_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.skill_files
    ADD CONSTRAINT skill_files_pkey PRIMARY KEY (tenant_id, key, path);


--
-- Name: skills skills_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.skills
    ADD CONSTRAINT skills_pkey PRIMARY KEY (tenant_id, key);


--
-- Name: store_migration_lock store_migration_lock_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.store_migration_lock
    ADD CONSTRAINT store_migration_lock_pkey PRIMARY KEY (id);


--
-- Name: store_migrations store_migrations_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.store_migrations
    ADD CONSTRAINT store_migrations_pkey PRIMARY KEY (name);


--
-- Name: store_versions store_versions_pkey; Type: CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.store_versions
    ADD CONSTRAINT store_versions_pkey PRIMARY KEY (version);


--
-- Name: approvals_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX approvals_by_expiry ON golden.approvals USING btree (expires_at) WHERE ((state = 'pending'::text) AND (expires_at IS NOT NULL));


--
-- Name: approvals_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX approvals_by_session ON golden.approvals USING btree (tenant_id, session_id, batch, call_id);


--
-- Name: approvals_by_state; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX approvals_by_state ON golden.approvals USING btree (tenant_id, state, created_at, approval_id);


--
-- Name: approvals_overdue; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX approvals_overdue ON golden.approvals USING btree (tenant_id, expires_at) WHERE ((state = 'pending'::text) AND (expires_at IS NOT NULL));


--
-- Name: cache_by_age; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX cache_by_age ON golden.cache USING btree (tenant_id, created_at);


--
-- Name: cache_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX cache_by_expiry ON golden.cache USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: calls_by_state; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX calls_by_state ON golden.calls USING btree (tenant_id, session_id, state);


--
-- Name: deliveries_by_age; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX deliveries_by_age ON golden.deliveries USING btree (created_at) WHERE (state <> 'pending'::text);


--
-- Name: deliveries_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX deliveries_by_session ON golden.deliveries USING btree (tenant_id, session_id);


--
-- Name: deliveries_next; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX deliveries_next ON golden.deliveries USING btree (next_at) WHERE (state = 'pending'::text);


--
-- Name: erasures_open; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX erasures_open ON golden.erasures USING btree (at) WHERE ((subject = 'session'::text) AND (open = 1));


--
-- Name: facts_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX facts_by_expiry ON golden.facts USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: jobs_by_creation; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_creation ON golden.jobs USING btree (tenant_id, created_at, job_id);


--
-- Name: jobs_by_end; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_end ON golden.jobs USING btree (ended_at) WHERE (ended_at IS NOT NULL);


--
-- Name: jobs_by_lease; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_lease ON golden.jobs USING btree (lease_until) WHERE (state = 'running'::text);


--
-- Name: jobs_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_session ON golden.jobs USING btree (tenant_id, session_id);


--
-- Name: jobs_in_turn; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_in_turn ON golden.jobs USING btree (kind, tenant_id, group_key, priority DESC, run_at, created_at, job_id) WHERE (state = 'queued'::text);


--
-- Name: jobs_ready; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_ready ON golden.jobs USING btree (kind, run_at) WHERE (state = 'queued'::text);


--
-- Name: metering_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX metering_by_session ON golden.metering USING btree (tenant_id, session_id);


--
-- Name: metering_by_time; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX metering_by_time ON golden.metering USING btree (tenant_id, at);


--
-- Name: nodes_by_sign; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX nodes_by_sign ON golden.nodes USING btree (seen_at);


--
-- Name: rates_by_end; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX rates_by_end ON golden.rates USING btree (ends_at);


--
-- Name: results_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX results_by_expiry ON golden.results USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: schedules_next; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX schedules_next ON golden.schedules USING btree (next_at) WHERE (paused = 0);


--
-- Name: sessions_by_change; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX sessions_by_change ON golden.sessions USING btree (tenant_id, updated_at, session_id);


--
-- Name: sessions_by_lease; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX sessions_by_lease ON golden.sessions USING btree (lease_until) WHERE (lease_until IS NOT NULL);


--
-- Name: sessions_by_retention; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX sessions_by_retention ON golden.sessions USING btree (retention_until) WHERE (retention_until IS NOT NULL);


--
-- Name: sessions_by_user; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX sessions_by_user ON golden.sessions USING btree (tenant_id, user_id, updated_at);


--
-- Name: audit audit_only_added; Type: TRIGGER; Schema: golden; Owner: -
--

CREATE TRIGGER audit_only_added BEFORE DELETE OR UPDATE ON golden.audit FOR EACH ROW EXECUTE FUNCTION golden.audit_is_only_added();


--
-- Name: events events_only_added; Type: TRIGGER; Schema: golden; Owner: -
--

CREATE TRIGGER events_only_added BEFORE DELETE OR UPDATE ON golden.events FOR EACH ROW EXECUTE FUNCTION golden.events_are_only_added();


--
-- Name: approvals approvals_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.approvals
    ADD CONSTRAINT approvals_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: calls calls_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.calls
    ADD CONSTRAINT calls_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: checkpoints checkpoints_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.checkpoints
    ADD CONSTRAINT checkpoints_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: events events_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.events
    ADD CONSTRAINT events_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: result_pieces result_pieces_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.result_pieces
    ADD CONSTRAINT result_pieces_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: results results_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.results
    ADD CONSTRAINT results_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: session_secrets session_secrets_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.session_secrets
    ADD CONSTRAINT session_secrets_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: skill_files skill_files_tenant_id_key_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.skill_files
    ADD CONSTRAINT skill_files_tenant_id_key_fkey FOREIGN KEY (tenant_id, key) REFERENCES golden.skills(tenant_id, key) ON DELETE CASCADE;


--
-- Name: approvals all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.approvals USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: audit all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.audit USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: cache all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.cache USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: cache_changes all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.cache_changes USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: calls all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.calls USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: checkpoints all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.checkpoints USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: counters all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.counters USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: deliveries all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.deliveries USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: erasures all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.erasures USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: events all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.events USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: facts all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.facts USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: jobs all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.jobs USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: metering all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.metering USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: rates all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.rates USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: result_pieces all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.result_pieces USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: results all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.results USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: schedules all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.schedules USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: session_secrets all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.session_secrets USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: sessions all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.sessions USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: skill_files all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.skill_files USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: skills all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.skills USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: approvals; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.approvals ENABLE ROW LEVEL SECURITY;

--
-- Name: audit; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.audit ENABLE ROW LEVEL SECURITY;

--
-- Name: cache; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.cache ENABLE ROW LEVEL SECURITY;

--
-- Name: cache_changes; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.cache_changes ENABLE ROW LEVEL SECURITY;

--
-- Name: calls; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.calls ENABLE ROW LEVEL SECURITY;

--
-- Name: checkpoints; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.checkpoints ENABLE ROW LEVEL SECURITY;

--
-- Name: counters; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.counters ENABLE ROW LEVEL SECURITY;

--
-- Name: deliveries; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: erasures; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.erasures ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.events ENABLE ROW LEVEL SECURITY;

--
-- Name: facts; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.facts ENABLE ROW LEVEL SECURITY;

--
-- Name: jobs; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.jobs ENABLE ROW LEVEL SECURITY;

--
-- Name: metering; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.metering ENABLE ROW LEVEL SECURITY;

--
-- Name: approvals one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.approvals USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: audit one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.audit USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: cache one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.cache USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: cache_changes one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.cache_changes USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: calls one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.calls USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: checkpoints one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.checkpoints USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: counters one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.counters USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: deliveries one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.deliveries USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: erasures one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.erasures USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: events one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.events USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: facts one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.facts USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: jobs one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.jobs USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: metering one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.metering USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: rates one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.rates USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: result_pieces one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.result_pieces USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: results one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.results USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: schedules one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.schedules USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: session_secrets one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.session_secrets USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: sessions one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.sessions USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: skill_files one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.skill_files USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: skills one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.skills USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: rates; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.rates ENABLE ROW LEVEL SECURITY;

--
-- Name: result_pieces; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.result_pieces ENABLE ROW LEVEL SECURITY;

--
-- Name: results; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.results ENABLE ROW LEVEL SECURITY;

--
-- Name: schedules; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: session_secrets; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.session_secrets ENABLE ROW LEVEL SECURITY;

--
-- Name: sessions; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.sessions ENABLE ROW LEVEL SECURITY;

--
-- Name: skill_files; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.skill_files ENABLE ROW LEVEL SECURITY;

--
-- Name: skills; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.skills ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA golden; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA golden TO golden_app;


--
-- Name: TABLE approvals; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.approvals TO golden_app;


--
-- Name: TABLE audit; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.audit TO golden_app;


--
-- Name: TABLE cache; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.cache TO golden_app;


--
-- Name: TABLE cache_changes; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.cache_changes TO golden_app;


--
-- Name: TABLE calls; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.calls TO golden_app;


--
-- Name: TABLE checkpoints; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.checkpoints TO golden_app;


--
-- Name: TABLE counters; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.counters TO golden_app;


--
-- Name: TABLE deliveries; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.deliveries TO golden_app;


--
-- Name: TABLE erasures; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.erasures TO golden_app;


--
-- Name: TABLE events; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.events TO golden_app;


--
-- Name: TABLE facts; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.facts TO golden_app;


--
-- Name: TABLE jobs; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.jobs TO golden_app;


--
-- Name: TABLE metering; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.metering TO golden_app;


--
-- Name: TABLE nodes; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.nodes TO golden_app;


--
-- Name: TABLE rates; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.rates TO golden_app;


--
-- Name: TABLE result_pieces; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.result_pieces TO golden_app;


--
-- Name: TABLE results; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.results TO golden_app;


--
-- Name: TABLE schedules; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.schedules TO golden_app;


--
-- Name: TABLE session_secrets; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.session_secrets TO golden_app;


--
-- Name: TABLE sessions; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.sessions TO golden_app;


--
-- Name: TABLE skill_files; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.skill_files TO golden_app;


--
-- Name: TABLE skills; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.skills TO golden_app;


--
-- Name: TABLE store_migration_lock; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT ON TABLE golden.store_migration_lock TO golden_app;


--
-- Name: TABLE store_migrations; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT ON TABLE golden.store_migrations TO golden_app;


--
-- Name: TABLE store_versions; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT ON TABLE golden.store_versions TO golden_app;


--
-- PostgreSQL database dump complete
--


