-- Platform: what every module stands on. It owns jobs, rate_limits, idempotency_keys and outbox_totals.
--
-- In all files: times are timestamptz, ids are UUIDv7 made by the service, and constraints are named because errors map to
-- them. The extensions are "trusted", so the database's owner may create them.

CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Numbered and not repeatable, since users_by_name and game_systems.names hold its results: with another body they would have
-- to be made anew.
CREATE FUNCTION market_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT public.unaccent('public.unaccent'::regdictionary, value) $$;
COMMENT ON FUNCTION market_text IS 'Text with its accents taken off. Declared immutable: the dictionary changes only with PostgreSQL itself.';

-- UUID version 7, as the service makes them: 48 bits of milliseconds, then random bits.
CREATE FUNCTION new_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

-- Background work -----------------------------------------------------------------------------------------------------

CREATE TABLE jobs (
    id               uuid CONSTRAINT jobs_pkey PRIMARY KEY,
    kind             text NOT NULL,
    subject          uuid NOT NULL,
    state            text NOT NULL DEFAULT 'queued' CONSTRAINT jobs_state_check CHECK (state IN ('queued', 'running', 'done', 'dead')),
    attempts         integer NOT NULL DEFAULT 0,
    max_attempts     integer NOT NULL DEFAULT 5,
    run_at           timestamptz NOT NULL DEFAULT now(),
    lease_token      uuid,
    lease_expires_at timestamptz,
    worker           text,
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz
);
CREATE INDEX jobs_ready ON jobs (run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_leases ON jobs (lease_expires_at) WHERE state = 'running';
CREATE INDEX jobs_subject ON jobs (subject);
COMMENT ON TABLE jobs IS 'Queued in the transaction that makes them necessary, claimed with SKIP LOCKED under a lease; only the holder of lease_token may finish one.';

-- Wake-ups: workers listen to the channel jobs.
CREATE FUNCTION notify_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('jobs', '');
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_notify AFTER INSERT OR UPDATE OF state ON jobs
    FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION notify_jobs();

-- HTTP calls: limits that all nodes share, and calls that came with an Idempotency-Key --------------------------------

-- Unlogged: a bucket that is lost is a full one, and addresses never reach the write-ahead log or a replica.
CREATE UNLOGGED TABLE rate_limits (
    bucket  text CONSTRAINT rate_limits_pkey PRIMARY KEY,
    full_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE rate_limits IS 'Buckets that are not full, by when they will be; rows go when they are. Buckets of addresses are in it for as long as their window at most.';

CREATE TABLE idempotency_keys (
    key_hash         bytea CONSTRAINT idempotency_keys_pkey PRIMARY KEY,
    user_id          uuid,
    request_hash     bytea NOT NULL,
    body_hash        bytea,
    attempt_id       uuid NOT NULL,
    lease_expires_at timestamptz NOT NULL,
    committed_at     timestamptz,
    status           integer,
    headers          jsonb,
    response_body    bytea,
    expires_at       timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_response_check CHECK (response_body IS NULL OR status IS NOT NULL)
) WITH (fillfactor = 50); -- The answer goes beside its call, so that no index has to be told.
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING brin (expires_at);
COMMENT ON TABLE idempotency_keys IS 'Calls that came with an Idempotency-Key, by a hash of caller and key, with their answers, for a day. Answers that hold secrets are never in it.';
COMMENT ON COLUMN idempotency_keys.committed_at IS 'When a transaction of the call was first committed; it is set in that transaction.';
COMMENT ON COLUMN idempotency_keys.lease_expires_at IS 'Until when an answer may still be on its way.';
COMMENT ON COLUMN idempotency_keys.attempt_id IS 'The attempt at the call that was committed.';

-- Counts of what was sent ---------------------------------------------------------------------------------------------

CREATE TABLE outbox_totals (
    outbox    text CONSTRAINT outbox_totals_pkey PRIMARY KEY CONSTRAINT outbox_totals_outbox_check CHECK (outbox IN ('mail', 'webhooks')),
    sent      bigint NOT NULL DEFAULT 0,
    failed    bigint NOT NULL DEFAULT 0,
    abandoned bigint NOT NULL DEFAULT 0,
    dropped   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE outbox_totals IS 'Since this table was made. failed counts attempts, the others e-mails and deliveries; dropped ones had nobody to go to.';

INSERT INTO outbox_totals (outbox) VALUES ('mail'), ('webhooks');
