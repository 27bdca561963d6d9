-- Calls with an Idempotency-Key are noted with their own commit and get their answer later, in one statement with others.
-- What made such a row dear goes: the lock on its account's row, and two indexes that only the sweep and an erasure asked.
-- Nodes of the version before go on with the same table.
ALTER TABLE idempotent_calls DROP CONSTRAINT idempotent_calls_user_fkey;
DROP INDEX idempotent_calls_user;
-- They are a person's all the same: they stand in the export, and go with the person.
CREATE OR REPLACE VIEW personal_columns AS
    SELECT c.conrelid::regclass AS table_name, a.attname AS column_name, c.confdeltype = 'c' AS goes_with_person
    FROM pg_constraint AS c
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass AND cardinality(c.conkey) = 1
    UNION ALL SELECT 'idempotent_calls'::regclass, 'user_id'::name, true;
DROP INDEX idempotent_calls_expiry;
CREATE INDEX idempotent_calls_expiry ON idempotent_calls USING brin (expires_at);
-- The answer goes beside its call, so that no index has to be told.
ALTER TABLE idempotent_calls SET (fillfactor = 50);
COMMENT ON COLUMN idempotent_calls.leased_until IS 'Until when an answer may still be on its way.';
COMMENT ON COLUMN idempotent_calls.lease IS 'The attempt at the call that was committed.';
