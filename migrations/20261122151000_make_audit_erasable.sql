-- The audit log: parts that name people can be erased without breaking the chain, the token and the reason have places of
-- their own, and signed checkpoints are kept beside it. Entries of before stay as they are (format 1). Old nodes go on writing.

ALTER TABLE audit_entries
    ADD COLUMN format smallint NOT NULL DEFAULT 1 CONSTRAINT audit_entries_format_check CHECK (format IN (1, 2)),
    ADD COLUMN token_id uuid,
    ADD COLUMN reason text,
    ADD COLUMN actor_salt bytea,
    ADD COLUMN actor_hash bytea,
    ADD COLUMN words_salt bytea,
    ADD COLUMN words_hash bytea,
    ALTER COLUMN actor DROP NOT NULL,
    ALTER COLUMN details DROP NOT NULL;
COMMENT ON COLUMN audit_entries.actor_hash IS 'What the chain covers of the actor''s name: a hash with actor_salt. Stays when both are erased.';
COMMENT ON COLUMN audit_entries.words_hash IS 'What the chain covers of reason and details: a hash with words_salt. Stays when all three are erased.';
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, sequence) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_request ON audit_entries (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX audit_entries_subject ON audit_entries (subject, sequence);

DROP TRIGGER audit_entries_append_only ON audit_entries;
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_are_for_good();

-- The one change there is: a part goes, its hash stays.
CREATE FUNCTION audit_entries_lose_parts_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.sequence, NEW.at, NEW.actor_id, NEW.action, NEW.subject, NEW.request_id, NEW.token_id, NEW.format, NEW.previous_hash, NEW.hash)
            IS NOT DISTINCT FROM
            (OLD.sequence, OLD.at, OLD.actor_id, OLD.action, OLD.subject, OLD.request_id, OLD.token_id, OLD.format, OLD.previous_hash, OLD.hash)
        AND ((NEW.actor, NEW.actor_salt, NEW.actor_hash) IS NOT DISTINCT FROM (OLD.actor, OLD.actor_salt, OLD.actor_hash)
            OR (OLD.format = 2 AND OLD.actor IS NOT NULL AND NEW.actor IS NULL AND NEW.actor_salt IS NULL AND NEW.actor_hash = OLD.actor_hash))
        AND ((NEW.reason, NEW.details, NEW.words_salt, NEW.words_hash) IS NOT DISTINCT FROM (OLD.reason, OLD.details, OLD.words_salt, OLD.words_hash)
            OR (OLD.details IS NOT NULL AND NEW.details IS NULL AND NEW.reason IS NULL AND NEW.words_salt IS NULL
                AND NEW.words_hash = CASE OLD.format WHEN 2 THEN OLD.words_hash ELSE sha256(convert_to(OLD.details, 'UTF8')) END))
    THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_entries_erasure BEFORE UPDATE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_entries_lose_parts_only();

-- Takes a person out of the log: their name where they acted, the words where those are about them or name them. Runs with
-- its owner's rights: the service's own role may not update the table. Returns which entries lost what.
CREATE FUNCTION erase_audit_entries(person uuid, handle text, email text) RETURNS TABLE (sequence bigint, lost_actor boolean, lost_words boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN QUERY
        WITH found AS (
            SELECT e.sequence,
                e.format = 2 AND e.actor IS NOT NULL AND e.actor_id IS NOT DISTINCT FROM erase_audit_entries.person AS by_person,
                e.details IS NOT NULL AND e.action <> 'audit.erased' AND (
                    e.subject = 'user:' || erase_audit_entries.person::text
                    -- A handle is letters, digits and hyphens: as a word of its own.
                    OR concat_ws(' ', e.reason, e.details) ~* ('(^|[^a-z0-9-])' || erase_audit_entries.handle || '($|[^a-z0-9-])')
                    OR strpos(lower(concat_ws(' ', e.reason, e.details)), lower(erase_audit_entries.email)) > 0
                ) AS names_person
            FROM audit_entries AS e
        ), erased AS (
            UPDATE audit_entries AS e SET
                actor = CASE WHEN f.by_person THEN NULL ELSE e.actor END,
                actor_salt = CASE WHEN f.by_person THEN NULL ELSE e.actor_salt END,
                reason = CASE WHEN f.names_person THEN NULL ELSE e.reason END,
                words_hash = CASE WHEN f.names_person AND e.format = 1 THEN sha256(convert_to(e.details, 'UTF8')) ELSE e.words_hash END,
                details = CASE WHEN f.names_person THEN NULL ELSE e.details END,
                words_salt = CASE WHEN f.names_person THEN NULL ELSE e.words_salt END
            FROM found AS f WHERE f.sequence = e.sequence AND (f.by_person OR f.names_person)
            RETURNING e.sequence, f.by_person, f.names_person
        )
        SELECT * FROM erased ORDER BY 1;
END $$;

CREATE TABLE audit_checkpoints (
    sequence  bigint CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
    head      bytea NOT NULL CONSTRAINT audit_checkpoints_head_length CHECK (octet_length(head) = 32),
    at        timestamptz NOT NULL,
    key_id    text NOT NULL,
    signature bytea NOT NULL
);
COMMENT ON TABLE audit_checkpoints IS 'Append-only. The log''s head at some of its entries, signed by a key that the database does not have.';
CREATE FUNCTION audit_checkpoints_are_for_good() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'checkpoints of the audit log are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION audit_checkpoints_are_for_good();
