-- Ingest: uploads on their way to becoming versions, what was read of their pages, and what they are compared by.

CREATE TABLE submissions (
    id                   uuid CONSTRAINT submissions_pkey PRIMARY KEY,
    template_id          uuid NOT NULL CONSTRAINT submissions_template_id_fkey REFERENCES templates (id),
    uploader_id          uuid NOT NULL CONSTRAINT submissions_uploader_id_fkey REFERENCES users (id),
    version              text NOT NULL,
    kind                 text NOT NULL DEFAULT 'sheet' CONSTRAINT submissions_kind_check CHECK (kind ~ '^[a-z][a-z_]{0,39}$'),
    metadata             jsonb NOT NULL,
    -- The file, and what an importer or the cleaning made it of.
    artifact_sha256      bytea NOT NULL CONSTRAINT submissions_artifact_sha256_fkey REFERENCES artifacts (sha256),
    file_name            text NOT NULL,
    size_bytes           bigint NOT NULL,
    upload_sha256        bytea,
    original_sha256      bytea CONSTRAINT submissions_original_fkey REFERENCES artifacts (sha256),
    original_size_bytes  bigint,
    cleaning             jsonb,
    -- How far it is, and what was found.
    state                text NOT NULL DEFAULT 'received' CONSTRAINT submissions_state_check CHECK (state IN
        ('received', 'inspecting', 'awaiting_review', 'published', 'rejected', 'changes_requested', 'withdrawn')),
    progress             real NOT NULL DEFAULT 0,
    step                 text NOT NULL DEFAULT 'waiting for a worker',
    findings             jsonb NOT NULL DEFAULT '[]',
    page_count           integer,
    outline              jsonb,
    changes              jsonb,
    differences_drawn_at timestamptz,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT submissions_cleaning_check CHECK (
        (original_sha256 IS NULL) = (cleaning IS NULL) AND (original_size_bytes IS NULL) = (cleaning IS NULL))
);
-- A number is taken while a submission of it is under way or published; a refused or returned one frees it.
CREATE UNIQUE INDEX submissions_version_key ON submissions (template_id, version)
    WHERE state IN ('received', 'inspecting', 'awaiting_review', 'published');
CREATE INDEX submissions_uploader ON submissions (uploader_id, id);
-- Whoever sends the original again is to be told, although only its copy was published.
CREATE INDEX submissions_original ON submissions (original_sha256) WHERE original_sha256 IS NOT NULL;
-- The same file again is looked for among what was refused, too.
CREATE INDEX submissions_artifact ON submissions (artifact_sha256);
COMMENT ON COLUMN submissions.metadata IS 'The upload''s metadata, completed from the template: what the template will say once this is published.';
COMMENT ON COLUMN submissions.original_sha256 IS 'The file that was sent, where a clean copy of it was made.';
COMMENT ON COLUMN submissions.cleaning IS 'The copy, what was taken out of it, the findings on the original, and whether the uploader declined it: then artifact_sha256 is the original''s again.';
COMMENT ON COLUMN submissions.outline IS 'A readable rendering of a kind without pages: sections with rows, as plain text.';
COMMENT ON COLUMN submissions.upload_sha256 IS 'Hash of the uploaded file when an importer made another artifact of it; its bytes are not kept.';
COMMENT ON COLUMN submissions.changes IS 'The comparison with the version that was offered when this was inspected.';
COMMENT ON COLUMN submissions.differences_drawn_at IS 'When page_differences was filled; nothing before, and where there was nothing to compare.';

ALTER TABLE versions ADD CONSTRAINT versions_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES submissions (id);

