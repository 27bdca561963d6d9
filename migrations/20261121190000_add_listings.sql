-- Searching and browsing at a million templates. What is searched are tables derived from templates: narrow, kept by
-- triggers, made anew by rebuild_search(). Nothing was released before this, so what it replaces goes at once.

CREATE EXTENSION IF NOT EXISTS unaccent;

DROP FUNCTION templates_resembling;
DROP TRIGGER templates_search ON templates;
DROP FUNCTION templates_keep_search;
DROP FUNCTION template_search;
ALTER TABLE templates DROP COLUMN search;
DROP INDEX templates_name_trigrams, templates_by_updated, templates_by_newest, templates_by_downloads, templates_by_rating,
    templates_by_name, templates_by_system, templates_by_tag, templates_by_kind;

ALTER TABLE templates
    ADD COLUMN rating_lower double precision NOT NULL DEFAULT 0,
    ADD COLUMN trending double precision NOT NULL DEFAULT 0;
COMMENT ON COLUMN templates.rating_lower IS 'Lower bound of the shown rating: what lists are sorted by.';
COMMENT ON COLUMN templates.trending IS 'Installs that fade by half each week: log2 of the sum over days of downloads * 2^(weeks since 2020), which needs no update while nobody installs. 0 is none.';
UPDATE templates SET rating_lower = rating WHERE rating_count > 0;
-- Downloads change often and no index of templates is on what changes: room for the new row on the same page.
ALTER TABLE templates SET (fillfactor = 90);

-- The text of a template ---------------------------------------------------------------------------------------------------

CREATE FUNCTION search_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT regexp_replace(public.market_text(value), '([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    $$;
COMMENT ON FUNCTION search_text IS 'Text without accents, in which each character of a script that sets no blanks between words is a word.';

CREATE FUNCTION listing_filters(
    game_system text, tags text[], license text, language text, kind text, handle text, rating double precision, page_count integer
) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT array_to_tsvector(
            ARRAY['=s:' || $1, '=c:' || lower($3), '=k:' || $5, '=a:' || lower($6), '=r:' || floor($7 * 2), '=p:' || least($8, 17)]
            || ARRAY(SELECT '=t:' || tag FROM unnest($2) AS tag)
            -- zh-Hant-TW is found as zh and as zh-hant, too (RFC 4647, section 3.3.1).
            || ARRAY(SELECT '=l:' || array_to_string((string_to_array(lower($4), '-'))[1:n], '-') FROM generate_series(1, 8) AS n))
    $$;
COMMENT ON FUNCTION listing_filters IS 'What lists are filtered by, as lexemes that no word can be: s system, c licence, l language, k kind, a author, r half stars, p pages, t tag.';

CREATE VIEW current_listings AS
    SELECT t.id, t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, t.downloads, t.rating_lower, t.trending,
        t.rating, t.page_count, t.game_system, market_text(lower(t.name)) COLLATE "C" AS name_key,
        listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count) AS filters
    FROM templates AS t JOIN users AS u ON u.id = t.owner_id
    WHERE t.latest_version_id IS NOT NULL;

CREATE VIEW current_listing_words AS
    SELECT t.id,
        strong.words
        || array_to_tsvector(ARRAY(SELECT '=n:' || word FROM unnest(tsvector_to_array(strong.words)) AS word))
        || setweight(to_tsvector('simple', search_text(concat_ws(' ', t.summary, p.regions))), 'C')
        || to_tsvector('simple', search_text(left(coalesce(p.words, ''), 1600)))
        || listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count) AS words
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
COMMENT ON VIEW current_listing_words IS 'Weights: A name, B system with aliases, tags and author, C summary and regions, D what is printed on the sheet; the words of A and B once more as =n:word, since an index does not know weights; and the filters.';

-- The tables ---------------------------------------------------------------------------------------------------------------

CREATE TABLE listings (
    id           uuid NOT NULL,
    updated_at   timestamptz NOT NULL,
    published_at timestamptz NOT NULL,
    downloads    bigint NOT NULL,
    rating_lower double precision NOT NULL,
    trending     double precision NOT NULL,
    rating       double precision NOT NULL,
    page_count   integer NOT NULL,
    game_system  text COLLATE "C" NOT NULL,
    name_key     text COLLATE "C" NOT NULL,
    filters      tsvector NOT NULL
);
COMMENT ON TABLE listings IS 'Derived: one narrow row for each template on offer, with what lists are sorted and filtered by.';

