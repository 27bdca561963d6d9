-- The tables of the search (catalog): derived from templates, kept by triggers, made anew by rebuild_listings(),
-- rebuild_terms() and rebuild_popular(). These functions are in repeatable/200_search.sql. There, index_listings() and
-- attach_listing_triggers() give listings and listing_words their indexes and triggers, at first and whenever they are made anew.
-- What is said of the tables that are made anew stands in comments like this one, since COMMENT ON would be lost with them.

-- One row for each template on offer, with all that a list shows, is sorted and is filtered by.
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
    filters      tsvector NOT NULL,
    slug         text NOT NULL,
    name         text NOT NULL,
    summary      text NOT NULL,
    author       text NOT NULL,
    rating_count integer NOT NULL,
    number       text NOT NULL,
    license      text NOT NULL,
    language     text NOT NULL,
    tags         text[] NOT NULL,
    kind         text NOT NULL,
    -- Sorted lists with filters go along the index of their order; the index holds these marks (listing_bloom_filter() of the filters),
    -- so that only what fits is looked up.
    bloom_low    bigint NOT NULL,
    bloom_high   bigint NOT NULL
);

-- The words and filters of each template on offer, with the keys of sorting that change seldom, so that the matches of a word
-- can be sorted without their listings. Apart from listings, since words change seldom and counts often.
CREATE TABLE listing_words (
    id           uuid NOT NULL,
    words        tsvector NOT NULL,
    updated_at   timestamptz NOT NULL,
    published_at timestamptz NOT NULL,
    name_key     text COLLATE "C" NOT NULL,
    magnitude    integer NOT NULL -- download_magnitude() of the template.
) WITH (toast_tuple_target = 8160); -- Reading words from elsewhere, or unpacking them, takes longer than comparing them.

-- The most downloaded templates as they were when this generation was made, stored in the order of their places. Who changes
-- leaves it until the next generation.
CREATE TABLE popular_listings (
    generation integer NOT NULL,
    place      integer NOT NULL,
    id         uuid NOT NULL CONSTRAINT popular_listings_pkey PRIMARY KEY,
    downloads  bigint NOT NULL,
    filters    tsvector NOT NULL,
    words      tsvector NOT NULL,
    facets     text[] NOT NULL -- The filters that facets count: taking them out of filters takes longer than counting.
) WITH (toast_tuple_target = 8160);
CREATE INDEX popular_listings_by_place ON popular_listings (place);
CREATE INDEX popular_listings_by_word ON popular_listings USING gin (words) WITH (fastupdate = off);
ALTER TABLE popular_listings CLUSTER ON popular_listings_by_place;

-- The generation before, for whoever turns pages while a new one is made.
CREATE TABLE former_popular_listings (LIKE popular_listings) WITH (toast_tuple_target = 8160);
ALTER TABLE former_popular_listings ADD CONSTRAINT former_popular_listings_pkey PRIMARY KEY (id);
CREATE INDEX former_popular_listings_by_place ON former_popular_listings (place);
CREATE INDEX former_popular_listings_by_word ON former_popular_listings USING gin (words) WITH (fastupdate = off);
ALTER TABLE former_popular_listings CLUSTER ON former_popular_listings_by_place;

CREATE TABLE search_terms (
    term     text COLLATE "C" NOT NULL CONSTRAINT search_terms_pkey PRIMARY KEY,
    uses     integer NOT NULL,
    variants text[] COLLATE "C" NOT NULL
);
CREATE INDEX search_terms_by_variant ON search_terms USING gin (variants);
COMMENT ON TABLE search_terms IS 'Derived: the words of the catalog, how many templates have them (as of the last rebuild), and each with one letter left out: two words with a variant in common are at most a slip or two apart.';

CREATE TABLE system_words (
    word text COLLATE "C" CONSTRAINT system_words_pkey PRIMARY KEY
);
COMMENT ON TABLE system_words IS 'Words of game systems'' slugs, names and aliases. Whatever has one has the lexeme =w:system/word in listing_words, too.';

CREATE TABLE facet_counts (
    game_system text COLLATE "C" NOT NULL,
    facet       text COLLATE "C" NOT NULL,
    value       text COLLATE "C" NOT NULL,
    count       bigint NOT NULL,
    CONSTRAINT facet_counts_pkey PRIMARY KEY (game_system, facet, value)
);
CREATE INDEX facet_counts_empty ON facet_counts (count) WHERE count <= 0;
CREATE INDEX facet_counts_top ON facet_counts (game_system, facet, count DESC);
COMMENT ON TABLE facet_counts IS 'Derived: templates on offer by system (empty: all), facet (s system, c licence, l language, t tag, k kind, r half stars, p pages) and value.';

CREATE TABLE facet_changes (
    game_system text COLLATE "C" NOT NULL,
    facet       text COLLATE "C" NOT NULL,
    value       text COLLATE "C" NOT NULL,
    change      bigint NOT NULL
);
COMMENT ON TABLE facet_changes IS 'What is to be added to facet_counts: publications must not wait for each other.';

CREATE TABLE stale_listings (
    id uuid NOT NULL
);
COMMENT ON TABLE stale_listings IS 'Templates whose words are to be made anew soon, since their system or owner is called something else now.';
