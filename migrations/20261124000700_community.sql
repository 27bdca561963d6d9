-- Community: reviews and what they make of a template's rating (docs/ratings.md), and webhooks.

-- Reviews -------------------------------------------------------------------------------------------------------------

CREATE TABLE reviews (
    id            uuid CONSTRAINT reviews_pkey PRIMARY KEY,
    template_id   uuid NOT NULL CONSTRAINT reviews_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    user_id       uuid NOT NULL CONSTRAINT reviews_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    version_id    uuid NOT NULL CONSTRAINT reviews_version_fkey REFERENCES versions (id),
    stars         smallint NOT NULL CONSTRAINT reviews_stars_check CHECK (stars BETWEEN 1 AND 5),
    text          text NOT NULL DEFAULT '' CONSTRAINT reviews_text_check CHECK (char_length(text) <= 5000),
    revision      integer NOT NULL DEFAULT 1,
    helpful       integer NOT NULL DEFAULT 0,
    unhelpful     integer NOT NULL DEFAULT 0,
    helpfulness   integer NOT NULL GENERATED ALWAYS AS (helpful - unhelpful) STORED,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    hidden_at     timestamptz,
    hidden_reason text,
    CONSTRAINT reviews_author_key UNIQUE (template_id, user_id)
);
CREATE INDEX reviews_newest ON reviews (template_id, created_at DESC, id DESC) WHERE deleted_at IS NULL AND hidden_at IS NULL;
CREATE INDEX reviews_helpful ON reviews (template_id, helpfulness DESC, id DESC) WHERE deleted_at IS NULL AND hidden_at IS NULL;
CREATE INDEX reviews_user ON reviews (user_id, template_id);
CREATE INDEX reviews_deleted ON reviews (deleted_at) WHERE deleted_at IS NOT NULL;
COMMENT ON TABLE reviews IS 'One per person and template. A deleted one keeps its row, without its text, for 90 days: its history is a moderator''s evidence, and writing again continues it.';
COMMENT ON COLUMN reviews.hidden_at IS 'When a moderator hid it; it is then neither shown nor counted.';

CREATE TABLE review_revisions (
    review_id  uuid NOT NULL CONSTRAINT review_revisions_review_fkey REFERENCES reviews (id) ON DELETE CASCADE,
    revision   integer NOT NULL,
    stars      smallint NOT NULL,
    text       text NOT NULL,
    version_id uuid NOT NULL CONSTRAINT review_revisions_version_fkey REFERENCES versions (id),
    written_at timestamptz NOT NULL,
    CONSTRAINT review_revisions_pkey PRIMARY KEY (review_id, revision)
);
COMMENT ON TABLE review_revisions IS 'What reviews said before they were edited or deleted. Kept by a trigger.';

CREATE FUNCTION reviews_keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.deleted_at IS NULL THEN
        INSERT INTO review_revisions (review_id, revision, stars, text, version_id, written_at)
        VALUES (OLD.id, OLD.revision, OLD.stars, OLD.text, OLD.version_id, OLD.updated_at);
    END IF;
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER reviews_history BEFORE UPDATE OF stars, text, version_id, deleted_at ON reviews FOR EACH ROW
    WHEN ((OLD.stars, OLD.text, OLD.version_id, OLD.deleted_at) IS DISTINCT FROM (NEW.stars, NEW.text, NEW.version_id, NEW.deleted_at))
    EXECUTE FUNCTION reviews_keep_history();

