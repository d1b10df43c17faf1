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

INSERT INTO golden.approvals VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, '\x0106676f6c64656e347c44ed31bef4af50abde0a35dc69a1bd786037ffae6cb05c582a2f55025ab097393c55fde1a5d2a941ca82feb9ca6b346298f5ef619aaeeb82084c7dc0ea1dee1de02ca4cc44c0cfe80dafb0c3c53a6171da15658ff9', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e720a8908c7ca613a7bb79c2cfc62b00884a826748734c89d22ac974352f8079979be5459deec9dd26cac82058e18', 1700000001001, 'boss1', NULL);
INSERT INTO golden.approvals VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, '\x0106676f6c64656ef7c8a57105161cee7036a1b9c9a6a1a4a8480d16b3785b2f29de0119ac03e62411057cc5291120587a5dc0f00c43eb112bcd843e38855637d72f3f1bd0dc7276548814c5a8f983ae82cc75f71e3cae71c3c8b51c10acab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656ecb994f240f2720b9297e6bc33619d1b7739a5015dacebd60177180bb7bb16207125399c18f68d984f7edf603d365', 1700000001002, 'boss2', NULL);
INSERT INTO golden.approvals VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, '\x0106676f6c64656e0e9bd204585c74df6a2128a7d1d8953223a7a7b3e5ce8e97ba0b9f7708f991bbb035b620c87e83b5b5e94aea8d16db50182ab41c3afc25dd50b3e3ddd7ef5eb7fdcd20766652c17b3f0b3d1807e2692e877d3ed3a2fae4691cb83f55786a0987d829', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e89db8d8393e42e4f2670dd0fbb56cc3918901a7b68f62904df7ed9ff56f286ccb05eb952b3133c0eed840c1dbfb8', 1700000001003, 'boss3', NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.audit VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');


--
-- Data for Name: cache; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache VALUES ('acme', 'key1', '\x0106676f6c64656ed2f784ff833c69306e761ccd4c7f5172e0279204bab56418e5d3b892e8', 1, 1700000000001, 1700000001001);
INSERT INTO golden.cache VALUES ('acme', 'key2', '\x0106676f6c64656e2722578fb6f3fda1479cd59d9f0d16f159d796773625438f69fd86b027', 1, 1700000000002, 1700000001002);
INSERT INTO golden.cache VALUES ('o''brien \ 🐝', 'key3', '\x0106676f6c64656e720ca4546775c265cb246c0c97891e89dcd4b8042b57d8385e20829743', 1, 1700000000003, 1700000001003);


--
-- Data for Name: calls; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.calls VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');


--
-- Data for Name: checkpoints; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.checkpoints VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, '\x0106676f6c64656e989e9952e601774d514a2fa7a7f136951e3e335756c17302f4e65a3d5f0e26a4c70c89fb104304ddda5e92c083a9ffd6062fb348d4889697dde22ab8b82f2be97f18e00eb3013edde3447c216e7cc67041bf38f2ee70e4');
INSERT INTO golden.checkpoints VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, '\x0106676f6c64656e839f5a112bff89191d40d41abf3605e487f3ed8d358a550d98c5ed171d00f955081d3126ddc2991026787fe7eddb6bae930002430810a188497911c6a796f34e8f1d73511e324632241aa6220e2975fe4c1086cfbe7b27');
INSERT INTO golden.checkpoints VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, '\x0106676f6c64656e9e5d9878c3b7016dc8e12322b2426bd18c0cd58d52b639ff4ed30a1f133ac9378adae1a70a3a942a5634026b8a2ab7a4aba4dfde6d516e4103716307b87475bd3b5bed39a97031cebc06ca82ff3f05d6b28953baaee6381b3ed25250475996c28b2f');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.deliveries VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e75b4fd6ff336766627776ded55a5de9b81070ee31b1d21ae06a6c528d53b', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO golden.deliveries VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', '\x0106676f6c64656ecd7d727155808a1bb986c568e9e2408e956e7618205bf43b3da9f3be2085', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO golden.deliveries VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', '\x0106676f6c64656eb5220ea8ca7f3a2c94ee856bb63373672de8f70c529694c1b20c7e6fd356', 'delivered', 0, NULL, NULL, 1700000000003, 's3');


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO golden.erasures VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);


