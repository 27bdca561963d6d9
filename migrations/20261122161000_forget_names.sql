-- Who changes their handle, or leaves, is no longer named by what the risk rules once said: neither of their own uploads, nor
-- of those whose uploaders could have been taken for them. Scores and rules stay.

CREATE FUNCTION risk_assessments_without(hits jsonb, names text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT COALESCE(jsonb_agg(jsonb_set(hit, '{evidence}', (
            SELECT COALESCE(jsonb_agg(CASE
                WHEN EXISTS (SELECT FROM unnest(names) AS name WHERE strpos(piece ->> 'detail', '''' || name || '''') > 0)
                    THEN jsonb_set(piece, '{detail}', '"Of a name that is no longer shown."')
                ELSE piece END ORDER BY place), '[]')
            FROM jsonb_array_elements(hit -> 'evidence') WITH ORDINALITY AS e (piece, place))) ORDER BY number), '[]')
        FROM jsonb_array_elements(hits) WITH ORDINALITY AS h (hit, number)
    $$;

CREATE FUNCTION users_leave_risk_assessments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    names CONSTANT text[] := ARRAY[OLD.handle, OLD.display_name];
BEGIN
    UPDATE risk_assessments AS r SET hits = risk_assessments_without(r.hits, names),
        facts = r.facts || '{"names": [], "knownNames": []}'
    WHERE r.submission_id IN (SELECT id FROM submissions WHERE uploader_id = NEW.id)
        OR EXISTS (SELECT FROM jsonb_path_query(r.facts, '$.knownNames[*] ? (@.kind == "author").text') AS known
            WHERE known #>> '{}' = ANY (names));
    RETURN NULL;
END $$;
CREATE TRIGGER users_risk_names AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (OLD.handle <> NEW.handle) EXECUTE FUNCTION users_leave_risk_assessments();