CREATE TABLE listing_words (
    id    uuid NOT NULL,
    words tsvector NOT NULL
) WITH (toast_tuple_target = 8160); -- Reading words from elsewhere, or unpacking them, takes longer than comparing them.
COMMENT ON TABLE listing_words IS 'Derived: the words and filters of each template on offer. Apart from listings, since these change seldom and counts often.';

CREATE TABLE popular_listings (
    generation integer NOT NULL,
    place      integer NOT NULL,
    id         uuid NOT NULL,
    downloads  bigint NOT NULL,
    filters    tsvector NOT NULL,
    words      tsvector NOT NULL
) WITH (toast_tuple_target = 8160);
COMMENT ON TABLE popular_listings IS 'Derived: the most downloaded templates as they were when this generation was made, stored in the order of their places. Who changes leaves it until the next generation.';
CREATE TABLE former_popular_listings (LIKE popular_listings) WITH (toast_tuple_target = 8160);
COMMENT ON TABLE former_popular_listings IS 'Derived: the generation before, for whoever turns pages while a new one is made.';

CREATE TABLE search_terms (
    term     text COLLATE "C" NOT NULL CONSTRAINT search_terms_pkey PRIMARY KEY,
    uses     integer NOT NULL,
    variants text[] COLLATE "C" NOT NULL
);
COMMENT ON TABLE search_terms IS 'Derived: the words of the catalog, how many templates have them (as of the last rebuild), and each with one letter left out: two words with a variant in common are at most a slip or two apart.';

CREATE TABLE facet_counts (
    game_system text COLLATE "C" NOT NULL,
    facet       text COLLATE "C" NOT NULL,
    value       text COLLATE "C" NOT NULL,
    count       bigint NOT NULL,
    CONSTRAINT facet_counts_pkey PRIMARY KEY (game_system, facet, value)
);
CREATE INDEX facet_counts_empty ON facet_counts (count) WHERE count <= 0;
CREATE INDEX facet_counts_top ON facet_counts (game_system, facet, count DESC);
CREATE TABLE facet_changes (
    game_system text COLLATE "C" NOT NULL,
    facet       text COLLATE "C" NOT NULL,
    value       text COLLATE "C" NOT NULL,
    change      bigint NOT NULL
);
COMMENT ON TABLE facet_counts IS 'Derived: templates on offer by system (empty: all), facet (s system, c licence, l language, t tag, k kind, r half stars, p pages) and value.';
COMMENT ON TABLE facet_changes IS 'What is to be added to facet_counts: publications must not wait for each other.';

CREATE TABLE stale_listings (
    id uuid NOT NULL
);
COMMENT ON TABLE stale_listings IS 'Templates whose words are to be made anew soon, since their system or owner is called something else now.';

