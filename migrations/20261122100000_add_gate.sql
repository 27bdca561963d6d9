-- What calls go through: limits that all nodes share, and calls that came with an Idempotency-Key. New tables only.

-- Unlogged: a bucket that is lost is a full one, and addresses never reach the write-ahead log or a replica.
CREATE UNLOGGED TABLE rate_limits (
    bucket  text CONSTRAINT rate_limits_pkey PRIMARY KEY,
    full_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE rate_limits IS 'Buckets that are not full, by when they will be; rows go when they are. Buckets of addresses are in it for as long as their window at most.';

CREATE TABLE idempotent_calls (
    slot         bytea CONSTRAINT idempotent_calls_pkey PRIMARY KEY,
    user_id      uuid CONSTRAINT idempotent_calls_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    head         bytea NOT NULL,
    body         bytea,
    lease        uuid NOT NULL,
    leased_until timestamptz NOT NULL,
    worked_at    timestamptz,
    status       integer,
    fields       jsonb,
    answer       bytea,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT idempotent_calls_answer_check CHECK (answer IS NULL OR status IS NOT NULL)
);
CREATE INDEX idempotent_calls_expiry ON idempotent_calls (expires_at);
CREATE INDEX idempotent_calls_user ON idempotent_calls (user_id) WHERE user_id IS NOT NULL;
COMMENT ON TABLE idempotent_calls IS 'Calls that came with an Idempotency-Key, by a hash of caller and key, with their answers, for a day. Answers that hold secrets are never in it.';
COMMENT ON COLUMN idempotent_calls.worked_at IS 'When a transaction of the call was first committed; it is set in that transaction.';
