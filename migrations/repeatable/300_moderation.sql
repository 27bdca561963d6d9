-- Moderation: what take-downs do, how the trusted path is judged, and names in risk assessments.

-- Brings versions, templates and reviews to where the open take-downs put them.
CREATE OR REPLACE FUNCTION apply_takedowns(templates uuid[], versions uuid[], reviews uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE templates AS t
    SET taken_down_at = o.taken_down_at, takedown_code = o.reason_code, takedown_message = o.message
    FROM unnest($1) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'template' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE t.id = n.id AND (t.taken_down_at, t.takedown_code, t.takedown_message)
        IS DISTINCT FROM (o.taken_down_at, o.reason_code, o.message);
    UPDATE versions AS v
    SET state = CASE WHEN o.item_id IS NULL THEN coalesce(v.former_state, 'published') ELSE 'taken_down' END,
        state_reason = CASE WHEN o.item_id IS NULL THEN v.former_reason ELSE o.message END,
        taken_down_at = o.taken_down_at, takedown_code = o.reason_code,
        former_state = CASE WHEN o.item_id IS NULL THEN NULL WHEN v.state = 'taken_down' THEN v.former_state ELSE v.state END,
        former_reason = CASE WHEN o.item_id IS NULL THEN NULL WHEN v.state = 'taken_down' THEN v.former_reason ELSE v.state_reason END
    FROM unnest($2) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'version' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE v.id = n.id AND (o.item_id IS NOT NULL OR v.state = 'taken_down');
    UPDATE reviews AS r
    SET hidden_at = o.taken_down_at, hidden_reason = o.message
    FROM unnest($3) AS n (id)
    LEFT JOIN LATERAL (
        SELECT * FROM open_takedown_items AS i WHERE i.item_kind = 'review' AND i.item_id = n.id
        ORDER BY i.taken_down_at, i.takedown_id LIMIT 1
    ) AS o ON true
    WHERE r.id = n.id AND (r.hidden_at, r.hidden_reason) IS DISTINCT FROM (o.taken_down_at, o.message);
END $$;

-- What moderators said of what the trusted path had published.
CREATE OR REPLACE VIEW trusted_audits AS
    SELECT cases.id AS case_id, cases.submission_id, decisions.moderator_id, decisions.decided_at,
        decisions.decision = 'approve' AS agreed
    FROM cases JOIN decisions ON decisions.case_id = cases.id
    WHERE cases.is_audit;
COMMENT ON VIEW trusted_audits IS 'Decisions on audited approvals of the trusted path; agreed where the moderator would have approved too.';

CREATE OR REPLACE FUNCTION risk_assessments_without(hits jsonb, names text[]) RETURNS jsonb
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

CREATE OR REPLACE FUNCTION users_leave_risk_assessments() RETURNS trigger LANGUAGE plpgsql AS $$
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