CREATE FUNCTION term_variants(term text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT CASE WHEN length(term) BETWEEN 3 AND 24
            THEN ARRAY(SELECT term UNION SELECT left(term, n - 1) || substr(term, n + 1) FROM generate_series(1, length(term)) AS n)
            ELSE ARRAY[term] END
    $$;

-- Indexes: of the tables or of those that will take their places -----------------------------------------------------------

CREATE FUNCTION index_listings(listings regclass, words regclass, suffix text) RETURNS void LANGUAGE plpgsql AS $$
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
    EXECUTE format('CREATE INDEX listings_by_same_name%s ON %s (hashtext(name_key), downloads DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_filters%s ON %s USING gin (filters) WITH (fastupdate = off)', suffix, listings);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listing_words_pkey%s PRIMARY KEY (id)', words, suffix);
    EXECUTE format('CREATE INDEX listing_words_by_word%s ON %s USING gin (words) WITH (fastupdate = off)', suffix, words);
END $$;
SELECT index_listings('listings', 'listing_words', '');
ALTER TABLE popular_listings ADD CONSTRAINT popular_listings_pkey PRIMARY KEY (id);
CREATE INDEX popular_listings_by_place ON popular_listings (place);
CREATE INDEX popular_listings_by_word ON popular_listings USING gin (words) WITH (fastupdate = off);
ALTER TABLE former_popular_listings ADD CONSTRAINT former_popular_listings_pkey PRIMARY KEY (id);
CREATE INDEX former_popular_listings_by_place ON former_popular_listings (place);
CREATE INDEX former_popular_listings_by_word ON former_popular_listings USING gin (words) WITH (fastupdate = off);
CREATE INDEX search_terms_by_variant ON search_terms USING gin (variants);

-- For suggestions of systems: each name and each word of it behind a blank.
CREATE FUNCTION system_names(slug text, name text, aliases text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT ' ' || public.market_text(lower(concat_ws(' ', $1, replace($1, '-', ' '), $2, array_to_string($3, ' ')))) $$;
ALTER TABLE game_systems ADD COLUMN names text GENERATED ALWAYS AS (system_names(slug, name, aliases)) STORED;
-- For suggestions of authors.
CREATE INDEX users_by_handle ON users ((handle COLLATE "C"));
CREATE INDEX users_by_name ON users ((market_text(lower(display_name)) COLLATE "C"));

-- Keeping them -------------------------------------------------------------------------------------------------------------

CREATE FUNCTION keep_listing(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listings AS l SELECT * FROM current_listings AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, published_at = excluded.published_at,
        downloads = excluded.downloads, rating_lower = excluded.rating_lower, trending = excluded.trending,
        rating = excluded.rating, page_count = excluded.page_count, game_system = excluded.game_system,
        name_key = excluded.name_key, filters = excluded.filters;
    IF NOT FOUND THEN
        DELETE FROM listings AS l WHERE l.id = template;
    END IF;
END $$;

CREATE FUNCTION keep_listing_words(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_words AS l SELECT * FROM current_listing_words AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET words = excluded.words WHERE l.words <> excluded.words;
    IF NOT EXISTS (SELECT FROM current_listings AS c WHERE c.id = template) THEN
        DELETE FROM listing_words AS l WHERE l.id = template;
    END IF;
END $$;

-- A generation keeps what it says of a template, or says nothing of it any more.
CREATE FUNCTION words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM popular_listings AS p WHERE p.id = OLD.id;
        DELETE FROM former_popular_listings AS p WHERE p.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        -- Sorted: two publications enter their new words in one order.
        INSERT INTO search_terms AS s
            SELECT word, 1, term_variants(word) FROM (SELECT unnest(tsvector_to_array(NEW.words)) COLLATE "C" AS word ORDER BY 1) AS w
            WHERE word NOT LIKE '=%' AND length(word) <= 40
            ON CONFLICT (term) DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER listing_words_changed AFTER INSERT OR UPDATE OR DELETE ON listing_words FOR EACH ROW EXECUTE FUNCTION words_changed();

CREATE FUNCTION facets_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), -1
            FROM unnest(tsvector_to_array(OLD.filters)) AS f, unnest(ARRAY['', OLD.game_system]) AS s WHERE f ~ '^=[scltkrp]:';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), 1
            FROM unnest(tsvector_to_array(NEW.filters)) AS f, unnest(ARRAY['', NEW.game_system]) AS s WHERE f ~ '^=[scltkrp]:';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON listings FOR EACH ROW EXECUTE FUNCTION facets_changed();
CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON listings
    FOR EACH ROW WHEN (OLD.filters <> NEW.filters) EXECUTE FUNCTION facets_changed();

CREATE FUNCTION template_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM keep_listing(NEW.id);
    IF TG_OP = 'INSERT' OR (OLD.name, OLD.summary, OLD.game_system, OLD.owner_id, OLD.tags, OLD.license, OLD.language, OLD.kind,
            OLD.page_count, floor(OLD.rating * 2), OLD.latest_version_id)
        IS DISTINCT FROM (NEW.name, NEW.summary, NEW.game_system, NEW.owner_id, NEW.tags, NEW.license, NEW.language, NEW.kind,
            NEW.page_count, floor(NEW.rating * 2), NEW.latest_version_id)
    THEN
        PERFORM keep_listing_words(NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER templates_listing AFTER INSERT OR UPDATE OF name, summary, game_system, owner_id, tags, license, language, kind,
        page_count, rating, rating_lower, downloads, trending, latest_version_id, updated_at, published_at ON templates
    FOR EACH ROW EXECUTE FUNCTION template_changed();

CREATE FUNCTION template_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM listings AS l WHERE l.id = OLD.id;
    DELETE FROM listing_words AS l WHERE l.id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER templates_gone AFTER DELETE ON templates FOR EACH ROW EXECUTE FUNCTION template_gone();

CREATE FUNCTION regions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM keep_listing_words(t.id) FROM templates AS t JOIN versions AS v ON v.id = t.latest_version_id
        WHERE v.submission_id = NEW.submission_id;
    RETURN NULL;
END $$;
CREATE TRIGGER submission_pages_listing AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW EXECUTE FUNCTION regions_changed();

CREATE FUNCTION names_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        INSERT INTO stale_listings SELECT t.id FROM templates AS t WHERE t.owner_id = NEW.id AND t.latest_version_id IS NOT NULL;
    ELSE
        INSERT INTO stale_listings SELECT l.id FROM listings AS l WHERE l.game_system = NEW.slug;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER users_listing AFTER UPDATE OF handle, display_name ON users
    FOR EACH ROW WHEN ((OLD.handle, OLD.display_name) IS DISTINCT FROM (NEW.handle, NEW.display_name)) EXECUTE FUNCTION names_changed();
CREATE TRIGGER game_systems_listing AFTER UPDATE OF name, aliases ON game_systems
    FOR EACH ROW WHEN ((OLD.name, OLD.aliases) IS DISTINCT FROM (NEW.name, NEW.aliases)) EXECUTE FUNCTION names_changed();

-- Making them anew ---------------------------------------------------------------------------------------------------------

-- Readers go on with the old generation until the names change hands, which waits for them for a second at most.
CREATE FUNCTION rebuild_popular(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
    next integer;
BEGIN
    PERFORM pg_advisory_xact_lock(5640001);
    -- Whoever changes a template meanwhile waits: he could not tell the new generation of it.
    LOCK TABLE listing_words IN SHARE ROW EXCLUSIVE MODE;
    SELECT greatest(coalesce(max(generation), 0) + 1, extract(epoch FROM clock_timestamp())::integer) INTO next FROM popular_listings;
    CREATE TABLE popular_next (LIKE popular_listings) WITH (toast_tuple_target = 8160);
    INSERT INTO popular_next (generation, place, id, downloads, filters, words)
        SELECT next, row_number() OVER (ORDER BY top.downloads DESC, top.id DESC), top.id, top.downloads, top.filters,
            w.words
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

CREATE FUNCTION fold_facet_changes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5640002) THEN RETURN 0; END IF;
    WITH taken AS (DELETE FROM facet_changes RETURNING *), sums AS (
        SELECT game_system, facet, value, sum(change) AS change FROM taken GROUP BY 1, 2, 3 HAVING sum(change) <> 0
    )
    INSERT INTO facet_counts AS f SELECT * FROM sums
    ON CONFLICT (game_system, facet, value) DO UPDATE SET count = f.count + excluded.count;
    GET DIAGNOSTICS folded = ROW_COUNT;
    DELETE FROM facet_counts WHERE count <= 0;
    RETURN folded;
END $$;

CREATE FUNCTION rebuild_terms() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
BEGIN
    -- Written over, not emptied: searching goes on.
    CREATE TEMP TABLE counted ON COMMIT DROP AS
        SELECT word COLLATE "C" AS term, ndoc AS uses FROM ts_stat('SELECT words FROM listing_words', 'abcd') WHERE length(word) <= 40;
    GET DIAGNOSTICS made = ROW_COUNT;
    INSERT INTO search_terms AS s SELECT term, uses, term_variants(term) FROM counted ORDER BY term
        ON CONFLICT (term) DO UPDATE SET uses = excluded.uses WHERE s.uses <> excluded.uses;
    CREATE UNIQUE INDEX ON counted (term);
    ANALYZE counted;
    DELETE FROM search_terms AS s WHERE NOT EXISTS (SELECT FROM counted AS c WHERE c.term = s.term);
    RETURN made;
END $$;

-- Publications wait while this runs, about two minutes for a million templates; readers only for the change of names.
CREATE FUNCTION rebuild_search(popular integer) RETURNS void LANGUAGE plpgsql AS $$
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
    CREATE TRIGGER listing_words_changed AFTER INSERT OR UPDATE OR DELETE ON listing_words FOR EACH ROW EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON listings FOR EACH ROW EXECUTE FUNCTION facets_changed();
    CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON listings
        FOR EACH ROW WHEN (OLD.filters <> NEW.filters) EXECUTE FUNCTION facets_changed();
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

CREATE FUNCTION rename_next_indexes() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.relname FROM pg_class AS c WHERE c.relname LIKE 'listing%\_next' AND c.relkind = 'i' AND pg_table_is_visible(c.oid) LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, left(name, -5));
    END LOOP;
END $$;

CREATE FUNCTION refresh_stale_listings(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
BEGIN
    WITH part AS (SELECT ctid FROM stale_listings LIMIT most FOR UPDATE SKIP LOCKED),
        taken AS (DELETE FROM stale_listings WHERE ctid IN (SELECT ctid FROM part) RETURNING id),
        kept AS (SELECT DISTINCT id FROM taken)
    SELECT count(*) FROM (SELECT keep_listing(id), keep_listing_words(id) FROM kept ORDER BY id) AS done INTO found;
    RETURN found;
END $$;

-- Trending -----------------------------------------------------------------------------------------------------------------

CREATE TABLE download_days (
    template_id uuid NOT NULL,
    day         date NOT NULL,
    downloads   bigint NOT NULL,
    CONSTRAINT download_days_pkey PRIMARY KEY (day, template_id)
) PARTITION BY RANGE (day);
CREATE TABLE download_days_other PARTITION OF download_days DEFAULT;
CREATE INDEX download_days_of_template ON download_days (template_id, day DESC);
COMMENT ON TABLE download_days IS 'Downloads by day; a partition for each month, and one for what has none yet.';

CREATE FUNCTION trending_score(template uuid) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
        -- In logarithms, since the powers themselves grow without end; the last half year holds all that counts.
        SELECT coalesce(ln(sum(d.downloads * power(2::double precision, (d.day - newest.day) / 7::double precision))) / ln(2::double precision)
                + (newest.day - date '2020-01-01') / 7::double precision, 0)
        FROM (SELECT max(day) AS day FROM download_days WHERE template_id = template) AS newest
        JOIN download_days AS d ON d.template_id = template AND d.day > newest.day - 182
        GROUP BY newest.day
    $$;

-- Who was downloaded since then; the others keep their score, which is what makes it fade beside the new ones.
CREATE FUNCTION recompute_trending(since date) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint;
BEGIN
    WITH scores AS (
        SELECT s.id, coalesce(trending_score(s.id), 0) AS score
        FROM (SELECT DISTINCT template_id AS id FROM download_days WHERE day >= since) AS s
    ), locked AS (
        SELECT t.id, s.score FROM templates AS t JOIN scores AS s ON s.id = t.id WHERE t.trending <> s.score
        ORDER BY t.id FOR NO KEY UPDATE OF t
    )
    UPDATE templates AS t SET trending = l.score FROM locked AS l WHERE t.id = l.id;
    GET DIAGNOSTICS changed = ROW_COUNT;
    RETURN changed;
END $$;

-- Curated collections ------------------------------------------------------------------------------------------------------

CREATE TABLE collections (
    slug       text CONSTRAINT collections_pkey PRIMARY KEY,
    title      text NOT NULL,
    summary    text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE collection_items (
    collection  text NOT NULL CONSTRAINT collection_items_collection_fkey REFERENCES collections (slug) ON DELETE CASCADE ON UPDATE CASCADE,
    template_id uuid NOT NULL CONSTRAINT collection_items_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    position    integer NOT NULL,
    note        text NOT NULL DEFAULT '',
    CONSTRAINT collection_items_pkey PRIMARY KEY (collection, template_id)
);
CREATE INDEX collection_items_by_position ON collection_items (collection, position);
CREATE INDEX collection_items_of_template ON collection_items (template_id);
COMMENT ON TABLE collections IS 'Lists that moderators keep. What is no longer on offer is not shown.';
CREATE TRIGGER collections_news AFTER INSERT OR UPDATE OR DELETE ON collections
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();

-- What is there already ----------------------------------------------------------------------------------------------------

SELECT rebuild_search(50000);
