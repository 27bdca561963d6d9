-- Release channels, withdrawals that say whose they are, versions that cannot change, deprecation, slugs for good.
-- New columns have defaults or are NULL: old nodes go on writing. Each table is locked for an instant.

-- A version number as text that sorts (COLLATE "C") as Semantic Versioning 2.0.0, section 11, demands: numbers of equal
-- width; a release ('~') after its pre-releases; identifiers that are numbers ('#') before others ('$'), fewer before
-- more. What follows a '+' takes no part.
CREATE FUNCTION version_precedence(number text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT (
                SELECT string_agg(lpad(part, 20, '0'), '.' ORDER BY place)
                FROM unnest(string_to_array(split_part(plain.text, '-', 1), '.')) WITH ORDINALITY AS core (part, place)
            ) || CASE WHEN strpos(plain.text, '-') = 0 THEN '~' ELSE (
                SELECT string_agg(
                    CASE WHEN part ~ '^[0-9]+$' THEN '#' || lpad(length(part)::text, 3, '0') || part ELSE '$' || part END
                        || ' ', '' ORDER BY place)
                FROM unnest(string_to_array(substr(plain.text, strpos(plain.text, '-') + 1), '.'))
                    WITH ORDINALITY AS identifier (part, place)
            ) END
        FROM (SELECT split_part($1, '+', 1) AS text) AS plain
    $$;
COMMENT ON FUNCTION version_precedence IS 'Sort key of a Semantic Versioning number; compare with COLLATE "C".';

ALTER TABLE versions
    ADD COLUMN channel text NOT NULL DEFAULT 'stable' CONSTRAINT versions_channel_check CHECK (channel IN ('stable', 'beta')),
    ADD COLUMN minimum_client_version text,
    ADD COLUMN withdrawn_by text CONSTRAINT versions_withdrawn_by_check CHECK (withdrawn_by IN ('author', 'administrator'));
COMMENT ON COLUMN versions.channel IS 'Who is offered it: everybody (stable), or who asks for previews too (beta). A pre-release is always beta.';
COMMENT ON COLUMN versions.withdrawn_by IS 'Who yanked it; what an administrator yanked its author cannot put back. NULL counts as the author.';

UPDATE versions SET channel = 'beta' WHERE strpos(split_part(number, '+', 1), '-') > 0;

CREATE FUNCTION versions_choose_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF strpos(split_part(NEW.number, '+', 1), '-') > 0 THEN NEW.channel := 'beta'; END IF;
    -- Whoever inserts holds the template's lock, so nobody enters the other one meanwhile.
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM versions WHERE template_id = NEW.template_id AND number <> NEW.number
            AND split_part(number, '+', 1) = split_part(NEW.number, '+', 1)
    ) THEN
        RAISE EXCEPTION 'a version of the same precedence exists'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'versions_number_key';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER versions_channel BEFORE INSERT OR UPDATE OF channel ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_choose_channel();

-- Immutable but for where and whether they are offered; never removed, so that a number is never used again.
CREATE FUNCTION versions_are_for_good() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (
        NEW.id, NEW.template_id, NEW.submission_id, NEW.number, NEW.artifact_sha256, NEW.file_name, NEW.size_bytes,
        NEW.page_count, NEW.changelog, NEW.published_at, NEW.minimum_client_version
    ) IS NOT DISTINCT FROM (
        OLD.id, OLD.template_id, OLD.submission_id, OLD.number, OLD.artifact_sha256, OLD.file_name, OLD.size_bytes,
        OLD.page_count, OLD.changelog, OLD.published_at, OLD.minimum_client_version
    ) THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'versions never change and are never removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER versions_immutable BEFORE UPDATE OR DELETE ON versions
    FOR EACH ROW EXECUTE FUNCTION versions_are_for_good();

CREATE FUNCTION artifacts_are_their_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an artifact is its bytes' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER artifacts_immutable BEFORE UPDATE OF sha256, size_bytes ON artifacts
    FOR EACH ROW WHEN (NEW.sha256 <> OLD.sha256 OR NEW.size_bytes <> OLD.size_bytes)
    EXECUTE FUNCTION artifacts_are_their_hash();

CREATE TRIGGER versions_channel_news AFTER UPDATE OF channel, withdrawn_by ON versions
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();

-- Templates --------------------------------------------------------------------------------------------------------------

ALTER TABLE templates
    ADD COLUMN newest_version_id uuid CONSTRAINT templates_newest_version_fkey REFERENCES versions (id)
        DEFERRABLE INITIALLY DEFERRED,
    ADD COLUMN deprecated_at timestamptz,
    ADD COLUMN deprecation_message text,
    ADD COLUMN successor_id uuid CONSTRAINT templates_successor_fkey REFERENCES templates (id),
    ADD CONSTRAINT templates_deprecation_check CHECK (
        (deprecated_at IS NULL) = (deprecation_message IS NULL) AND (successor_id IS NULL OR deprecated_at IS NOT NULL));
COMMENT ON COLUMN templates.newest_version_id IS 'What is offered to those who take previews: the newest published version of any channel.';
COMMENT ON COLUMN templates.successor_id IS 'The template to use instead of a deprecated one. Following successors always comes to an end.';

UPDATE templates SET newest_version_id = (
    SELECT id FROM versions WHERE versions.template_id = templates.id AND versions.state = 'published'
    ORDER BY version_precedence(number) COLLATE "C" DESC LIMIT 1)
WHERE latest_version_id IS NOT NULL;

CREATE FUNCTION templates_check_successor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.successor_id IS NULL THEN RETURN NEW; END IF;
    -- One at a time: two that name each other at once would each see no circle.
    PERFORM pg_advisory_xact_lock(x'5348454554535543'::bigint);
    IF EXISTS (
        WITH RECURSIVE chain (id) AS (
            SELECT NEW.successor_id
            UNION
            SELECT t.successor_id FROM templates AS t JOIN chain ON chain.id = t.id WHERE t.successor_id IS NOT NULL
        )
        SELECT FROM chain WHERE id = NEW.id
    ) THEN
        RAISE EXCEPTION 'successors lead back to the template'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'templates_successor_circle';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER templates_successor BEFORE INSERT OR UPDATE OF successor_id ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_check_successor();

CREATE TRIGGER templates_standing_news
    AFTER UPDATE OF newest_version_id, owner_id, deprecated_at, deprecation_message, successor_id ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();

-- Every slug that a template has or ever had is its own for good.
CREATE TABLE template_slugs (
    slug        text PRIMARY KEY,
    template_id uuid NOT NULL CONSTRAINT template_slugs_template_fkey REFERENCES templates (id),
    taken_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX template_slugs_template ON template_slugs (template_id);
COMMENT ON TABLE template_slugs IS 'All slugs ever used; one that is not its template''s present slug redirects there. Kept by a trigger.';

CREATE FUNCTION templates_take_slug() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO template_slugs (slug, template_id) VALUES (NEW.slug, NEW.id) ON CONFLICT (slug) DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM template_slugs WHERE slug = NEW.slug AND template_id = NEW.id) THEN
        RAISE EXCEPTION 'the slug is another template''s'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'templates_slug_key';
    END IF;
    RETURN NULL;
END $$;
INSERT INTO template_slugs (slug, template_id, taken_at) SELECT slug, id, created_at FROM templates;
CREATE TRIGGER templates_slug AFTER INSERT OR UPDATE OF slug ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_take_slug();
