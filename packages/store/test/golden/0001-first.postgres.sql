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
    created_at bigint NOT NULL,
    expires_at bigint
);

ALTER TABLE ONLY golden.cache FORCE ROW LEVEL SECURITY;


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
-- Name: results; Type: TABLE; Schema: golden; Owner: -
--

CREATE TABLE golden.results (
    tenant_id text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    result_id text NOT NULL COLLATE pg_catalog."C",
    mime text NOT NULL,
    bytes bigint NOT NULL,
    body bytea NOT NULL,
    created_at bigint NOT NULL
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
    text text NOT NULL
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

INSERT INTO golden.approvals VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, '\x0106676f6c64656e4792fc6501a48f6c57e1700059dc406bb2c886090ee0e5c5ead3726a443c0617de8580a73bcda4151e9da5e591d9f4a638e5c5cc22b081c290c9ff412c1bed0ce1fe6fe72e1316a4d9c6773caefa97c0f52d6d9baf2608', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e91fce52e5b1ac7bf8dbddf348c93a3ff83f56cc9a095280a9dcad983f32f993afd4c9241e9166d9be6c6f143daf0', 1700000001001, 'boss1', NULL);
INSERT INTO golden.approvals VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, '\x0106676f6c64656e716121e300b6a374453c31ab6f3e978257cc18d0340434f6319c9e32a2d8f9afb47c9fda7a1709ed94aa4bbe75e495600d41e95688cbb0f31583094be43a6c00f0ff662c154278f25eb5aa4febeee4ed7a3627d9ae1e1f', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656ecde303594c2aa660ebdc8c7aed7bbc2ec913933915670dd6d7f9727497f64ed7fb0ce24f9898395b594618502787', 1700000001002, 'boss2', NULL);
INSERT INTO golden.approvals VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, '\x0106676f6c64656e6efa707d6b0a2d7e5594ee99e0c6f7935443c4df2188e40ec30ac5c52a5842da3a9b059e61c4b30e14fc176715f611d7683fa340a014a83febb6b009bf2e07ab95cfb75f0187bdf8548093ea817a74408704646fc958674d4370c5fd487811e00c82', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656ef50ba46881cb863d2bccb90af29351fc27862d9f9d3af81b3b39d9c9cf7ccafc06f4d832dc85aa1d7f86c377735d', 1700000001003, 'boss3', NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.audit VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');


--
-- Data for Name: cache; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache VALUES ('acme', 'key1', '\x0106676f6c64656e9c2f82ea210b88d5c9fe8065e8f9b323cbee613e479d72363a82fe43b5', 1, 1700000000001, 1700000001001);
INSERT INTO golden.cache VALUES ('acme', 'key2', '\x0106676f6c64656ed86bdbe3db28f63a7d7c515fa4a198288767fd767667155f5aecc5aa10', 1, 1700000000002, 1700000001002);
INSERT INTO golden.cache VALUES ('o''brien \ 🐝', 'key3', '\x0106676f6c64656e6f1076e4ef7c55c6333233ea59233a2e5bad08fe17629cc2ad5727f163', 1, 1700000000003, 1700000001003);


--
-- Data for Name: calls; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.calls VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');


--
-- Data for Name: checkpoints; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.checkpoints VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, '\x0106676f6c64656e5523219f98286551f406487c143ba9f626e6b2f42c206b139c60a29776520bd6cb62c71210f010c245ea8136e4e07baca20b50b491e388e969655c22609846b5537991e64c832e3e8fa940b35ac6fe649291545fd9d05c');
INSERT INTO golden.checkpoints VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, '\x0106676f6c64656ed25db6efb8ffea6498de31552668771152631a1025837c4567f85a91be7600694cbad3b25a6bec51735eb836316b8c7c0d5b078297a928e7084ac7c32c19b54e31c3226f13bb78d18f80d118e3287db9cd1796b8f3a011');
INSERT INTO golden.checkpoints VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, '\x0106676f6c64656ea1f267c64b3c7be266207ddc97ba29303a046a3cda6eccf9c2745627736e1b2cd34778d963019af41278a08e91b09bccc83669268afae5a42dd09524f8fdfe7367e7b7dc8ded90873e8ab050548474288058057be3b801118674a97fb8424bacb259');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.deliveries VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', '\x0106676f6c64656ef87667d8539f304945e4196590d4eddb8bd7f5e51218116f405cc0cc3e37', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO golden.deliveries VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', '\x0106676f6c64656efce63e02f65656252cfa46b63bb30563a23b5787d74b2ef5b34572bcd8d8', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO golden.deliveries VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', '\x0106676f6c64656ed68721a578e976db884083e5998df8b2418f0d2659e4d308edf445931f96', 'delivered', 0, NULL, NULL, 1700000000003, 's3');


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO golden.erasures VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);


