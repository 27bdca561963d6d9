-- Community: ratings, derived from reviews. How they are made is told in docs/ratings.md.

CREATE OR REPLACE VIEW visible_reviews AS
    SELECT r.id, r.template_id, r.user_id, r.version_id, r.stars, r.text, r.helpful, r.unhelpful, r.helpfulness, r.created_at, r.updated_at
    FROM reviews AS r
    JOIN users AS u ON u.id = r.user_id
    JOIN templates AS t ON t.id = r.template_id
    WHERE r.deleted_at IS NULL AND r.hidden_at IS NULL AND u.disabled_at IS NULL AND t.owner_id <> r.user_id
        AND NOT EXISTS (SELECT FROM template_authors AS a WHERE a.template_id = r.template_id AND a.user_id = r.user_id);
COMMENT ON VIEW visible_reviews IS 'Reviews that are shown and counted: not deleted, not hidden, not of a disabled account, not of who has become an author.';

CREATE OR REPLACE FUNCTION rating_weight(written timestamptz, day date) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT power(0.5::double precision, greatest(0, day - (written AT TIME ZONE 'UTC')::date) / 730.0::double precision) $$;
COMMENT ON FUNCTION rating_weight IS 'What a review counts on a day: half after 730 days.';

CREATE OR REPLACE FUNCTION current_ratings(day date) RETURNS TABLE (
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
CREATE OR REPLACE FUNCTION refresh_rating(template uuid, day date DEFAULT (now() AT TIME ZONE 'UTC')::date, tolerance double precision DEFAULT 0)
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
CREATE OR REPLACE FUNCTION recompute_rating_priors(day date) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION reviews_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM refresh_rating(coalesce(NEW.template_id, OLD.template_id));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reviewers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- In one order, so that two of these never wait for each other in a ring.
    PERFORM refresh_rating(s.template_id)
        FROM (SELECT r.template_id FROM reviews AS r WHERE r.user_id = NEW.id ORDER BY r.template_id) AS s;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reviewed_authors_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid := coalesce(NEW.template_id, OLD.template_id);
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = changed AND r.user_id = coalesce(NEW.user_id, OLD.user_id)) THEN
        PERFORM refresh_rating(changed);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reviewed_templates_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM reviews AS r WHERE r.template_id = NEW.id) THEN PERFORM refresh_rating(NEW.id); END IF;
    RETURN NULL;
END $$;
