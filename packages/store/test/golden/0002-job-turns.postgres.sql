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

INSERT INTO golden.approvals VALUES ('acme', 'a1', 's1', 1, 'c1', 'approved', 2, 1700000000001, 1700000060001, '\x0106676f6c64656ef674053a2baaa6bedbd0fe6dec27c8d3ff37a86632a4ad416256f1adea863055066477e1795f33ac6e1940fe60a34645f27c1b95f1c32e91311a0f7af5fde113d9cf702fa0502e7af1122d577ea2119012bb1282aa0bce', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e91184c4039d2b9f00388912ca46ee519052482fb2e8f3b150c1a7939933184bc63a4876206b6f37da3afda7153b3', 1700000001001, 'boss1', NULL);
INSERT INTO golden.approvals VALUES ('acme', 'a2', 's2', 1, 'c2', 'approved', 2, 1700000000002, 1700000060002, '\x0106676f6c64656ec9a217b295544b79d35a999c3e5f92e1e42db6a6b2c27014f524fe1311eb981c4e5de8844a8e5daae9736e35b5580612781435035851f0f0616c225ef200017de082562d4900e793b19bc08bd14bb3b9e400eeecd634ea', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e4e3dc25268b2ca92f4f8dddcd4895a83b2e7780d5a709f346715297cd6d57df70e2d9d745ec09e411e09014fbabf', 1700000001002, 'boss2', NULL);
INSERT INTO golden.approvals VALUES ('o''brien \ 🐝', 'a3', 's3', 1, 'c3', 'approved', 2, 1700000000003, 1700000060003, '\x0106676f6c64656e2be8eb24496537da6948a023c56603084705aabf572eac6899277f94542a8746d0d5c9ba7e57e98aaa17854d532406f7c6660c9b32da71019f81b5c0c79d19ff0c53898c242ad860472d5a69ee1b8735f5a33c64741503a7724c76bcea271cc0edb4', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', '\x0106676f6c64656e980362610e0fcec9d2591384394789ee83ec301a6715ec79125aeebda1e313c85de78d65f0a0edb711ff9eb32212', 1700000001003, 'boss3', NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.audit VALUES ('acme', 's1', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('acme', 's2', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');
INSERT INTO golden.audit VALUES ('o''brien \ 🐝', 's3', 1, 'sha256:0000000000000000000000000000000000000000000000000000000000000000', 'sha256:abababababababababababababababababababababababababababababababab', '{"type":"opened"}');


--
-- Data for Name: cache; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.cache VALUES ('acme', 'key1', '\x0106676f6c64656eb2744fd44f2325a64d0a284ee757daf725f7534ea38207ade268c22c26', 1, 1700000000001, 1700000001001);
INSERT INTO golden.cache VALUES ('acme', 'key2', '\x0106676f6c64656e888bbcf55b8d3960d41fc4a416b269a0f650dd8774fe6b81002ee45cd3', 1, 1700000000002, 1700000001002);
INSERT INTO golden.cache VALUES ('o''brien \ 🐝', 'key3', '\x0106676f6c64656e8417540395e3009490b7e9b7fc2bd83b6b1cd84f304fab5dbb229a3656', 1, 1700000000003, 1700000001003);


--
-- Data for Name: calls; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.calls VALUES ('acme', 's1', 1, 'c1', 'write_file', 'write', 'succeeded', 1, 'k1', 3, 1700000000001, 1700000000006, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('acme', 's2', 1, 'c2', 'write_file', 'write', 'succeeded', 1, 'k2', 3, 1700000000002, 1700000000007, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');
INSERT INTO golden.calls VALUES ('o''brien \ 🐝', 's3', 1, 'c3', 'write_file', 'write', 'succeeded', 1, 'k3', 3, 1700000000003, 1700000000008, 'ok', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab', 'sha256:abababababababababababababababababababababababababababababababab');


--
-- Data for Name: checkpoints; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.checkpoints VALUES ('acme', 's1', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000001, '\x0106676f6c64656edd718d7406f071138bae0923d48f33c478df9fe077775fd7c4929a23b4b8c88f635d2a871d201576d06f2cfc5582152b2d6d23709fb04f4fee4c7e80088ac7a384373beb8c068dd5008a40922e7442430d6ced06669502');
INSERT INTO golden.checkpoints VALUES ('acme', 's2', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000002, '\x0106676f6c64656e79571a85169d5c215552f107e4e145c853b5f3a21b6ceee824d6d4ab205e62e9c4b0a645254220bfc36e74c9180f086c0862f7d85f2f35264902b50b70498d093b8888f3e99a9fbeeee59d8f15e130682e2a3292199758');
INSERT INTO golden.checkpoints VALUES ('o''brien \ 🐝', 's3', 1, 1, 'sha256:abababababababababababababababababababababababababababababababab', 1700000000003, '\x0106676f6c64656e142716a7a70355f2b2e35861684bafd8ee121128971c22d8e50bd45d18c31e9e36b6030ec0b5eeee04c2d2f6411bc62949a5b3fc37c8179c80da7376dde8c02673482344dd11843d8e254aa693399eea53eb40b07bd299de50fca0be9be8cfa22121');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.deliveries VALUES ('acme', 'l1', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e81db79b67182d61eff9c9d741e98d023ff9485a681ad8cbbdd7e22a293b0', 'delivered', 0, NULL, NULL, 1700000000001, 's1');
INSERT INTO golden.deliveries VALUES ('acme', 'l2', 'webhook', 'https://example.com/hook', '\x0106676f6c64656ea83b5ebf9f48e21fe4d94c8ca6d8d8971703149b09b4c84f10f2858ba5e7', 'delivered', 0, NULL, NULL, 1700000000002, 's2');
INSERT INTO golden.deliveries VALUES ('o''brien \ 🐝', 'l3', 'webhook', 'https://example.com/hook', '\x0106676f6c64656e8818554e7dbe0dd16aa05c1b0e54c5c5a0beb26b16cb724ee9c67bc641fb', 'delivered', 0, NULL, NULL, 1700000000003, 's3');


--
-- Data for Name: erasures; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone1', 1700000000001, 'asked', 0);
INSERT INTO golden.erasures VALUES ('acme', 'session', 'gone2', 1700000000002, 'asked', 0);
INSERT INTO golden.erasures VALUES ('o''brien \ 🐝', 'session', 'gone3', 1700000000003, 'asked', 0);


--
-- Data for Name: events; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.events VALUES ('acme', 's1', 1, 1700000000001, 'user', '\x0106676f6c64656e9136f1d01b7ec2a1ce6f2f36ff558138e84a6e19f921b5eb51d8b355a2c5a565d020a969a1a584096893dc2701cb6c07a0d30c2988091595c5de8bbcd0242b91c914663840087a94286a864994a61b8b562079d8b4896d');
INSERT INTO golden.events VALUES ('acme', 's2', 1, 1700000000002, 'user', '\x0106676f6c64656eee611c1d1f6c360d74cefa9ab8715cf5ead8bb920023a99542a6f4cc3e82506c00fc28958aa81fcdf1798dbd2e2a718555b1eb02aa9854c18044c24bc3bf81f8e1bf2cd646f2eba9e57d0222bb9e36f74b416bbc1c4157');
INSERT INTO golden.events VALUES ('o''brien \ 🐝', 's3', 1, 1700000000003, 'user', '\x0106676f6c64656eb7f9cf96361d4e6247e98b0424e89c5523d854cebe08c514fb4ecb465806f83b680e5bd1353fd34e43ff6c8d6102f414457e8190563c4d056b11bde5345635d71efc85a87923b9799bf542331c36c4b44a4fd6e008ada521b5d0b5a034215fcfd146');


--
-- Data for Name: facts; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.facts VALUES ('acme', 'u1', 'fact1', '\x0106676f6c64656e654ba989eb6a847b1f687348715e38edf5952ccadab18770bc65a6295cb0d284de64', 1700000000001, 1700000001001);
INSERT INTO golden.facts VALUES ('acme', 'u2', 'fact2', '\x0106676f6c64656ec9be6a1fbf778bd32ef5bc45025f5efe8d8c42e465323d15ef7bf1a06ccd86b35058', 1700000000002, 1700000001002);
INSERT INTO golden.facts VALUES ('o''brien \ 🐝', 'u3', 'fact3', '\x0106676f6c64656e718ba5dc5b9832ec8f04d2ea88465cd7f6444795c6ce8032711c1ff1e47edea98214', 1700000000003, 1700000001003);


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.jobs VALUES ('acme', 'j1', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656e06c68282752032d087e4271b7eca84b73359077953d39285296e16191411', 1700000000001, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e8d8464758928974b9ff1f664aea7c32d26d36d20c810e07f8970a85f6c', NULL, 1700000000001, 1700000000001, 1700000000010, 'key1', 's1', 'c1', 0);
INSERT INTO golden.jobs VALUES ('acme', 'j2', 'tool', 'succeeded', 0, 'acme', '\x0106676f6c64656ea83258a7c89eff0e15a24ddfa82a76c85bdf8c6fafc752c9c3108bc3a548', 1700000000002, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656e62803b60c01e84b51077d78c4d009b3546ce6e2a779c767bcfd52901dc', NULL, 1700000000002, 1700000000002, 1700000000011, 'key2', 's2', 'c2', 0);
INSERT INTO golden.jobs VALUES ('o''brien \ 🐝', 'j3', 'tool', 'succeeded', 0, 'o''brien \ 🐝', '\x0106676f6c64656ed226a6d8fca66d25b60ba5831b5512f61cc0e8042d397dc318f8a3974423', 1700000000003, 1, 1, 1000, 3600000, NULL, NULL, 0, 0, NULL, '\x0106676f6c64656edce9a8d79ca748fbe4afeac81d618435c46fac2592478222e62958ed88', NULL, 1700000000003, 1700000000003, 1700000000012, 'key3', 's3', 'c3', 0);


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

INSERT INTO golden.results VALUES ('acme', 's1', 'r1', 'text/plain', 3, '\x0106676f6c64656ebd27a355b27901ecad750843156842e8b53b32a6da2833dd3bc6bb2769ca46', 1700000000001);
INSERT INTO golden.results VALUES ('acme', 's2', 'r2', 'text/plain', 3, '\x0106676f6c64656e6f2b4c73e50c2c91e49648280a1df94a270729e8a1d1660d171893565a3374', 1700000000002);
INSERT INTO golden.results VALUES ('o''brien \ 🐝', 's3', 'r3', 'text/plain', 3, '\x0106676f6c64656eb70e8b358438c6e535f7ee64e0974ee69a661ba821e40a8bf91e7d8dc48f37', 1700000000003);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: golden; Owner: -
--

INSERT INTO golden.schedules VALUES ('acme', 'd1', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e7946f0c414e0d90d8c490fecea842803f1c01b741042227a00d29c19c93c', 1700000000001, NULL, 0);
INSERT INTO golden.schedules VALUES ('acme', 'd2', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e90f6888b1f83fa98a51d5387556a448e0a374ba28bda2a3540a05a7b10ec', 1700000000002, NULL, 0);
INSERT INTO golden.schedules VALUES ('o''brien \ 🐝', 'd3', '0 9 * * 1', 'Europe/Berlin', 'tool', '\x0106676f6c64656e6d5d8e6f0ae12bffcc0757b022b05833f60679c2e660184065f94bfc7f53', 1700000000003, NULL, 0);


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

INSERT INTO golden.store_migrations VALUES ('0001-first', '2026-11-30T20:00:24.342Z');
INSERT INTO golden.store_migrations VALUES ('0002-job-turns', '2026-11-30T20:00:24.345Z');


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
-- Name: approvals_overdue; Type: INDEX; Schema: golden; Owner: -
--

CREATE INDEX approvals_overdue ON golden.approvals USING btree (tenant_id, expires_at) WHERE ((state = 'pending'::text) AND (expires_at IS NOT NULL));


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


