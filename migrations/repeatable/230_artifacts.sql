-- Catalog: artifacts that nothing names any more.

CREATE OR REPLACE FUNCTION delete_artifact(hash bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM artifacts AS a WHERE a.sha256 = hash;
EXCEPTION WHEN foreign_key_violation THEN
    NULL;
END $$;
COMMENT ON FUNCTION delete_artifact IS 'Lets the garbage collection remove bytes that nothing else names; does nothing while something does.';
