-- Ratings and reviews, and reports for the desk. New tables only; triggers on templates, users and template_authors act
-- only where there are reviews, so old nodes notice nothing. How ratings are made is told in docs/ratings.md.

CREATE TABLE reviews (
    id            uuid PRIMARY KEY,
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
    PRIMARY KEY (review_id, revision)
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
    PRIMARY KEY (review_id, user_id)
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

-- What people have had while they were signed in: whether a reviewer installed what they judge, and in which version.
CREATE TABLE user_downloads (
    user_id       uuid NOT NULL CONSTRAINT user_downloads_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    template_id   uuid NOT NULL CONSTRAINT user_downloads_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    version_id    uuid NOT NULL CONSTRAINT user_downloads_version_fkey REFERENCES versions (id) ON DELETE CASCADE,
    downloaded_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, template_id, version_id)
);
COMMENT ON TABLE user_downloads IS 'Downloads by people who were signed in: the last of each version. Goes with the account.';

CREATE VIEW visible_reviews AS
    SELECT r.id, r.template_id, r.user_id, r.version_id, r.stars, r.text, r.helpful, r.unhelpful, r.helpfulness, r.created_at, r.updated_at
    FROM reviews AS r
    JOIN users AS u ON u.id = r.user_id
    JOIN templates AS t ON t.id = r.template_id
    WHERE r.deleted_at IS NULL AND r.hidden_at IS NULL AND u.disabled_at IS NULL AND t.owner_id <> r.user_id
        AND NOT EXISTS (SELECT FROM template_authors AS a WHERE a.template_id = r.template_id AND a.user_id = r.user_id);
COMMENT ON VIEW visible_reviews IS 'Reviews that are shown and counted: not deleted, not hidden, not of a disabled account, not of who has become an author.';

-- Ratings ----------------------------------------------------------------------------------------------------------------

CREATE TABLE rating_priors (
    game_system text CONSTRAINT rating_priors_pkey PRIMARY KEY,
    mean        double precision NOT NULL,
    variance    double precision NOT NULL,
    weight      double precision NOT NULL,
    reviews     integer NOT NULL,
    as_of       date NOT NULL
);
COMMENT ON TABLE rating_priors IS 'Derived each day: what is expected of a template before anybody has judged it, by game system; the empty one is the whole market.';
INSERT INTO rating_priors VALUES ('', 3.5, 1.5, 5, 0, '1970-01-01');

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

CREATE FUNCTION rating_weight(written timestamptz, day date) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT power(0.5::double precision, greatest(0, day - (written AT TIME ZONE 'UTC')::date) / 730.0::double precision) $$;
COMMENT ON FUNCTION rating_weight IS 'What a review counts on a day: half after 730 days.';

CREATE FUNCTION current_ratings(day date) RETURNS TABLE (
    template_id uuid, stars integer[], count integer, weight double precision, rating double precision, lower_bound double precision,
    prior_scope text, prior_mean double precision, prior_variance double precision, prior_weight double precision, prior_as_of date
)
    LANGUAGE sql STABLE
    AS $$
        SELECT s.template_id, s.stars, s.count, s.weight, m.rating,
            greatest(0, m.rating - 1.645 * sqrt(
                (p.weight * (p.variance + power(p.mean - m.rating, 2))
                    + greatest(0, s.squares - 2 * m.rating * s.total + power(m.rating, 2) * s.weight))
                / power(p.weight + s.weight, 2))),
            p.game_system, p.mean, p.variance, p.weight, p.as_of
        FROM (
            SELECT r.template_id, count(*)::integer AS count,
                ARRAY[count(*) FILTER (WHERE r.stars = 1), count(*) FILTER (WHERE r.stars = 2), count(*) FILTER (WHERE r.stars = 3),
                    count(*) FILTER (WHERE r.stars = 4), count(*) FILTER (WHERE r.stars = 5)]::integer[] AS stars,
                sum(rating_weight(r.updated_at, $1)) AS weight,
                sum(rating_weight(r.updated_at, $1) * r.stars) AS total,
                sum(rating_weight(r.updated_at, $1) * r.stars * r.stars) AS squares
            FROM visible_reviews AS r GROUP BY r.template_id
        ) AS s
        JOIN templates AS t ON t.id = s.template_id
        CROSS JOIN LATERAL (
            SELECT q.game_system, q.mean, q.variance, q.weight, q.as_of FROM rating_priors AS q
            WHERE q.game_system IN (t.game_system, '') ORDER BY q.game_system DESC LIMIT 1
        ) AS p
        CROSS JOIN LATERAL (SELECT (p.weight * p.mean + s.total) / (p.weight + s.weight) AS rating) AS m
    $$;