CREATE TABLE review_replies (
    review_id  uuid CONSTRAINT review_replies_pkey PRIMARY KEY CONSTRAINT review_replies_review_fkey REFERENCES reviews (id) ON DELETE CASCADE,
    author_id  uuid NOT NULL CONSTRAINT review_replies_author_fkey REFERENCES users (id) ON DELETE CASCADE,
    text       text NOT NULL CONSTRAINT review_replies_text_check CHECK (char_length(text) BETWEEN 1 AND 5000),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX review_replies_author ON review_replies (author_id);

CREATE TABLE review_votes (
    review_id  uuid NOT NULL CONSTRAINT review_votes_review_fkey REFERENCES reviews (id) ON DELETE CASCADE,
    user_id    uuid NOT NULL CONSTRAINT review_votes_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    is_helpful boolean NOT NULL,
    voted_at   timestamptz NOT NULL,
    CONSTRAINT review_votes_pkey PRIMARY KEY (review_id, user_id)
);
CREATE INDEX review_votes_user ON review_votes (user_id);

CREATE FUNCTION review_votes_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE reviews SET helpful = helpful - OLD.is_helpful::integer, unhelpful = unhelpful - (NOT OLD.is_helpful)::integer
        WHERE id = OLD.review_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE reviews SET helpful = helpful + NEW.is_helpful::integer, unhelpful = unhelpful + (NOT NEW.is_helpful)::integer
        WHERE id = NEW.review_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER review_votes_counted AFTER INSERT OR UPDATE OR DELETE ON review_votes
    FOR EACH ROW EXECUTE FUNCTION review_votes_count();

-- Ratings -------------------------------------------------------------------------------------------------------------

CREATE TABLE rating_priors (
    game_system text CONSTRAINT rating_priors_pkey PRIMARY KEY,
    mean        double precision NOT NULL,
    variance    double precision NOT NULL,
    weight      double precision NOT NULL,
    reviews     integer NOT NULL,
    as_of       date NOT NULL
);
COMMENT ON TABLE rating_priors IS 'Derived each day: what is expected of a template before anybody has judged it, by game system; the empty one is the whole market.';
INSERT INTO rating_priors (game_system, mean, variance, weight, reviews, as_of) VALUES ('', 3.5, 1.5, 5, 0, '1970-01-01');

CREATE TABLE template_ratings (
    template_id    uuid CONSTRAINT template_ratings_pkey PRIMARY KEY CONSTRAINT template_ratings_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    stars          integer[] NOT NULL,
    count          integer NOT NULL,
    weight         double precision NOT NULL,
    rating         double precision NOT NULL,
    lower_bound    double precision NOT NULL,
    prior_scope    text NOT NULL,
    prior_mean     double precision NOT NULL,
    prior_variance double precision NOT NULL,
    prior_weight   double precision NOT NULL,
    prior_as_of    date NOT NULL,
    as_of          date NOT NULL
);
COMMENT ON TABLE template_ratings IS 'Derived from reviews: the histogram (1 to 5 stars), the shown rating, and all that it was made of.';

-- Webhooks: addresses of other services that want to hear what happens, and what is to be told to each ----------------

CREATE TABLE webhooks (
    id               uuid CONSTRAINT webhooks_pkey PRIMARY KEY,
    user_id          uuid NOT NULL CONSTRAINT webhooks_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    url              text NOT NULL CONSTRAINT webhooks_url_check CHECK (length(url) <= 2048),
    events           text[] NOT NULL CONSTRAINT webhooks_events_check CHECK (cardinality(events) BETWEEN 1 AND 20),
    covers           text NOT NULL CONSTRAINT webhooks_covers_check CHECK (covers IN ('own', 'all')),
    description      text NOT NULL DEFAULT '' CONSTRAINT webhooks_description_check CHECK (length(description) <= 200),
    secret           bytea NOT NULL,
    created_at       timestamptz NOT NULL,
    disabled_at      timestamptz,
    disabled_reason  text CONSTRAINT webhooks_disabled_check CHECK (disabled_reason IN ('owner', 'failing', 'gone')),
    failing_since    timestamptz,
    lease_expires_at timestamptz,
    CONSTRAINT webhooks_end_check CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhooks_user ON webhooks (user_id, id);
CREATE INDEX webhooks_all ON webhooks (id) WHERE covers = 'all';
COMMENT ON COLUMN webhooks.secret IS 'What deliveries are signed with, sealed: the key is not in the database.';
COMMENT ON COLUMN webhooks.lease_expires_at IS 'While something is being delivered: one at a time, so that a slow receiver holds up nobody else.';

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
COMMENT ON TABLE webhook_deliveries IS 'Entered in the transaction that makes the event; body is signed and sent byte for byte each time. tries counts since it was last asked for, attempts all.';

CREATE TABLE webhook_attempts (
    delivery_id   uuid NOT NULL CONSTRAINT webhook_attempts_delivery_fkey REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number        integer NOT NULL,
    at            timestamptz NOT NULL,
    duration_ms   integer NOT NULL,
    status        integer,
    error         text,
    response_body text,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number)
);

CREATE FUNCTION notify_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('webhooks', '');
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_notify AFTER INSERT ON webhook_deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION notify_webhooks();

CREATE FUNCTION count_webhook_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.status IS NOT NULL AND NEW.status BETWEEN 200 AND 299)::int,
        failed = failed + (NEW.status IS NULL OR NEW.status NOT BETWEEN 200 AND 299)::int
    WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_attempts_counted AFTER INSERT ON webhook_attempts
    FOR EACH ROW EXECUTE FUNCTION count_webhook_attempt();

CREATE FUNCTION count_webhook_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET abandoned = abandoned + 1 WHERE outbox = 'webhooks';
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_abandoned AFTER UPDATE OF state ON webhook_deliveries
    FOR EACH ROW WHEN (OLD.state = 'pending' AND NEW.state = 'failed') EXECUTE FUNCTION count_webhook_end();
