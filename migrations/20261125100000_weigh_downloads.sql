-- Matches of a word are ranked by their words and by the magnitude of their downloads. Looking the latter up in listings took
-- half of the time where few matches are popular; it changes a dozen times in a template's life, so it lies beside the words.
-- Until the next migration has written the rows anew, all that were there count as never downloaded.

CREATE FUNCTION download_magnitude(downloads bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT floor(ln((downloads + 1)::double precision))::integer $$;
COMMENT ON FUNCTION download_magnitude IS 'How often downloads have grown by e: what relevance makes of them.';

ALTER TABLE listing_words ADD COLUMN magnitude integer NOT NULL DEFAULT 0;
ALTER TABLE listing_words ALTER COLUMN magnitude DROP DEFAULT;
COMMENT ON COLUMN listing_words.magnitude IS 'download_magnitude() of the template.';

CREATE OR REPLACE VIEW current_listing_words AS
    SELECT t.id,
        strong.words
        || array_to_tsvector(ARRAY(SELECT '=n:' || word FROM unnest(tsvector_to_array(strong.words)) AS word))
        || setweight(to_tsvector('simple', search_text(concat_ws(' ', t.summary, p.regions))), 'C')
        || to_tsvector('simple', search_text(left(coalesce(p.words, ''), 1600)))
        || listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count)
        || array_to_tsvector(ARRAY['=u:' || to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYYMM'),
            '=d:' || to_char(coalesce(t.published_at, t.created_at) AT TIME ZONE 'UTC', 'YYYYMM')]) AS words,
        t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, market_text(lower(t.name)) COLLATE "C" AS name_key,
        download_magnitude(t.downloads) AS magnitude
    FROM templates AS t
    JOIN users AS u ON u.id = t.owner_id
    JOIN game_systems AS g ON g.slug = t.game_system
    JOIN versions AS v ON v.id = t.latest_version_id
    CROSS JOIN LATERAL (
        SELECT setweight(to_tsvector('simple', search_text(t.name)), 'A')
            || setweight(to_tsvector('simple', search_text(concat_ws(' ', g.slug, g.name, array_to_string(g.aliases, ' '),
                   array_to_string(t.tags, ' '), u.handle, u.display_name))), 'B') AS words
        OFFSET 0
    ) AS strong
    LEFT JOIN LATERAL (
        SELECT left(string_agg(s.page_text, ' ' ORDER BY s.page_index), 8000) AS words,
            left(string_agg((SELECT string_agg(region ->> 'name', ' ') FROM jsonb_array_elements(s.regions) AS region), ' '
                ORDER BY s.page_index), 2000) AS regions
        FROM submission_pages AS s WHERE s.submission_id = v.submission_id
    ) AS p ON true;

CREATE OR REPLACE FUNCTION keep_listing_words(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_words AS l SELECT * FROM current_listing_words AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, updated_at = excluded.updated_at,
        published_at = excluded.published_at, name_key = excluded.name_key, magnitude = excluded.magnitude
        WHERE (l.words, l.updated_at, l.published_at, l.name_key, l.magnitude)
            <> (excluded.words, excluded.updated_at, excluded.published_at, excluded.name_key, excluded.magnitude);
    IF NOT EXISTS (SELECT FROM current_listings AS c WHERE c.id = template) THEN
        DELETE FROM listing_words AS l WHERE l.id = template;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION template_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM keep_listing(NEW.id);
    IF TG_OP = 'INSERT' OR (OLD.name, OLD.summary, OLD.game_system, OLD.owner_id, OLD.tags, OLD.license, OLD.language, OLD.kind,
            OLD.page_count, floor(OLD.rating * 2), OLD.latest_version_id, OLD.updated_at, OLD.published_at)
        IS DISTINCT FROM (NEW.name, NEW.summary, NEW.game_system, NEW.owner_id, NEW.tags, NEW.license, NEW.language, NEW.kind,
            NEW.page_count, floor(NEW.rating * 2), NEW.latest_version_id, NEW.updated_at, NEW.published_at)
    THEN
        PERFORM keep_listing_words(NEW.id);
    ELSIF download_magnitude(OLD.downloads) <> download_magnitude(NEW.downloads) THEN
        -- Not here: whoever counts downloads holds many templates, and would wait for whoever holds the words.
        INSERT INTO stale_listings VALUES (NEW.id);
    END IF;
    RETURN NULL;
END $$;
