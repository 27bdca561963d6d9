-- Calls with an Idempotency-Key are noted with their own commit and get their answer later, in one statement with others.
-- What made such a row dear goes: the lock on its account's row, and two indexes that only the sweep and an erasure asked.
-- Nodes of the version before go on with the same table.
ALTER TABLE idempotent_calls DROP CONSTRAINT idempotent_calls_user_fkey;
DROP INDEX idempotent_calls_user;
DROP INDEX idempotent_calls_expiry;
CREATE INDEX idempotent_calls_expiry ON idempotent_calls USING brin (expires_at);
-- The answer goes beside its call, so that no index has to be told.
ALTER TABLE idempotent_calls SET (fillfactor = 50);
COMMENT ON COLUMN idempotent_calls.leased_until IS 'Until when an answer may still be on its way.';
COMMENT ON COLUMN idempotent_calls.lease IS 'The attempt at the call that was committed.';
