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

INSERT INTO golden.approvals VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, '\x0106676f6c64656ec268d7f45e7ef0e2051768b1718d8ad748c4afec578281b0f40c25cd2f18172d75d56281f877545205296a6249b37725caa4d24d788bfe46f8082bb8c6e86b2e2880e10fe4c285723b9202297c50f08800e6d64253c180', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e92998c2edfa8d8a6e86f647588864ebeb6fd260f2cfaaf40f01c0f183650b04c47d53d9b69d74100920136acca03', 1700000001001, 'boss1', NULL);
INSERT INTO golden.approvals VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, '\x0106676f6c64656ec440f2ae6cc13e89bdba168a18d3f94f1642cc57f14deeaac000c5ccb73d6c8347c95f10d7bed6a1115a06c492d556051ab623249aa86158238df36a6502a1c169c36bd86b51e12b981fa8be4b799717e28af2ac39f149', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656ef1085eca2d3af7f40509e13290f1415f2c893389d0013ba011ee5217c5aca7f7fb3cddbedb66a31f10444472fe9c', 1700000001002, 'boss2', NULL);
INSERT INTO golden.approvals VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, '\x0106676f6c64656e0114859b3bd5790fd6dc5e04aff9208d13cdf8d1b4ac6b83410ab29c6d2f625178228605e96e7757cca2b359844dd702a3c3f6dd4d9fccbe94a2f9ad51d6ccb77e7d719f3a5399be45fbd40938c1b058094ab79d75f9cb61109ca400b7b71c4804f7', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e02dfffa419a6a1665bfb98e2e4539dfd8e31307054ac5bd12b1a2798b0a5f1b0e8612d9f6bb611bcb62d5b1605ac', 1700000001003, 'boss3', NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.audit VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');


--
-- Data for Name: cache; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache VALUES ('acme', 'key1', '\x0106676f6c64656e17db63d4d0fe1f3d9fdfc0b26ec76d3705e51a57b278d655deeb8bca81', 1, 1700000000001, 1700000001001);
INSERT INTO golden.cache VALUES ('acme', 'key2', '\x0106676f6c64656ef515d96ddce00cbd1ecfd3a5becef4ed9688c1a691f0b2c63803f5a01e', 1, 1700000000002, 1700000001002);
INSERT INTO golden.cache VALUES ('o''brien \ 🐝', 'key3', '\x0106676f6c64656ed24a5943839bf4fdf08ff950bca4715990605812303d89e6ed67c5166e', 1, 1700000000003, 1700000001003);


--
-- Data for Name: calls; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.calls VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');


--
-- Data for Name: checkpoints; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.checkpoints VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, '\x0106676f6c64656e0e7c28dd46d829ba00bc95a135eb712573fd666ee35627208a1808469fda76dced44f34b72355c0691bf87de6fdcf8ff97600310290d534a1d43bda379a55c9c405dc8663f224c8b7a2292a9a47226edac4ffb541abfa4');
INSERT INTO golden.checkpoints VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, '\x0106676f6c64656e9eea3a1bafcff74790cd37cbbfcc5142c947ce4105df9b49135b98059fdedde4bb56942410f6fa78c73491f26b07e3b8739c729c6d5ad8ab6b82f03575544d3a6654620dd441b1456a06b1d86548256bae396c82ee918b');
INSERT INTO golden.checkpoints VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, '\x0106676f6c64656e26c5e55aa6f94949a042302af9e6d2d954c496903158959120d7d1e9bd24591e7cee201292719a9a5092390f9e497da31fefa972b634f4c6554abbc4e27e6207f7ae4f036f8771e0b59f6103cd2cbf605c3a6cf2d2d316935d1bc509d1c4a3088496');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.deliveries VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e3e3e37bdc96f91ade684e0db712ba174a005baf2a2399ec08eee4590cf37', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO golden.deliveries VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e2e9ade4573144abfcc2acdde5050b9482619366c5905c66e2d8ae04d2553', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO golden.deliveries VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e12618535ffd0ab5c391832f92a6d38512d108e27a79987ea85d1c7285c14', 'delivered', 0, NULL, NULL, 1700000000003, 's3');


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO golden.erasures VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);


