-- Accounts: taking a person out of the audit log.

-- Takes a person out of the log: their name where they acted, the words where those are about them or name them. Runs with
-- its owner's rights: the service's own role may not update the table. Returns which entries lost what.
CREATE OR REPLACE FUNCTION erase_audit_entries(person uuid, handle text, email text) RETURNS TABLE (sequence bigint, lost_actor boolean, lost_words boolean)
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