-- Whoever watches a submission listens to the channel submissions (payload: id).
CREATE FUNCTION notify_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('submissions', NEW.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_notify AFTER INSERT OR UPDATE OF state, progress, step ON submissions
    FOR EACH ROW EXECUTE FUNCTION notify_submissions();

-- Pages ---------------------------------------------------------------------------------------------------------------

-- By what pages are known again in other files: what they look like and what they say, 64 bits each. Of two fingerprints that
-- differ in up to 7 bits one of four bands differs in at most one. So it is enough to look up each band as it is and with each
-- of its bits turned over: 68 keys, each of which one page in 65,536 has. Of those that differ in 8 bits this finds 19 in 20.
-- Numbered, since indexes are on perceptual_hash_bands(): with another body they would have to be made anew.
CREATE FUNCTION perceptual_hash_bands(look bit(64)) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT ARRAY[
            substring(look FROM 1 FOR 16)::bit(16)::integer,
            substring(look FROM 17 FOR 16)::bit(16)::integer + 65536,
            substring(look FROM 33 FOR 16)::bit(16)::integer + 131072,
            substring(look FROM 49 FOR 16)::bit(16)::integer + 196608]
    $$;
COMMENT ON FUNCTION perceptual_hash_bands IS 'The four quarters of a fingerprint, each a number of its own range: what pages are indexed by.';

CREATE FUNCTION perceptual_hash_probes(look bit(64)) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT array_agg(band # flip)
        FROM unnest(perceptual_hash_bands(look)) AS band
        CROSS JOIN (SELECT 0 UNION ALL SELECT 1 << bit FROM generate_series(0, 15) AS bit) AS flips (flip)
    $$;
COMMENT ON FUNCTION perceptual_hash_probes IS 'The bands of a fingerprint and of all that differ from it in one bit of a band: what is looked up.';

CREATE TABLE submission_pages (
    submission_id   uuid NOT NULL CONSTRAINT submission_pages_submission_id_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    page_index      integer NOT NULL,
    width           double precision NOT NULL,
    height          double precision NOT NULL,
    rotation        integer NOT NULL,
    text_characters integer NOT NULL,
    form_fields     integer NOT NULL,
    regions         jsonb NOT NULL,
    page_text       text NOT NULL DEFAULT '',
    perceptual_hash       bit(64),
    text_hash       bit(64),
    CONSTRAINT submission_pages_pkey PRIMARY KEY (submission_id, page_index)
);
CREATE INDEX submission_pages_perceptual_hash ON submission_pages USING gin (perceptual_hash_bands(perceptual_hash)) WITH (fastupdate = off)
    WHERE perceptual_hash IS NOT NULL;
-- Pages with the same words are found however they look now: a margin cut off, other paper.
CREATE INDEX submission_pages_words ON submission_pages USING gin (perceptual_hash_bands(text_hash)) WITH (fastupdate = off)
    WHERE text_hash IS NOT NULL;
COMMENT ON TABLE submission_pages IS 'What the reader said of each page; width and height in points, as displayed. A version''s pages are those of its submission.';
COMMENT ON COLUMN submission_pages.perceptual_hash IS 'What the page looks like; pages that differ in up to 8 bits look the same. All zero for an empty page.';
COMMENT ON COLUMN submission_pages.text_hash IS 'What the page says, likewise; NULL when it says nothing.';

-- The regions of a published version are part of the catalog.
CREATE FUNCTION notify_regions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.submission_id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER regions_notify AFTER UPDATE OF regions ON submission_pages
    FOR EACH ROW EXECUTE FUNCTION notify_regions();

CREATE TABLE previews (
    submission_id uuid NOT NULL CONSTRAINT previews_submission_id_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    page_index    integer NOT NULL,
    width         integer NOT NULL,
    height        integer NOT NULL,
    sha256        bytea NOT NULL CONSTRAINT previews_sha256_fkey REFERENCES artifacts (sha256),
    CONSTRAINT previews_pkey PRIMARY KEY (submission_id, page_index, width)
);
COMMENT ON TABLE previews IS 'WebP pictures of pages; width and height in pixels.';

-- What a version is compared by beside looks and regions: where fields and words of each page are. Only comparing reads it.
CREATE TABLE page_layouts (
    submission_id uuid NOT NULL,
    page_index    integer NOT NULL,
    layout        jsonb NOT NULL,
    CONSTRAINT page_layouts_pkey PRIMARY KEY (submission_id, page_index),
    CONSTRAINT page_layouts_page_fkey FOREIGN KEY (submission_id, page_index)
        REFERENCES submission_pages (submission_id, page_index) ON DELETE CASCADE
);
COMMENT ON TABLE page_layouts IS 'Where words and fields of a page are; absent for versions from before there was comparing.';

CREATE TABLE preset_pages (
    submission_id uuid NOT NULL CONSTRAINT preset_pages_submission_id_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    page_index    integer NOT NULL,
    width         double precision NOT NULL,
    height        double precision NOT NULL,
    perceptual_hash     bit(64) NOT NULL,
    text_hash     bit(64),
    regions       jsonb NOT NULL,
    CONSTRAINT preset_pages_pkey PRIMARY KEY (submission_id, page_index)
);
CREATE INDEX preset_pages_perceptual_hash ON preset_pages USING gin (perceptual_hash_bands(perceptual_hash)) WITH (fastupdate = off);
COMMENT ON TABLE preset_pages IS 'Pages that a region preset says it is for, with the regions that pages like them get. A version''s are those of its submission.';

CREATE TABLE page_differences (
    submission_id       uuid NOT NULL CONSTRAINT page_differences_submission_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    page_index          integer,
    other_submission_id uuid NOT NULL CONSTRAINT page_differences_other_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    other_page_index    integer,
    width               integer NOT NULL,
    height              integer NOT NULL,
    sha256              bytea NOT NULL CONSTRAINT page_differences_artifact_fkey REFERENCES artifacts (sha256),
    CONSTRAINT page_differences_pages_key UNIQUE NULLS NOT DISTINCT (submission_id, other_submission_id, page_index, other_page_index),
    CONSTRAINT page_differences_pages_check CHECK (page_index IS NOT NULL OR other_page_index IS NOT NULL)
);
CREATE INDEX page_differences_other ON page_differences (other_submission_id);
CREATE INDEX page_differences_artifact ON page_differences (sha256);
COMMENT ON TABLE page_differences IS 'WebP pictures: what a page has (page_index; none: the page is gone) that the other has not (other_page_index; none: the page is new), and the reverse.';