--
-- Data for Name: events; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.events VALUES ('acme', 's1', 1, 1700000000001, 'user', '\x0106676f6c64656ecfc73195e0cd14729aa35904ddb0aa9d9c3d2a3d62bf40fbed8de6395e607b6e8468dccd2116700c04e375c635dc92b2230b181a2b8a0a94368e972403a9572fb4aedec1854c30e636bd7b0a6eb0386a3a7e622d50296c');
INSERT INTO golden.events VALUES ('acme', 's2', 1, 1700000000002, 'user', '\x0106676f6c64656e801da9fba6507879995bf78bcd5c0c8e708a1201b07270e97be791f74e566595d315ae39087290d77b92498f709ce18e91d0edb823bbc80badef34e0b7c5e566f20e340cf5a85a10f5af674f6687e84e1781b55e63b1c7');
INSERT INTO golden.events VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', '\x0106676f6c64656e6010c836a5654643b15a62132674fa91574b933ee1020eefe6d272fce95f509ce3d660396c1ce074409836c74779052f4688841641b1889210d4c090fba0e0c02917d2fefa5bee89c3f73737fb60825ca33773c0037feb58e94a0307e6b7ddd1effb');


--
-- Data for Name: facts; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.facts VALUES ('acme', 'u1', 'fact1', '\x0106676f6c64656e5719c7bacc25e11bbccb68584f18f590f83d5e4cd40ec972a99f8f1a76d2b229c40e', 1700000000001, 1700000001001);
INSERT INTO golden.facts VALUES ('acme', 'u2', 'fact2', '\x0106676f6c64656e907f460c3fb3268d2564e4e4ed16bea66221f3539cbadf5996f1654ab31a4f70df1c', 1700000000002, 1700000001002);
INSERT INTO golden.facts VALUES ('o''brien \ 🐝', 'u3', 'fact3', '\x0106676f6c64656e3a8154703bb0546e9b843f251fad7ced7e23289f9bfced6e4f0fb7fbfecef8e9d1cd', 1700000000003, 1700000001003);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.jobs VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e9dfdd63fe0e0f8e15e3285a90445fb3126c9815ea6a618d78ea65b5cfacd', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656ef6845aa1aeaa45faa30fb4f5b0ee5ef3efbd400f7023954a628632c6d1', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO golden.jobs VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e57e8caa043d8840de107f2384d9aaef13809e3202f92166729b97e7151b5', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e928ce2bc2b49372e393b557af784058fac7c49b216da93c8e4ec393972', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO golden.jobs VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', '\x0106676f6c64656e4d3412a4541c35c9d2feb2e7ce4b41ac27db3284f4d5aabaeb4876c1aa78', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e20663ff9250805d9e364e9df4b13dce9e9f9db6c56fbf8d6feb891ce6b', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);


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
-- Data for Name: results; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.results VALUES ('acme', 's1', 'r1', 'text/plain', 3, '\x0106676f6c64656edc0b28290d77915a027d62f17d7fa429065326c0880db9c8ef7ba8f90b6119', 1700000000001);
INSERT INTO golden.results VALUES ('acme', 's2', 'r2', 'text/plain', 3, '\x0106676f6c64656ea5a2c5f91f9c59f9cd6aa07707c35f937cf6c58a8ae7b4fb2253662044c22e', 1700000000002);
INSERT INTO golden.results VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, '\x0106676f6c64656e98a00be28884da6fe1280cc70cb5c0c94cca071d3a13d51e5c25e780053611', 1700000000003);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.schedules VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656edee28ea0556be2930f4f417a95d2b76edfcfe01165977ae74db24b22ce38', 1700000000001, NULL, 0);
INSERT INTO golden.schedules VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656ed88446c6d67523d81e056b8cac764929c9d74f8edb9b436756f3ed8be459', 1700000000002, NULL, 0);
INSERT INTO golden.schedules VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e35738902595cb3cac41f64c86909ab7ed83bc6fcf1fa86976fa560708c03', 1700000000003, NULL, 0);


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