-- Brings one template's rating up to date, whoever else writes reviews of it: one at a time holds its row, and counts what
-- the others have committed. What would move by less than the tolerance stays.
CREATE FUNCTION refresh_rating(template uuid, day date DEFAULT (now() AT TIME ZONE 'UTC')::date, tolerance double precision DEFAULT 0)
    RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    fresh record;
BEGIN
    PERFORM FROM templates AS t WHERE t.id = template FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT * INTO fresh FROM current_ratings(day) AS c WHERE c.template_id = template;
    IF NOT FOUND THEN
        DELETE FROM template_ratings AS k WHERE k.template_id = template;
        UPDATE templates AS t SET rating = 0, rating_lower = 0, rating_count = 0
            WHERE t.id = template AND (t.rating, t.rating_lower, t.rating_count) <> (0, 0, 0);
        RETURN FOUND;
    END IF;
    IF tolerance > 0 AND EXISTS (
        SELECT FROM template_ratings AS k WHERE k.template_id = template AND k.stars = fresh.stars
            AND abs(k.rating - fresh.rating) < tolerance AND abs(k.lower_bound - fresh.lower_bound) < tolerance
    ) THEN RETURN false; END IF;
    INSERT INTO template_ratings AS k (template_id, stars, count, weight, rating, lower_bound, prior_scope, prior_mean,
        prior_variance, prior_weight, prior_as_of, as_of)
    VALUES (template, fresh.stars, fresh.count, fresh.weight, fresh.rating, fresh.lower_bound, fresh.prior_scope,
        fresh.prior_mean, fresh.prior_variance, fresh.prior_weight, fresh.prior_as_of, day)
    ON CONFLICT (template_id) DO UPDATE SET stars = excluded.stars, count = excluded.count, weight = excluded.weight,
        rating = excluded.rating, lower_bound = excluded.lower_bound, prior_scope = excluded.prior_scope,
        prior_mean = excluded.prior_mean, prior_variance = excluded.prior_variance, prior_weight = excluded.prior_weight,
        prior_as_of = excluded.prior_as_of, as_of = excluded.as_of;
    UPDATE templates AS t SET rating = fresh.rating, rating_lower = fresh.lower_bound, rating_count = fresh.count
        WHERE t.id = template AND (t.rating, t.rating_lower, t.rating_count) <> (fresh.rating, fresh.lower_bound, fresh.count);
    RETURN true;
END $$;

