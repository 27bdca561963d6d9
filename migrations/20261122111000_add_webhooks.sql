-- Addresses of other services that want to hear what happens, and what is to be told to each. New tables; the triggers do
-- nothing while there is no webhook.

CREATE TABLE webhooks (
    id              uuid CONSTRAINT webhooks_pkey PRIMARY KEY,
    user_id         uuid NOT NULL CONSTRAINT webhooks_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    url             text NOT NULL CONSTRAINT webhooks_url_check CHECK (length(url) <= 2048),
    events          text[] NOT NULL CONSTRAINT webhooks_events_check CHECK (cardinality(events) BETWEEN 1 AND 20),
    covers          text NOT NULL CONSTRAINT webhooks_covers_check CHECK (covers IN ('own', 'all')),
    description     text NOT NULL DEFAULT '' CONSTRAINT webhooks_description_check CHECK (length(description) <= 200),
    secret          bytea NOT NULL,
    created_at      timestamptz NOT NULL,
    disabled_at     timestamptz,
    disabled_reason text CONSTRAINT webhooks_disabled_check CHECK (disabled_reason IN ('owner', 'failing', 'gone')),
    failing_since   timestamptz,
    busy_until      timestamptz,
    CONSTRAINT webhooks_end_check CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhooks_user ON webhooks (user_id, id);
CREATE INDEX webhooks_all ON webhooks (id) WHERE covers = 'all';
COMMENT ON COLUMN webhooks.secret IS 'What deliveries are signed with, sealed: the key is not in the database.';
COMMENT ON COLUMN webhooks.busy_until IS 'While something is being delivered: one at a time, so that a slow receiver holds up nobody else.';

CREATE TABLE webhook_deliveries (
    id              uuid CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
    webhook_id      uuid NOT NULL CONSTRAINT webhook_deliveries_webhook_fkey REFERENCES webhooks (id) ON DELETE CASCADE,
    event           text NOT NULL,
    body            text NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CONSTRAINT webhook_deliveries_state_check CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts        integer NOT NULL DEFAULT 0,
    tries           integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease_token     uuid,
    created_at      timestamptz NOT NULL DEFAULT now(),
    ended_at        timestamptz
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
COMMENT ON TABLE webhook_deliveries IS 'Entered in the transaction that makes the event; body is signed and sent letter by letter each time. tries counts since it was last asked for, attempts all.';

CREATE TABLE webhook_attempts (
    delivery_id  uuid NOT NULL CONSTRAINT webhook_attempts_delivery_fkey REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number       integer NOT NULL,
    at           timestamptz NOT NULL,
    milliseconds integer NOT NULL,
    status       integer,
    error        text,
    answer       text,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

CREATE FUNCTION notify_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('webhooks', '');
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_wake_up AFTER INSERT ON webhook_deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION notify_webhooks();

-- UUID version 7, as the service makes them: 48 bits of milliseconds, then random bits.
CREATE FUNCTION new_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

-- Enters an event for everybody who wants it: webhooks of the people it is about, and of administrators that cover all.
CREATE FUNCTION tell_webhooks(event text, people uuid[], data jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO webhook_deliveries (id, webhook_id, event, body)
    SELECT new_uuid(), w.id, $1,
        json_build_object('type', $1, 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', $3)::text
    FROM webhooks AS w JOIN users AS u ON u.id = w.user_id
    WHERE w.disabled_at IS NULL AND $1 = ANY (w.events) AND u.disabled_at IS NULL
        AND ((w.covers = 'all' AND u.role = 'administrator') OR (w.covers = 'own' AND w.user_id = ANY ($2)))
$$;

CREATE FUNCTION template_people(template uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT array_agg(p.id) FROM (
        SELECT t.owner_id AS id FROM templates AS t WHERE t.id = $1
        UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = $1 AND a.role = 'maintainer'
    ) AS p
$$;

-- At the transaction's end, when the entry says what the published version says.
CREATE FUNCTION versions_tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM tell_webhooks('version.published', template_people(NEW.template_id), jsonb_build_object(
            'templateId', t.id, 'slug', t.slug, 'name', t.name, 'gameSystem', t.game_system, 'author', u.handle,
            'version', NEW.number, 'channel', NEW.channel, 'sha256', encode(NEW.artifact_sha256, 'hex'), 'sizeBytes', NEW.size_bytes))
        FROM templates AS t JOIN users AS u ON u.id = t.owner_id WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER versions_webhooks AFTER INSERT ON versions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION versions_tell_webhooks();

CREATE FUNCTION submissions_tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM tell_webhooks('submission.decided', template_people(NEW.template_id) || NEW.uploader_id, jsonb_build_object(
            'submissionId', NEW.id, 'state', NEW.state, 'templateId', t.id, 'slug', t.slug, 'version', NEW.version))
        FROM templates AS t WHERE t.id = NEW.template_id;
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_webhooks AFTER UPDATE OF state ON submissions
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('published', 'rejected', 'changes_requested'))
    EXECUTE FUNCTION submissions_tell_webhooks();

CREATE FUNCTION reviews_tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' OR NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM tell_webhooks('review.created', template_people(NEW.template_id), jsonb_build_object(
            'reviewId', NEW.id, 'templateId', t.id, 'slug', t.slug, 'author', u.handle, 'stars', NEW.stars, 'text', NEW.text))
        FROM templates AS t, users AS u WHERE t.id = NEW.template_id AND u.id = NEW.user_id;
    RETURN NULL;
END $$;
CREATE TRIGGER reviews_webhooks_new AFTER INSERT ON reviews
    FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL) EXECUTE FUNCTION reviews_tell_webhooks();
-- Written again after it was deleted.
CREATE TRIGGER reviews_webhooks_again AFTER UPDATE OF deleted_at ON reviews
    FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.hidden_at IS NULL)
    EXECUTE FUNCTION reviews_tell_webhooks();

-- Not to whom it is about: who reports shall not be guessed.
CREATE FUNCTION reports_tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM tell_webhooks('report.created', '{}', jsonb_build_object(
        'reportId', NEW.id, 'subjectKind', NEW.subject_kind, 'subjectId', NEW.subject_id, 'reason', NEW.reason));
    RETURN NULL;
END $$;
CREATE TRIGGER reports_webhooks AFTER INSERT ON reports FOR EACH ROW EXECUTE FUNCTION reports_tell_webhooks();

CREATE FUNCTION changes_tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM webhooks) THEN RETURN NULL; END IF;
    PERFORM tell_webhooks('template.taken_down', template_people(NEW.template_id), jsonb_strip_nulls(jsonb_build_object(
        'templateId', NEW.template_id, 'slug', NEW.slug, 'code', NEW.code)));
    RETURN NULL;
END $$;
CREATE TRIGGER changes_webhooks AFTER INSERT ON changes
    FOR EACH ROW WHEN (NEW.kind = 'template_removed' AND NEW.reason = 'taken_down') EXECUTE FUNCTION changes_tell_webhooks();

-- Who is erased gets another handle; what was told of them says no more than the market itself does.
CREATE FUNCTION users_told_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE webhook_deliveries AS d
    SET body = jsonb_set(jsonb_set(d.body::jsonb, '{data,author}', to_jsonb(NEW.handle)), '{data,text}', '""', false)::text
    WHERE strpos(d.body, '"author": ' || to_jsonb(OLD.handle)::text) > 0;
    RETURN NULL;
END $$;
CREATE TRIGGER users_webhooks AFTER UPDATE OF handle ON users
    FOR EACH ROW WHEN (NEW.handle <> OLD.handle) EXECUTE FUNCTION users_told_webhooks();
