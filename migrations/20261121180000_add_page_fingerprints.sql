-- By what pages are known again in other files: what they look like and what they say, 64 bits each. Old nodes write
-- neither column and lose nothing; `sheetmarket admin fingerprints` fills in what they left out.
-- Columns without a default cost nothing; the index is over rows that have none yet, but its building reads the table
-- once: writers wait for that, a second for each few hundred thousand pages.

ALTER TABLE submission_pages
    ADD COLUMN look_hash bit(64),
    ADD COLUMN text_hash bit(64);
COMMENT ON COLUMN submission_pages.look_hash IS 'What the page looks like; pages that differ in up to 8 bits look the same. All zero for an empty page.';
COMMENT ON COLUMN submission_pages.text_hash IS 'What the page says, likewise; NULL when it says nothing.';

-- Of two fingerprints that differ in up to 7 bits one of four bands differs in at most one. So it is enough to look up
-- each band as it is and with each of its bits turned over: 68 keys, each of which one page in 65,536 has. Of those that
-- differ in 8 bits this finds 19 in 20.

CREATE FUNCTION look_bands(look bit(64)) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT ARRAY[
            substring(look FROM 1 FOR 16)::bit(16)::integer,
            substring(look FROM 17 FOR 16)::bit(16)::integer + 65536,
            substring(look FROM 33 FOR 16)::bit(16)::integer + 131072,
            substring(look FROM 49 FOR 16)::bit(16)::integer + 196608]
    $$;
COMMENT ON FUNCTION look_bands IS 'The four quarters of a fingerprint, each a number of its own range: what pages are indexed by.';

CREATE FUNCTION look_probes(look bit(64)) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT array_agg(band # flip)
        FROM unnest(look_bands(look)) AS band
        CROSS JOIN (SELECT 0 UNION ALL SELECT 1 << bit FROM generate_series(0, 15) AS bit) AS flips (flip)
    $$;
COMMENT ON FUNCTION look_probes IS 'The bands of a fingerprint and of all that differ from it in one bit of a band: what is looked up.';

CREATE INDEX submission_pages_look ON submission_pages USING gin (look_bands(look_hash)) WITH (fastupdate = off)
    WHERE look_hash IS NOT NULL;

-- Zoom regions that sheets of a known layout get.

CREATE TABLE preset_pages (
    submission_id uuid NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
    page_index    integer NOT NULL,
    width         double precision NOT NULL,
    height        double precision NOT NULL,
    look_hash     bit(64) NOT NULL,
    text_hash     bit(64),
    regions       jsonb NOT NULL,
    PRIMARY KEY (submission_id, page_index)
);
COMMENT ON TABLE preset_pages IS 'Pages that a region preset says it is for, with the regions that pages like them get. A version''s are those of its submission.';
CREATE INDEX preset_pages_look ON preset_pages USING gin (look_bands(look_hash)) WITH (fastupdate = off);
