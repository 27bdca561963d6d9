-- Catalog: artifacts that nothing names any more.

CREATE OR REPLACE FUNCTION delete_artifact(hash bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM artifacts AS a WHERE a.sha256 = hash;
EXCEPTION WHEN foreign_key_violation THEN
    NULL;
END $$;
COMMENT ON FUNCTION delete_artifact IS 'Lets the garbage collection remove bytes that nothing else names; does nothing while something does.';

CREATE OR REPLACE FUNCTION versions_drop_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM artifact_deltas AS d WHERE NEW.artifact_sha256 IN (d.target_sha256, d.base_sha256)
        AND NOT EXISTS (SELECT FROM versions AS v WHERE v.artifact_sha256 = NEW.artifact_sha256 AND v.state = 'published');
    RETURN NULL;
END $$;
COMMENT ON FUNCTION versions_drop_deltas IS 'What is withdrawn is neither sent as a difference nor helps to make another file.';

CREATE OR REPLACE FUNCTION artifact_deltas_drop_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM delete_artifact(OLD.sha256);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION artifact_deltas_drop_bytes IS 'A difference goes with its entry, and so with either of its files.';
