-- Export and erasure of what is known of a person.

ALTER TABLE users
    ADD COLUMN erase_at timestamptz,
    ADD COLUMN erase_templates text CONSTRAINT users_erase_templates_check CHECK (erase_templates IN ('withdraw', 'leave')),
    ADD COLUMN erased_at timestamptz,
    ADD CONSTRAINT users_erasure_check CHECK ((erase_at IS NULL) = (erase_templates IS NULL));
CREATE INDEX users_to_erase ON users (erase_at) WHERE erase_at IS NOT NULL;
COMMENT ON COLUMN users.erase_at IS 'When the account is to be erased, as its owner wished; NULL while it is to stay.';
COMMENT ON COLUMN users.erased_at IS 'When all that told who this was went; the row stays, for what others built on.';

-- A table that refers to a person with ON DELETE CASCADE holds what is theirs alone: its rows go with the person, and
-- whoever adds a table decides with that clause. Others keep their rows, with an id that no longer says who it was.
CREATE VIEW personal_columns AS
    SELECT c.conrelid::regclass AS table_name, a.attname AS column_name, c.confdeltype = 'c' AS goes_with_person
    FROM pg_constraint AS c
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass AND cardinality(c.conkey) = 1;
COMMENT ON VIEW personal_columns IS 'Every column that refers to a person. goes_with_person: erasing the person removes the row.';

-- What the rows of one of those tables say of a person, as JSON: all but secrets, which are bytea (hashes, sealed
-- secrets) or are called so, and which moderators had to do with it.
CREATE FUNCTION rows_of_person(person uuid, place text) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    hidden text[];
    conditions text;
BEGIN
    SELECT coalesce(array_agg(a.attname::text), '{}') INTO hidden FROM pg_attribute AS a
        WHERE a.attrelid = place::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(secret|password|hash|_by$|^moderator_id$|^risk$|^is_audit$)');
    SELECT string_agg(format('t.%I = $1', p.column_name), ' OR ') INTO conditions
        FROM personal_columns AS p WHERE p.table_name = place::regclass;
    RETURN QUERY EXECUTE format('SELECT to_jsonb(t) - $2 FROM %s AS t WHERE %s', place::regclass, conditions) USING person, hidden;
END $$;

CREATE FUNCTION remove_rows_of_person(person uuid, spared text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    FOR place IN SELECT p.table_name AS name, p.column_name AS part FROM personal_columns AS p
        WHERE p.goes_with_person AND p.table_name::text <> ALL (spared) ORDER BY p.table_name::text, p.column_name
    LOOP
        EXECUTE format('DELETE FROM %s WHERE %I = $1', place.name, place.part) USING person;
    END LOOP;
END $$;

CREATE FUNCTION forget_artifact(hash bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM artifacts AS a WHERE a.sha256 = hash;
EXCEPTION WHEN foreign_key_violation THEN
    NULL;
END $$;
COMMENT ON FUNCTION forget_artifact IS 'Lets the sweep remove bytes that nothing else names; does nothing while something does.';
