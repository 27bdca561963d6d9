-- A row that is of two people holds parts that only one of them may know. Whoever adds such a table names them here.

CREATE VIEW parts_of_one AS
    SELECT * FROM (VALUES
        ('copyright_notices', 'claimant_id', 'claimant_id'),
        ('copyright_notices', 'email', 'claimant_id'),
        ('copyright_notices', 'address', 'claimant_id'),
        ('copyright_notices', 'phone', 'claimant_id'),
        ('copyright_notices', 'signature', 'claimant_id'),
        ('copyright_notices', 'counter_signature', 'counter_by')
    ) AS parts (table_name, column_name, person_column);
COMMENT ON VIEW parts_of_one IS 'Columns that only the person in person_column is told of when people take their data along.';

CREATE OR REPLACE FUNCTION rows_of_person(person uuid, place text) RETURNS SETOF jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    hidden text[];
    conditions text;
BEGIN
    SELECT coalesce(array_agg(a.attname::text), '{}') INTO hidden FROM pg_attribute AS a
        WHERE a.attrelid = place::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(secret|password|hash|_by$|^moderator_id$|^risk$|^is_audit$)');
    SELECT string_agg(format('t.%I = $1', p.column_name), ' OR ') INTO conditions
        FROM personal_columns AS p WHERE p.table_name = place::regclass;
    RETURN QUERY EXECUTE format(
        'SELECT to_jsonb(t) - $2 - ARRAY(SELECT p.column_name FROM parts_of_one AS p
            WHERE p.table_name::regclass = %L::regclass AND to_jsonb(t) ->> p.person_column IS DISTINCT FROM $1::text)
         FROM %s AS t WHERE %s', place, place::regclass, conditions) USING person, hidden;
END $$;

-- A second factor decides what a moderator's credentials are good for: nodes are told when one goes, or comes to count.
CREATE TRIGGER second_factors_credentials AFTER UPDATE OF confirmed_at OR DELETE ON second_factors
    FOR EACH ROW EXECUTE FUNCTION credentials_changed();
