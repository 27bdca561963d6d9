-- What decisions do: take-downs that hold everywhere at once and can be undone exactly, sanctions, and what becomes of
-- reports. New columns have defaults or are NULL: old nodes go on writing.

-- Take-downs -------------------------------------------------------------------------------------------------------------

CREATE TABLE takedowns (
    id            uuid CONSTRAINT takedowns_pkey PRIMARY KEY,
    subject_kind  text NOT NULL CONSTRAINT takedowns_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user')),
    subject_id    uuid NOT NULL,
    decision_id   uuid,
    reason_code   text NOT NULL,
    message       text NOT NULL,
    taken_down_at timestamptz NOT NULL,
    restored_at   timestamptz,
    restored_by   uuid
);
CREATE UNIQUE INDEX takedowns_open_key ON takedowns (subject_kind, subject_id) WHERE restored_at IS NULL;
CREATE INDEX takedowns_by_time ON takedowns (taken_down_at);
COMMENT ON TABLE takedowns IS 'What moderators took down, and when it was put back. decision_id and restored_by are the decisions'' ids.';

CREATE TABLE takedown_items (
    takedown_id uuid NOT NULL CONSTRAINT takedown_items_takedown_fkey REFERENCES takedowns (id) ON DELETE CASCADE,
    item_kind   text NOT NULL CONSTRAINT takedown_items_kind_check CHECK (item_kind IN ('template', 'version', 'review')),
    item_id     uuid NOT NULL,
    CONSTRAINT takedown_items_pkey PRIMARY KEY (takedown_id, item_kind, item_id)
);
CREATE INDEX takedown_items_item ON takedown_items (item_kind, item_id);
COMMENT ON TABLE takedown_items IS 'What went down with a take-down. Something is down while any take-down that was not undone has it.';

ALTER TABLE templates
    ADD COLUMN taken_down_at timestamptz,
    ADD COLUMN takedown_code text,
    ADD COLUMN takedown_message text;
COMMENT ON COLUMN templates.taken_down_at IS 'Since when the whole template is down; then none of its versions is offered and none can be published.';
ALTER TABLE versions
    ADD COLUMN taken_down_at timestamptz,
    ADD COLUMN takedown_code text,
    ADD COLUMN former_state text,
    ADD COLUMN former_reason text;
COMMENT ON COLUMN versions.former_state IS 'What a taken-down version goes back to, with former_reason.';

CREATE VIEW open_takedown_items AS
    SELECT i.item_kind, i.item_id, d.id AS takedown_id, d.reason_code, d.message, d.taken_down_at
    FROM takedown_items AS i JOIN takedowns AS d ON d.id = i.takedown_id
    WHERE d.restored_at IS NULL;

-- No other way leads out of a take-down, whatever a code path forgets.
CREATE FUNCTION versions_stay_down() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM open_takedown_items AS o WHERE o.item_kind = 'version' AND o.item_id = NEW.id) THEN
        RAISE EXCEPTION 'the version is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_taken_down';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_down BEFORE UPDATE OF state ON versions
    FOR EACH ROW WHEN (OLD.state = 'taken_down' AND NEW.state <> 'taken_down') EXECUTE FUNCTION versions_stay_down();

CREATE FUNCTION versions_need_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM templates AS t WHERE t.id = NEW.template_id AND t.taken_down_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the template is taken down' USING ERRCODE = 'check_violation', CONSTRAINT = 'versions_template_taken_down';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_standing BEFORE INSERT ON versions FOR EACH ROW EXECUTE FUNCTION versions_need_standing();

CREATE TRIGGER templates_takedown_news AFTER UPDATE OF taken_down_at ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();

-- Brings versions, templates and reviews to where the open take-downs put them.
CREATE FUNCTION settle_takedowns(templates uuid[], versions uuid[], reviews uuid[]) RETURNS void LANGUAGE plpgsql AS $$
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

-- Files that nobody may have: what signed addresses of them are refused by, on every node at once -------------------------