INSERT INTO golden.skills VALUES ('acme', 'skill1', '---
name: skill
---
Write.');
INSERT INTO golden.skills VALUES ('acme', 'skill2', '---
name: skill
---
Write.');
INSERT INTO golden.skills VALUES ('o''brien \ 🐝', 'skill3', '---
name: skill
---
Write.');


--
-- Data for Name: store_migration_lock; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_migration_lock VALUES ('migration_lock', 0);


--
-- Data for Name: store_migrations; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_migrations VALUES ('0001-first', '2026-11-30T19:20:44.780Z');


--
-- Data for Name: store_versions; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.store_versions VALUES (1, '0001-first', 'adjutant golden', 1700000000000);


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
-- Name: cache_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX cache_by_expiry ON golden.cache USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: calls_by_state; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX calls_by_state ON golden.calls USING btree (tenant_id, session_id, state);


--
-- Name: deliveries_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX deliveries_by_session ON golden.deliveries USING btree (tenant_id, session_id);


--
-- Name: deliveries_next; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX deliveries_next ON golden.deliveries USING btree (next_at) WHERE (state = 'pending'::text);


--
-- Name: facts_by_expiry; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX facts_by_expiry ON golden.facts USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: jobs_by_creation; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_creation ON golden.jobs USING btree (tenant_id, created_at, job_id);


--
-- Name: jobs_by_lease; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_lease ON golden.jobs USING btree (lease_until) WHERE (state = 'running'::text);


--
-- Name: jobs_by_session; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX jobs_by_session ON golden.jobs USING btree (tenant_id, session_id);


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
-- Name: results results_tenant_id_session_id_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.results
    ADD CONSTRAINT results_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES golden.sessions(tenant_id, session_id);


--
-- Name: skill_files skill_files_tenant_id_key_fkey; Type: FK CONSTRAINT; Schema: golden; Owner: -
--

ALTER TABLE ONLY golden.skill_files
    ADD CONSTRAINT skill_files_tenant_id_key_fkey FOREIGN KEY (tenant_id, key) REFERENCES golden.skills(tenant_id, key) ON DELETE CASCADE;


--
-- Name: approvals all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.approvals USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: audit all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.audit USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: cache all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.cache USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: calls all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.calls USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: checkpoints all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.checkpoints USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: deliveries all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.deliveries USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: erasures all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.erasures USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: events all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.events USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: facts all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.facts USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: jobs all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.jobs USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: metering all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.metering USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: results all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.results USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: schedules all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.schedules USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: sessions all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.sessions USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: skill_files all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.skill_files USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


--
-- Name: skills all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.skills USING ((current_setting('adjutant.scope'::text, true) = 'system'::text)) WITH CHECK ((current_setting('adjutant.scope'::text, true) = 'system'::text));


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
-- Name: calls; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.calls ENABLE ROW LEVEL SECURITY;

--
-- Name: checkpoints; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.checkpoints ENABLE ROW LEVEL SECURITY;

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

CREATE POLICY one_tenant ON golden.approvals USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: audit one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.audit USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: cache one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.cache USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: calls one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.calls USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: checkpoints one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.checkpoints USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: deliveries one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.deliveries USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: erasures one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.erasures USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: events one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.events USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: facts one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.facts USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: jobs one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.jobs USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: metering one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.metering USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: results one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.results USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: schedules one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.schedules USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: sessions one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.sessions USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: skill_files one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.skill_files USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: skills one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.skills USING (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text))) WITH CHECK (((tenant_id = current_setting('adjutant.tenant'::text, true)) AND (current_setting('adjutant.scope'::text, true) = 'tenant'::text)));


--
-- Name: results; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.results ENABLE ROW LEVEL SECURITY;

--
-- Name: schedules; Type: ROW SECURITY; Schema: golden; Owner: -
--

ALTER TABLE golden.schedules ENABLE ROW LEVEL SECURITY;

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
-- Name: TABLE calls; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.calls TO golden_app;


--
-- Name: TABLE checkpoints; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.checkpoints TO golden_app;


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
-- Name: TABLE results; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.results TO golden_app;


--
-- Name: TABLE schedules; Type: ACL; Schema: golden; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE golden.schedules TO golden_app;


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


