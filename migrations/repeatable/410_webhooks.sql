-- Community: what webhooks are told. The triggers, in 9xx_triggers_of_….sql, do nothing while there is no webhook.

-- Enters an event for everybody who wants it: webhooks of the people it is about, and of administrators that cover all.
CREATE OR REPLACE FUNCTION enqueue_webhook_deliveries(event text, people uuid[], data jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO webhook_deliveries (id, webhook_id, event, body)
    SELECT new_uuid(), w.id, $1,
        json_build_object('type', $1, 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', $3)::text
    FROM webhooks AS w JOIN users AS u ON u.id = w.user_id
    WHERE w.disabled_at IS NULL AND $1 = ANY (w.events) AND u.disabled_at IS NULL
        AND ((w.covers = 'all' AND u.role = 'administrator') OR (w.covers = 'own' AND w.user_id = ANY ($2)))
$$;

CREATE OR REPLACE FUNCTION template_collaborators(template uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(p.id) FROM (
        SELECT t.owner_id AS id FROM templates AS t WHERE t.id = $1
        UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = $1 AND a.role = 'maintainer'
    ) AS p
$$;

-- At the transaction's end, when the entry says what the published version says.
CREATE OR REPLACE FUNCTION versions_enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('version.published', template_collaborators(NEW.template_id), jsonb_build_object(
            'templateId', t.id, 'slug', t.slug, 'name', t.name, 'gameSystem', t.game_system, 'author', u.handle,
            'version', NEW.number, 'channel', NEW.channel, 'sha256', encode(NEW.artifact_sha256, 'hex'), 'sizeBytes', NEW.size_bytes))
        FROM templates AS t JOIN users AS u ON u.id = t.owner_id WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION submissions_enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('submission.decided', template_collaborators(NEW.template_id) || NEW.uploader_id, jsonb_build_object(
            'submissionId', NEW.id, 'state', NEW.state, 'templateId', t.id, 'slug', t.slug, 'version', NEW.version))
        FROM templates AS t WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reviews_enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('review.created', template_collaborators(NEW.template_id), jsonb_build_object(
            'reviewId', NEW.id, 'templateId', t.id, 'slug', t.slug, 'author', u.handle, 'stars', NEW.stars, 'text', NEW.text))
        FROM templates AS t, users AS u WHERE t.id = NEW.template_id AND u.id = NEW.user_id;
    RETURN NULL;
END $$;

-- Not to whom it is about: who reports shall not be guessed.
CREATE OR REPLACE FUNCTION reports_enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('report.created', '{}', jsonb_build_object(
        'reportId', NEW.id, 'subjectKind', NEW.subject_kind, 'subjectId', NEW.subject_id, 'reason', NEW.reason));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION changes_enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM enqueue_webhook_deliveries('template.taken_down', template_collaborators(NEW.template_id), jsonb_strip_nulls(jsonb_build_object(
        'templateId', NEW.template_id, 'slug', NEW.slug, 'code', NEW.code)));
    RETURN NULL;
END $$;

-- Who is erased gets another handle; what was told of them says no more than the market itself does.
CREATE OR REPLACE FUNCTION users_rename_in_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE webhook_deliveries AS d
    SET body = jsonb_set(jsonb_set(d.body::jsonb, '{data,author}', to_jsonb(NEW.handle)), '{data,text}', '""', false)::text
    WHERE strpos(d.body, '"author": ' || to_jsonb(OLD.handle)::text) > 0;
    RETURN NULL;
END $$;
