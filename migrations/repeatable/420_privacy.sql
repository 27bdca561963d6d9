-- Community: export and erasure of what is known of a person.

-- A table that refers to a person with ON DELETE CASCADE holds what is theirs alone: its rows go with the person, and
-- whoever adds a table decides with that clause. Others keep their rows, with an id that no longer says who it was.
-- idempotency_keys does without a foreign key, for speed; its rows are a person's all the same.
CREATE OR REPLACE VIEW personal_data_columns AS
    SELECT c.conrelid::regclass AS table_name, a.attname AS column_name, c.confdeltype = 'c' AS goes_with_person
    FROM pg_constraint AS c
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass AND cardinality(c.conkey) = 1
    UNION ALL SELECT 'idempotency_keys'::regclass, 'user_id'::name, true;
COMMENT ON VIEW personal_data_columns IS 'Every column that refers to a person. goes_with_person: erasing the person removes the row.';

-- A row that is of two people holds parts that only one of them may know. Whoever adds such a table names them here.
CREATE OR REPLACE VIEW single_person_columns AS
    SELECT * FROM (VALUES
        ('copyright_notices', 'claimant_id', 'claimant_id'),
        ('copyright_notices', 'email', 'claimant_id'),
        ('copyright_notices', 'address', 'claimant_id'),
        ('copyright_notices', 'phone', 'claimant_id'),
        ('copyright_notices', 'signature', 'claimant_id'),
        ('copyright_notices', 'counter_signature', 'counter_by'),
        ('followed_authors', 'user_id', 'user_id'),
        ('followed_authors', 'followed_at', 'user_id')
    ) AS parts (table_name, column_name, person_column);
COMMENT ON VIEW single_person_columns IS 'Columns that only the person in person_column is told of when people take their data along.';

-- What the rows of one of those tables say of a person, as JSON: all but secrets, which are bytea (hashes, sealed
-- secrets) or are called so, and which moderators had to do with it.
CREATE OR REPLACE FUNCTION person_rows(person uuid, place text) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    hidden text[];
    conditions text;
BEGIN
    SELECT coalesce(array_agg(a.attname::text), '{}') INTO hidden FROM pg_attribute AS a
        WHERE a.attrelid = place::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(secret|password|hash|_by$|^moderator_id$|^risk$|^is_audit$)');
    SELECT string_agg(format('t.%I = $1', p.column_name), ' OR ') INTO conditions
        FROM personal_data_columns AS p WHERE p.table_name = place::regclass;
    RETURN QUERY EXECUTE format(
        'SELECT to_jsonb(t) - $2 - ARRAY(SELECT p.column_name FROM single_person_columns AS p
            WHERE p.table_name::regclass = %L::regclass AND to_jsonb(t) ->> p.person_column IS DISTINCT FROM $1::text)
         FROM %s AS t WHERE %s', place, place::regclass, conditions) USING person, hidden;
END $$;

CREATE OR REPLACE FUNCTION delete_person_rows(person uuid, spared text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    FOR place IN SELECT p.table_name AS name, p.column_name AS part FROM personal_data_columns AS p
        WHERE p.goes_with_person AND p.table_name::text <> ALL (spared) ORDER BY p.table_name::text, p.column_name
    LOOP
        EXECUTE format('DELETE FROM %s WHERE %I = $1', place.name, place.part) USING person;
    END LOOP;
END $$;