-- Each prior is drawn towards its parent by 20 reviews' worth: a system's towards the market's, the market's towards 3.5.
CREATE FUNCTION recompute_priors(day date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(5640011);
    DELETE FROM rating_priors;
    WITH per_template AS (
        SELECT t.game_system, r.template_id, count(*) AS reviews, sum(w.weight) AS weight, sum(w.weight * r.stars) AS total,
            sum(w.weight * r.stars * r.stars) AS squares
        FROM visible_reviews AS r
        JOIN templates AS t ON t.id = r.template_id AND t.latest_version_id IS NOT NULL
        CROSS JOIN LATERAL (SELECT rating_weight(r.updated_at, day) AS weight) AS w
        GROUP BY t.game_system, r.template_id
    ), sums AS (
        SELECT p.game_system, coalesce(sum(p.reviews), 0)::integer AS reviews, coalesce(sum(p.weight), 0) AS weight,
            coalesce(sum(p.total), 0) AS total,
            coalesce(greatest(0, sum(p.squares) - power(sum(p.total), 2) / sum(p.weight)), 0) AS scatter,
            coalesce(sum(p.weight) / count(*), 0) AS typical
        FROM per_template AS p GROUP BY GROUPING SETS ((p.game_system), ())
    ), market AS (
        SELECT (20 * 3.5 + s.total) / (20 + s.weight) AS mean, (20 * 1.5 + s.scatter) / (20 + s.weight) AS variance,
            least(20, greatest(2, (20 * 5 + s.weight * s.typical) / (20 + s.weight))) AS weight, s.reviews
        FROM sums AS s WHERE s.game_system IS NULL
    )
    INSERT INTO rating_priors (game_system, mean, variance, weight, reviews, as_of)
    SELECT '', m.mean, m.variance, m.weight, m.reviews, day FROM market AS m
    UNION ALL
    SELECT s.game_system, (20 * m.mean + s.total) / (20 + s.weight), (20 * m.variance + s.scatter) / (20 + s.weight),
        least(20, greatest(2, (20 * m.weight + s.weight * s.typical) / (20 + s.weight))), s.reviews, day
    FROM sums AS s CROSS JOIN market AS m WHERE s.game_system IS NOT NULL;
END $$;

CREATE FUNCTION reviews_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM refresh_rating(coalesce(NEW.template_id, OLD.template_id));
    RETURN NULL;
END $$;
CREATE TRIGGER reviews_rated AFTER INSERT OR DELETE OR UPDATE OF stars, updated_at, deleted_at, hidden_at ON reviews
    FOR EACH ROW EXECUTE FUNCTION reviews_changed();

CREATE FUNCTION reviewers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- In one order, so that two of these never wait for each other in a ring.
    PERFORM refresh_rating(s.template_id)
        FROM (SELECT r.template_id FROM reviews AS r WHERE r.user_id = NEW.id ORDER BY r.template_id) AS s;
    RETURN NULL;
END $$;
CREATE TRIGGER users_reviews AFTER UPDATE OF disabled_at ON users
    FOR EACH ROW WHEN ((OLD.disabled_at IS NULL) <> (NEW.disabled_at IS NULL)) EXECUTE FUNCTION reviewers_changed();

CREATE FUNCTION reviewed_authors_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid := coalesce(NEW.template_id, OLD.template_id);
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = changed AND r.user_id = coalesce(NEW.user_id, OLD.user_id)) THEN
        PERFORM refresh_rating(changed);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER template_authors_reviews AFTER INSERT OR DELETE ON template_authors
    FOR EACH ROW EXECUTE FUNCTION reviewed_authors_changed();

CREATE FUNCTION reviewed_templates_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = NEW.id) THEN PERFORM refresh_rating(NEW.id); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER templates_reviews AFTER UPDATE OF owner_id, game_system ON templates
    FOR EACH ROW WHEN (OLD.owner_id <> NEW.owner_id OR OLD.game_system <> NEW.game_system)
    EXECUTE FUNCTION reviewed_templates_changed();

-- Reports ----------------------------------------------------------------------------------------------------------------

CREATE TABLE reports (
    id           uuid PRIMARY KEY,
    reporter_id  uuid NOT NULL CONSTRAINT reports_reporter_fkey REFERENCES users (id) ON DELETE CASCADE,
    subject_kind text NOT NULL CONSTRAINT reports_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user')),
    subject_id   uuid NOT NULL,
    reason       text NOT NULL CONSTRAINT reports_reason_check CHECK (reason IN ('copyright', 'malicious', 'offensive', 'harassment',
        'personal_data', 'spam', 'misleading', 'other')),
    text         text NOT NULL DEFAULT '' CONSTRAINT reports_text_check CHECK (char_length(text) <= 5000),
    state        text NOT NULL DEFAULT 'open' CONSTRAINT reports_state_check CHECK (state IN ('open', 'closed')),
    created_at   timestamptz NOT NULL,
    closed_at    timestamptz,
    CONSTRAINT reports_end_check CHECK ((state = 'open') = (closed_at IS NULL))
);
CREATE UNIQUE INDEX reports_open_key ON reports (reporter_id, subject_kind, subject_id) WHERE state = 'open';
CREATE INDEX reports_subject ON reports (subject_kind, subject_id, created_at) WHERE state = 'open';
COMMENT ON TABLE reports IS 'Complaints for the desk. One open report for each person and subject.';