--
-- Data for Name: events; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.events VALUES ('acme', 's1', 1, 1700000000001, 'user', '\x0106676f6c64656e7bd97798e9610c2cac10a4ba38ded04bb5bab482b4598fa226fd9118496778aa96162c9f08f7880f0ff47f1d911ad4e5d55094921a144f3cdcf198c419a3ede55a54b7901b79d6005b611dfab6d00bdbbeed407b0fef49');
INSERT INTO golden.events VALUES ('acme', 's2', 1, 1700000000002, 'user', '\x0106676f6c64656e4c44a03224327dd661c3abca9639ce051de8c956b40fca104d4410c4d9e2e5b221454871c38210f162090c3d8d15f3743a8240284bb8f4c9712243891eed3a47f2cf7d4ba01fa7d1d550b034ea00c7115056c00f33c751');
INSERT INTO golden.events VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', '\x0106676f6c64656e8c986254828b2f3c742044e56cd80edc0a9469c7afc80a7d20e1826a220b1bdf2a7ace0a0f4e46f270578bb727b18cdde4ed3d62b8c5cd122e93336ef5d334ae9083c873dea54966f803993c22a94f4e43660906143af263558c9a7df08da9ca4641');


--
-- Data for Name: facts; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.facts VALUES ('acme', 'u1', 'fact1', '\x0106676f6c64656e1c2c514926fb2cd12ff00638a8d5603c0d5aa1ae68e070c216343ef4851d2983f06b', 1700000000001, 1700000001001);
INSERT INTO golden.facts VALUES ('acme', 'u2', 'fact2', '\x0106676f6c64656e4b63addfae34a4997754f802c9f137397192d5d630382555d3d9c75744da0c840f8b', 1700000000002, 1700000001002);
INSERT INTO golden.facts VALUES ('o''brien \ 🐝', 'u3', 'fact3', '\x0106676f6c64656e4787e3b4530d4c896f106eea7ade0c02a5794d77c081b208e8cd065c466ff8fca3cd', 1700000000003, 1700000001003);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.jobs VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e25c3ff1557b5d267ad9bdf1dea65adc8197c436d06076a23ec54252e97db', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656eed3910078cadf13374ce003139f0b9b2a221f04f7930150bac85101c00', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO golden.jobs VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e0be195ad927d97e715f5f348d2a95df0749a83354c4d1b236eef3be4199f', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e2ac7d1e11da82ffef4e0e8c05ec9efdafe9a6322d8ad54427eb4754921', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO golden.jobs VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', '\x0106676f6c64656ebdc8f4361b3c0c72a528e6b7174d49be945365e56112d0bab2d78fd8938c', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e506e786a2fd1712ada600b1bdfaf208d8d0278b6966a2695ef5925a35d', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);


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

INSERT INTO golden.results VALUES ('acme', 's1', 'r1', 'text/plain', 3, '\x0106676f6c64656ed53227d790d913435c216d766c1cb312a3bf76c13f653895bb6e33a3158ff2', 1700000000001);
INSERT INTO golden.results VALUES ('acme', 's2', 'r2', 'text/plain', 3, '\x0106676f6c64656ef47f9363485e3f8083299e90edd67b4c9bd23751eb47caedbcad14ad0c72c9', 1700000000002);
INSERT INTO golden.results VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, '\x0106676f6c64656e94be0b782dc1ece9e746b4c5ddcf18cee0d28250556e477c0b2355ba1b6a3c', 1700000000003);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.schedules VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656eeafa3542cc049b63a68ae8837d78490fadfcba71b25d8debd2e957930459', 1700000000001, NULL, 0);
INSERT INTO golden.schedules VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e7768aaca37265d1a429eb1eb3d2181226ab8f513e2b76831ff10560b0938', 1700000000002, NULL, 0);
INSERT INTO golden.schedules VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e63854ee176c4140ab4c0d601212e6c7c759850b858577ba68229da7e2ade', 1700000000003, NULL, 0);


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

INSERT INTO golden.store_migrations VALUES ('0001-first', '2026-11-30T19:27:22.292Z');


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