CREATE TABLE blocked_artifacts (
    sha256     bytea CONSTRAINT blocked_artifacts_pkey PRIMARY KEY,
    blocked_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE blocked_artifacts IS 'Derived: artifacts of versions that are taken down and of none that can still be downloaded.';
CREATE TABLE blocked_artifact_changes (
    only_row boolean CONSTRAINT blocked_artifact_changes_pkey PRIMARY KEY DEFAULT true CONSTRAINT blocked_artifact_changes_check CHECK (only_row),
    number   bigint NOT NULL
);
INSERT INTO blocked_artifact_changes (number) VALUES (0);
COMMENT ON TABLE blocked_artifact_changes IS 'Counts the changes of blocked_artifacts: a node asks for this often, and for the whole only when it moved.';

INSERT INTO blocked_artifacts (sha256)
    SELECT v.artifact_sha256 FROM versions AS v GROUP BY 1 HAVING bool_and(v.state = 'taken_down');

CREATE FUNCTION versions_block_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_blocked boolean;
BEGIN
    -- One at a time: the state of another version with these bytes must not change unseen.
    UPDATE blocked_artifact_changes SET number = number;
    SELECT bool_and(v.state = 'taken_down') INTO is_blocked FROM versions AS v WHERE v.artifact_sha256 = NEW.artifact_sha256;
    IF is_blocked THEN
        INSERT INTO blocked_artifacts (sha256) VALUES (NEW.artifact_sha256) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    END IF;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_blocked AFTER UPDATE OF state ON versions
    FOR EACH ROW WHEN ((OLD.state = 'taken_down') <> (NEW.state = 'taken_down')) EXECUTE FUNCTION versions_block_artifacts();
-- The same bytes, published again by leave of a moderator.
CREATE FUNCTION versions_unblock_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_unblocked AFTER INSERT ON versions
    FOR EACH ROW WHEN (NEW.state <> 'taken_down') EXECUTE FUNCTION versions_unblock_artifacts();

-- Sanctions --------------------------------------------------------------------------------------------------------------

CREATE TABLE sanctions (
    id              uuid CONSTRAINT sanctions_pkey PRIMARY KEY,
    user_id         uuid NOT NULL CONSTRAINT sanctions_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    kind            text NOT NULL CONSTRAINT sanctions_kind_check CHECK (kind IN ('warn', 'suspend', 'ban')),
    scopes          text[] NOT NULL CONSTRAINT sanctions_scopes_check CHECK (scopes <@ ARRAY['uploads', 'reviews', 'reports', 'all']),
    reason_code     text NOT NULL,
    message         text NOT NULL,
    decision_id     uuid,
    imposed_at      timestamptz NOT NULL,
    expires_at      timestamptz,
    lifted_at       timestamptz,
    lifted_decision uuid,
    CONSTRAINT sanctions_end_check CHECK ((kind = 'suspend') = (expires_at IS NOT NULL)),
    CONSTRAINT sanctions_reach_check CHECK ((kind = 'warn') = (scopes = '{}'))
);
CREATE INDEX sanctions_user ON sanctions (user_id, imposed_at DESC);
COMMENT ON TABLE sanctions IS 'Warnings, suspensions and bans. Suspensions end by themselves; what was lifted counts as no strike.';

-- Reports ----------------------------------------------------------------------------------------------------------------

ALTER TABLE reports
    ADD COLUMN IF NOT EXISTS case_id uuid,
    ADD COLUMN weight double precision NOT NULL DEFAULT 0.5,
    ADD COLUMN IF NOT EXISTS outcome text CONSTRAINT reports_outcome_check CHECK (outcome IN ('upheld', 'dismissed'));
CREATE INDEX reports_reporter ON reports (reporter_id, created_at DESC, id DESC);
COMMENT ON COLUMN reports.weight IS 'What its writer''s word was worth when it came in, 0 to 1: the smoothed share of their reports that were upheld.';