--
-- Data for Name: events; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.events VALUES ('acme', 's1', 1, 1700000000001, 'user', '\x0106676f6c64656ed10f88ad3dc35a038f04eaf62e13c3aa3ba6d70e9a770972f9460946695b36d5ca8c354758cace1ef02b27f9b6548219774bc150d72431dae2bb0bad3e40e767ebcb8ca0c410f331a03501581635cacb258c6d391b748c');
INSERT INTO golden.events VALUES ('acme', 's2', 1, 1700000000002, 'user', '\x0106676f6c64656e28997fc7de9e68aeeff5d66d58177eb88841dc2ee1edbbe2c745aa82a720b5b224a4ee535adbbd23acb005bf6c591f42313fa44f42e2cc9df14c23384ff27fd2fa1a62b5fbf0e0355db101ab8cb3ea8a68ff7bc87c7ea1');
INSERT INTO golden.events VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', '\x0106676f6c64656e93dfce72ee2376c94963025a854d5bf42901874b82118a7f517826205d183f565700ac80bf3c446270e0d42abb1db956ec7d5172c7153a53b68aaa3be408cfad2f5f97e7147c1096901a3860b26701c955d7f06b7e0fc54ca54ce586819955edf921');


--
-- Data for Name: facts; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.facts VALUES ('acme', 'u1', 'fact1', '\x0106676f6c64656ee316b9a2589da016369ef093f81639bc27fb4a27bedfee90c12e6a643cff4547370b', 1700000000001, 1700000001001);
INSERT INTO golden.facts VALUES ('acme', 'u2', 'fact2', '\x0106676f6c64656e684db0978aa2acc24d99bb47d64680cc1b9e22f3942a878489dcbac9f586c5bcd53e', 1700000000002, 1700000001002);
INSERT INTO golden.facts VALUES ('o''brien \ 🐝', 'u3', 'fact3', '\x0106676f6c64656e507897bc77b141ac5bb586bf48025fb362b056b4f0f322278499dcb6d14cb0911d81', 1700000000003, 1700000001003);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.jobs VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e9409bba4e40e238cc3876ec6cc44d72c4e23ef0e1aa9a5fec508b80e2ad2', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e19e552a17f201a74553f676b4b5ea9d54245f9303a31f6fcae55a6e3fd', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO golden.jobs VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e3c17a2d014742b345322163dd6bdd09f18c0962dd7d08d35cc040418ffc9', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e7f6c2a34b6a84ece79f79e86f699a2e7b9885d1f04f97319608c5f25ea', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO golden.jobs VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', '\x0106676f6c64656e0b09b1cb88dd73dbce5b3c71f61b0c52c5a71483e22dd93efc7115144036', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e0262609aa94ba48ccc451afd788e7b13a59b76ab4f20b40902ba86ca51', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);


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

INSERT INTO golden.results VALUES ('acme', 's1', 'r1', 'text/plain', 3, '\x0106676f6c64656e7094bbd8f8bdf65bd1261d4edfe074a429ae36fe60fdf0d70005a097eff853', 1700000000001);
INSERT INTO golden.results VALUES ('acme', 's2', 'r2', 'text/plain', 3, '\x0106676f6c64656eb77cc89aa75480c9367b3f715b3f9a2f1568729ce5af74a30c43ec5e244e53', 1700000000002);
INSERT INTO golden.results VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, '\x0106676f6c64656e93eb98742c1645b46948fe421d0b9b17f0679a7146db029d86c97d0abcc7c0', 1700000000003);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.schedules VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656ebf81e877df7f02140dca2fc4a267741b388f1651f0c9f60e3b73caf2c240', 1700000000001, NULL, 0);
INSERT INTO golden.schedules VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656edbea59c4cee5268ef6a859218b7982846f46a323c234171bd781096e5e1f', 1700000000002, NULL, 0);
INSERT INTO golden.schedules VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656ebda9f38b07dab270f71c7641ae4e899eba4d0ca648503df56fe9b88ddb7f', 1700000000003, NULL, 0);


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

INSERT INTO golden.store_migrations VALUES ('0001-first', '2026-11-30T19:33:15.419Z');


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
-- Name: calls all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.calls USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: checkpoints all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.checkpoints USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


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
-- Name: results all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.results USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


--
-- Name: schedules all_tenants; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY all_tenants ON golden.schedules USING ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text)) WITH CHECK ((( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'system'::text));


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
-- Name: calls one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.calls USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: checkpoints one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.checkpoints USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


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
-- Name: results one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.results USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


--
-- Name: schedules one_tenant; Type: POLICY; Schema: golden; Owner: -
--

CREATE POLICY one_tenant ON golden.schedules USING (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text))) WITH CHECK (((tenant_id = ( SELECT current_setting('adjutant.tenant'::text, true) AS current_setting)) AND (( SELECT current_setting('adjutant.scope'::text, true) AS current_setting) = 'tenant'::text)));


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


