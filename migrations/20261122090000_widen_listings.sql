-- A line of a list is one row of listings: looking three wide tables up for each line took longer than finding it. The
-- words carry the keys that change as seldom as they do, so that the matches of a word can be sorted without their listings.

DROP VIEW current_listings, current_listing_words;

CREATE VIEW current_listings AS
    SELECT t.id, t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, t.downloads, t.rating_lower, t.trending,
        t.rating, t.page_count, t.game_system, market_text(lower(t.name)) COLLATE "C" AS name_key,
        listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count) AS filters,
        t.slug, t.name, t.summary, u.handle AS author, t.rating_count, v.number, t.license, t.language, t.tags, t.kind
    FROM templates AS t JOIN users AS u ON u.id = t.owner_id JOIN versions AS v ON v.id = t.latest_version_id
    WHERE t.latest_version_id IS NOT NULL;

CREATE VIEW current_listing_words AS
    SELECT t.id,
        strong.words
        || array_to_tsvector(ARRAY(SELECT '=n:' || word FROM unnest(tsvector_to_array(strong.words)) AS word))
        || setweight(to_tsvector('simple', search_text(concat_ws(' ', t.summary, p.regions))), 'C')
        || to_tsvector('simple', search_text(left(coalesce(p.words, ''), 1600)))
        || listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count)
        || array_to_tsvector(ARRAY['=u:' || to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYYMM'),
            '=d:' || to_char(coalesce(t.published_at, t.created_at) AT TIME ZONE 'UTC', 'YYYYMM')]) AS words,
        t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, market_text(lower(t.name)) COLLATE "C" AS name_key
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
COMMENT ON VIEW current_listing_words IS 'Weights: A name, B system with aliases, tags and author, C summary and regions, D what is printed on the sheet; the words of A and B once more as =n:word, since an index does not know weights; the filters; and the months of update and publication as =u: and =d:, so that the newest matches of a word are found without the others.';

TRUNCATE listings, listing_words, popular_listings, former_popular_listings;
ALTER TABLE listings
    ADD COLUMN slug         text NOT NULL,
    ADD COLUMN name         text NOT NULL,
    ADD COLUMN summary      text NOT NULL,
    ADD COLUMN author       text NOT NULL,
    ADD COLUMN rating_count integer NOT NULL,
    ADD COLUMN number       text NOT NULL,
    ADD COLUMN license      text NOT NULL,
    ADD COLUMN language     text NOT NULL,
    ADD COLUMN tags         text[] NOT NULL,
    ADD COLUMN kind         text NOT NULL;
COMMENT ON TABLE listings IS 'Derived: one row for each template on offer, with all that a list shows, is sorted and is filtered by.';
ALTER TABLE listing_words
    ADD COLUMN updated_at   timestamptz NOT NULL,
    ADD COLUMN published_at timestamptz NOT NULL,
    ADD COLUMN name_key     text COLLATE "C" NOT NULL;
COMMENT ON TABLE listing_words IS 'Derived: the words and filters of each template on offer, with the keys of sorting that change seldom. Apart from listings, since words change seldom and counts often.';
ALTER TABLE popular_listings ADD COLUMN facets text[] NOT NULL;
ALTER TABLE former_popular_listings ADD COLUMN facets text[] NOT NULL;
COMMENT ON COLUMN popular_listings.facets IS 'The filters that facets count, as they are counted: taking them out of filters takes longer than counting.';

CREATE FUNCTION listing_facets(filters tsvector) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT ARRAY(SELECT f FROM unnest(tsvector_to_array($1)) AS f WHERE substr(f, 2, 1) IN ('s', 't', 'c', 'l')) $$;

CREATE OR REPLACE FUNCTION index_listings(listings regclass, words regclass, suffix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sort record;
BEGIN
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listings_pkey%s PRIMARY KEY (id)', listings, suffix);
    FOR sort IN VALUES ('updated', 'updated_at DESC, id DESC'), ('newest', 'published_at DESC, id DESC'),
        ('downloads', 'downloads DESC, id DESC'), ('rating', 'rating_lower DESC, id DESC'),
        ('trending', 'trending DESC, id DESC'), ('name', 'name_key, id')
    LOOP
        EXECUTE format('CREATE INDEX listings_by_%s%s ON %s (%s)', sort.column1, suffix, listings, sort.column2);
        EXECUTE format('CREATE INDEX listings_of_system_by_%s%s ON %s (game_system, %s)', sort.column1, suffix, listings, sort.column2);
    END LOOP;
    EXECUTE format('CREATE INDEX listings_of_author_by_updated%s ON %s (lower(author), updated_at DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_same_name%s ON %s (hashtext(name_key), downloads DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_filters%s ON %s USING gin (filters) WITH (fastupdate = off)', suffix, listings);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listing_words_pkey%s PRIMARY KEY (id)', words, suffix);
    EXECUTE format('CREATE INDEX listing_words_by_word%s ON %s USING gin (words) WITH (fastupdate = off)', suffix, words);
END $$;
CREATE INDEX listings_of_author_by_updated ON listings (lower(author), updated_at DESC, id DESC);

CREATE OR REPLACE FUNCTION keep_listing(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listings AS l SELECT * FROM current_listings AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, published_at = excluded.published_at,
        downloads = excluded.downloads, rating_lower = excluded.rating_lower, trending = excluded.trending,
        rating = excluded.rating, page_count = excluded.page_count, game_system = excluded.game_system,
        name_key = excluded.name_key, filters = excluded.filters,
        slug = excluded.slug, name = excluded.name, summary = excluded.summary, author = excluded.author,
        rating_count = excluded.rating_count, number = excluded.number, license = excluded.license,
        language = excluded.language, tags = excluded.tags, kind = excluded.kind;
    IF NOT FOUND THEN
        DELETE FROM listings AS l WHERE l.id = template;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION keep_listing_words(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_words AS l SELECT * FROM current_listing_words AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, updated_at = excluded.updated_at,
        published_at = excluded.published_at, name_key = excluded.name_key
        WHERE (l.words, l.updated_at, l.published_at, l.name_key)
            <> (excluded.words, excluded.updated_at, excluded.published_at, excluded.name_key);
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
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER templates_listing ON templates;
CREATE TRIGGER templates_listing AFTER INSERT OR UPDATE OF slug, name, summary, game_system, owner_id, tags, license, language, kind,
        page_count, rating, rating_count, rating_lower, downloads, trending, latest_version_id, updated_at, published_at ON templates
    FOR EACH ROW EXECUTE FUNCTION template_changed();

-- Only other words leave the popular ones; what they say of the keys is not asked there.
CREATE FUNCTION watch_listings() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    CREATE TRIGGER listing_words_came_or_went AFTER INSERT OR DELETE ON listing_words FOR EACH ROW EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON listing_words
        FOR EACH ROW WHEN (OLD.words <> NEW.words) EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON listings FOR EACH ROW EXECUTE FUNCTION facets_changed();
    CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON listings
        FOR EACH ROW WHEN (OLD.filters <> NEW.filters) EXECUTE FUNCTION facets_changed();
END $$;
DROP TRIGGER listing_words_changed ON listing_words;
DROP TRIGGER listings_came_or_went ON listings;
DROP TRIGGER listings_changed ON listings;
SELECT watch_listings();

CREATE OR REPLACE FUNCTION rebuild_popular(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
    next integer;
BEGIN
    PERFORM pg_advisory_xact_lock(5640001);
    -- Whoever changes a template meanwhile waits: he could not tell the new generation of it.
    LOCK TABLE listing_words IN SHARE ROW EXCLUSIVE MODE;
    SELECT greatest(coalesce(max(generation), 0) + 1, extract(epoch FROM clock_timestamp())::integer) INTO next FROM popular_listings;
    CREATE TABLE popular_next (LIKE popular_listings) WITH (toast_tuple_target = 8160);
    INSERT INTO popular_next (generation, place, id, downloads, filters, words, facets)
        SELECT next, row_number() OVER (ORDER BY top.downloads DESC, top.id DESC), top.id, top.downloads, top.filters,
            w.words, listing_facets(top.filters)
        FROM (SELECT * FROM listings ORDER BY downloads DESC, id DESC LIMIT most) AS top
        JOIN listing_words AS w ON w.id = top.id
        ORDER BY 2;
    GET DIAGNOSTICS made = ROW_COUNT;
    -- Inserting fills gaps with later rows; this writes them one behind the other.
    CREATE INDEX popular_next_by_place ON popular_next (place);
    CLUSTER popular_next USING popular_next_by_place;
    ALTER TABLE popular_next ADD CONSTRAINT popular_next_pkey PRIMARY KEY (id);
    CREATE INDEX popular_next_by_word ON popular_next USING gin (words) WITH (fastupdate = off);
    ANALYZE popular_next;
    SET LOCAL lock_timeout = '1s';
    DROP TABLE former_popular_listings;
    ALTER TABLE popular_listings RENAME TO former_popular_listings;
    ALTER INDEX popular_listings_pkey RENAME TO former_popular_listings_pkey;
    ALTER INDEX popular_listings_by_place RENAME TO former_popular_listings_by_place;
    ALTER INDEX popular_listings_by_word RENAME TO former_popular_listings_by_word;
    ALTER TABLE popular_next RENAME TO popular_listings;
    ALTER INDEX popular_next_pkey RENAME TO popular_listings_pkey;
    ALTER INDEX popular_next_by_place RENAME TO popular_listings_by_place;
    ALTER INDEX popular_next_by_word RENAME TO popular_listings_by_word;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION rebuild_search(popular integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE templates IN SHARE ROW EXCLUSIVE MODE;
    CREATE TABLE listings_next (LIKE listings);
    CREATE TABLE listing_words_next (LIKE listing_words) WITH (toast_tuple_target = 8160);
    INSERT INTO listings_next SELECT * FROM current_listings ORDER BY id;
    INSERT INTO listing_words_next SELECT * FROM current_listing_words ORDER BY id;
    PERFORM index_listings('listings_next', 'listing_words_next', '_next');
    ANALYZE listings_next, listing_words_next;
    DROP TABLE listings, listing_words;
    ALTER TABLE listings_next RENAME TO listings;
    ALTER TABLE listing_words_next RENAME TO listing_words;
    PERFORM rename_next_indexes();
    PERFORM watch_listings();
    TRUNCATE facet_counts, facet_changes, stale_listings;
    INSERT INTO facet_counts
        SELECT coalesce(game_system, ''), substr(f, 2, 1), substr(f, 4), count(*)
        FROM listings, unnest(tsvector_to_array(filters)) AS f WHERE f ~ '^=[scltkrp]:'
        GROUP BY GROUPING SETS ((game_system, f), (f));
    ANALYZE facet_counts;
    PERFORM rebuild_terms();
    ANALYZE search_terms;
    PERFORM rebuild_popular(popular);
END $$;

SELECT rebuild_search(50000);
