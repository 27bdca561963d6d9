-- Catalog: templates and their versions, the files they offer, authors, downloads, the change feed, and curated collections.
-- The tables of the search, which are derived from these, are in search.sql. versions.submission_id gets its foreign key in
-- ingest.sql: submissions refer to templates, and versions to submissions.

-- Game systems, artifacts, templates ----------------------------------------------------------------------------------

-- For suggestions of systems: each name and each word of it behind a blank. Numbered, since game_systems.names holds it.
CREATE FUNCTION system_names(slug text, name text, aliases text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT ' ' || public.market_text(lower(concat_ws(' ', $1, replace($1, '-', ' '), $2, array_to_string($3, ' ')))) $$;

CREATE TABLE game_systems (
    slug       text CONSTRAINT game_systems_pkey PRIMARY KEY,
    name       text NOT NULL,
    publisher  text,
    aliases    text[] NOT NULL DEFAULT '{}',
    names      text GENERATED ALWAYS AS (system_names(slug, name, aliases)) STORED,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE artifacts (
    sha256     bytea CONSTRAINT artifacts_pkey PRIMARY KEY CONSTRAINT artifacts_sha256_length CHECK (octet_length(sha256) = 32),
    size_bytes bigint NOT NULL,
    media_type text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE artifacts IS 'Bytes of versions and pictures that storage holds, by SHA-256. The bytes are there before the row is.';

CREATE FUNCTION artifacts_are_content_addressed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an artifact is its bytes' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER artifacts_immutable BEFORE UPDATE OF sha256, size_bytes ON artifacts
    FOR EACH ROW WHEN (NEW.sha256 <> OLD.sha256 OR NEW.size_bytes <> OLD.size_bytes)
    EXECUTE FUNCTION artifacts_are_content_addressed();

CREATE TABLE templates (
    id                  uuid CONSTRAINT templates_pkey PRIMARY KEY,
    slug                text NOT NULL CONSTRAINT templates_slug_key UNIQUE,
    owner_id            uuid NOT NULL CONSTRAINT templates_owner_id_fkey REFERENCES users (id),
    game_system         text NOT NULL CONSTRAINT templates_game_system_fkey REFERENCES game_systems (slug),
    kind                text NOT NULL DEFAULT 'sheet' CONSTRAINT templates_kind_check CHECK (kind ~ '^[a-z][a-z_]{0,39}$'),
    name                text NOT NULL,
    summary             text NOT NULL,
    description         text NOT NULL DEFAULT '',
    tags                text[] NOT NULL DEFAULT '{}',
    license             text NOT NULL,
    language            text NOT NULL,
    latest_version_id   uuid,
    newest_version_id   uuid,
    page_count          integer NOT NULL DEFAULT 0,
    -- Counts, kept by functions: refresh_rating(), aggregate_downloads(), recompute_trending().
    rating              double precision NOT NULL DEFAULT 0,
    rating_lower        double precision NOT NULL DEFAULT 0,
    rating_count        integer NOT NULL DEFAULT 0,
    downloads           bigint NOT NULL DEFAULT 0,
    trending            double precision NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    published_at        timestamptz,
    deprecated_at       timestamptz,
    deprecation_message text,
    successor_id        uuid CONSTRAINT templates_successor_fkey REFERENCES templates (id),
    taken_down_at       timestamptz,
    takedown_code       text,
    takedown_message    text,
    CONSTRAINT templates_deprecation_check CHECK (
        (deprecated_at IS NULL) = (deprecation_message IS NULL) AND (successor_id IS NULL OR deprecated_at IS NOT NULL))
) WITH (fillfactor = 90); -- Downloads change often and no index is on what changes: room for the new row on the same page.
CREATE INDEX templates_by_owner ON templates (owner_id, id);
CREATE INDEX templates_successor_of ON templates (successor_id) WHERE successor_id IS NOT NULL;
COMMENT ON TABLE templates IS 'Catalog entries. Listed exactly while latest_version_id names the version on offer; page_count is that version''s.';
COMMENT ON COLUMN templates.kind IS 'sheet, skill_library, region_preset, vocabulary, …; the same for all versions.';
COMMENT ON COLUMN templates.newest_version_id IS 'What is offered to those who take previews: the newest published version of any channel.';
COMMENT ON COLUMN templates.successor_id IS 'The template to use instead of a deprecated one. Following successors always comes to an end.';
COMMENT ON COLUMN templates.rating_lower IS 'Lower bound of the shown rating: what lists are sorted by.';
COMMENT ON COLUMN templates.trending IS 'Installs that fade by half each week: log2 of the sum over days of downloads * 2^(weeks since 2020), which needs no update while nobody installs. 0 is none.';
COMMENT ON COLUMN templates.taken_down_at IS 'Since when the whole template is down; then none of its versions is offered and none can be published.';

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

-- Every slug that a template has or ever had is its own for good.
CREATE TABLE template_slugs (
    slug        text CONSTRAINT template_slugs_pkey PRIMARY KEY,
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
CREATE TRIGGER templates_slug AFTER INSERT OR UPDATE OF slug ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_take_slug();

-- Versions ------------------------------------------------------------------------------------------------------------

-- A version number as text that sorts (COLLATE "C") as Semantic Versioning 2.0.0, section 11, demands: numbers of equal
-- width; a release ('~') after its pre-releases; identifiers that are numbers ('#') before others ('$'), fewer before
-- more. What follows a '+' takes no part.
-- Numbered, since versions_by_precedence is on it: with another body that index would have to be made anew.
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

CREATE TABLE versions (
    id                     uuid CONSTRAINT versions_pkey PRIMARY KEY,
    template_id            uuid NOT NULL CONSTRAINT versions_template_id_fkey REFERENCES templates (id),
    submission_id          uuid NOT NULL CONSTRAINT versions_submission_key UNIQUE,
    number                 text NOT NULL,
    channel                text NOT NULL DEFAULT 'stable' CONSTRAINT versions_channel_check CHECK (channel IN ('stable', 'beta')),
    artifact_sha256        bytea NOT NULL CONSTRAINT versions_artifact_sha256_fkey REFERENCES artifacts (sha256),
    file_name              text NOT NULL,
    size_bytes             bigint NOT NULL,
    page_count             integer NOT NULL,
    changelog              text NOT NULL DEFAULT '',
    minimum_client_version text,
    published_at           timestamptz NOT NULL DEFAULT now(),
    state                  text NOT NULL DEFAULT 'published' CONSTRAINT versions_state_check CHECK (state IN ('published', 'yanked', 'taken_down')),
    state_reason           text,
    withdrawn_by           text CONSTRAINT versions_withdrawn_by_check CHECK (withdrawn_by IN ('author', 'administrator')),
    taken_down_at          timestamptz,
    takedown_code          text,
    former_state           text,
    former_reason          text,
    CONSTRAINT versions_number_key UNIQUE (template_id, number)
);
CREATE INDEX versions_artifact ON versions (artifact_sha256);
-- The pages of a template's versions begin in the middle of their order.
CREATE INDEX versions_by_precedence
    ON versions (template_id, version_precedence(number) COLLATE "C" DESC, number COLLATE "C" DESC) WHERE state <> 'taken_down';
COMMENT ON TABLE versions IS 'Immutable releases. A number is never used again, an artifact never changes.';
COMMENT ON COLUMN versions.channel IS 'Who is offered it: everybody (stable), or who asks for previews too (beta). A pre-release is always beta.';
COMMENT ON COLUMN versions.withdrawn_by IS 'Who yanked it; what an administrator yanked its author cannot put back. NULL counts as the author.';
COMMENT ON COLUMN versions.former_state IS 'What a taken-down version goes back to, with former_reason.';

ALTER TABLE templates
    ADD CONSTRAINT templates_latest_version_fkey FOREIGN KEY (latest_version_id) REFERENCES versions (id) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT templates_newest_version_fkey FOREIGN KEY (newest_version_id) REFERENCES versions (id) DEFERRABLE INITIALLY DEFERRED;

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
CREATE FUNCTION versions_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
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
    FOR EACH ROW EXECUTE FUNCTION versions_are_immutable();

-- Authors -------------------------------------------------------------------------------------------------------------

CREATE TABLE template_authors (
    template_id uuid NOT NULL CONSTRAINT template_authors_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    user_id     uuid NOT NULL CONSTRAINT template_authors_user_fkey REFERENCES users (id),
    role        text NOT NULL CONSTRAINT template_authors_role_check CHECK (role IN ('maintainer', 'contributor')),
    added_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT template_authors_pkey PRIMARY KEY (template_id, user_id)
);
CREATE INDEX template_authors_user ON template_authors (user_id);
COMMENT ON TABLE template_authors IS 'Authors beside the owner, who is templates.owner_id and has no row here.';

CREATE TABLE template_invitations (
    id          uuid CONSTRAINT template_invitations_pkey PRIMARY KEY,
    template_id uuid NOT NULL CONSTRAINT template_invitations_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    inviter_id  uuid NOT NULL CONSTRAINT template_invitations_inviter_fkey REFERENCES users (id),
    invitee_id  uuid NOT NULL CONSTRAINT template_invitations_invitee_fkey REFERENCES users (id),
    role        text NOT NULL CONSTRAINT template_invitations_role_check CHECK (role IN ('owner', 'maintainer', 'contributor')),
    state       text NOT NULL DEFAULT 'open' CONSTRAINT template_invitations_state_check CHECK (state IN
        ('open', 'accepted', 'declined', 'withdrawn', 'expired')),
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    ended_at    timestamptz,
    CONSTRAINT template_invitations_end_check CHECK ((state = 'open') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX template_invitations_invitee_key ON template_invitations (template_id, invitee_id) WHERE state = 'open';
-- Only one can be the next owner.
CREATE UNIQUE INDEX template_invitations_transfer_key ON template_invitations (template_id) WHERE state = 'open' AND role = 'owner';
CREATE INDEX template_invitations_open ON template_invitations (invitee_id, id) WHERE state = 'open';
COMMENT ON TABLE template_invitations IS 'Offers of a part in a template; role owner hands it over. Past expires_at an open one counts as expired.';

-- Owned by accounts; here, since it refers to templates.
CREATE TABLE api_token_templates (
    token_id    uuid NOT NULL CONSTRAINT api_token_templates_token_fkey REFERENCES api_tokens (id) ON DELETE CASCADE,
    template_id uuid NOT NULL CONSTRAINT api_token_templates_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    CONSTRAINT api_token_templates_pkey PRIMARY KEY (token_id, template_id)
);
COMMENT ON TABLE api_token_templates IS 'What limited tokens act on.';

-- Wake-ups: caches of answers about the catalog listen to the channel catalog (payload: template id, or empty) --------

CREATE FUNCTION notify_catalog() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER templates_notify
    AFTER UPDATE OF latest_version_id, name, summary, description, tags, license, language, slug ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();
CREATE TRIGGER templates_state_notify
    AFTER UPDATE OF newest_version_id, owner_id, deprecated_at, deprecation_message, successor_id ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();
CREATE TRIGGER templates_takedown_notify AFTER UPDATE OF taken_down_at ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();
CREATE TRIGGER versions_notify AFTER INSERT OR UPDATE OF state, state_reason ON versions
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();
CREATE TRIGGER versions_channel_notify AFTER UPDATE OF channel, withdrawn_by ON versions
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();

CREATE FUNCTION notify_authors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', coalesce(NEW.template_id, OLD.template_id)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER template_authors_notify AFTER INSERT OR UPDATE OR DELETE ON template_authors
    FOR EACH ROW EXECUTE FUNCTION notify_authors();

CREATE FUNCTION notify_game_systems() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', '');
    RETURN NULL;
END $$;
CREATE TRIGGER game_systems_notify AFTER INSERT OR UPDATE OR DELETE ON game_systems
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();

-- Files that nobody may have: what signed addresses of them are refused by, on every node at once ---------------------

CREATE TABLE blocked_artifacts (
    sha256     bytea CONSTRAINT blocked_artifacts_pkey PRIMARY KEY,
    blocked_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE blocked_artifacts IS 'Derived: artifacts of versions that are taken down and of none that can still be downloaded.';

CREATE TABLE blocked_artifact_changes (
    only_row boolean CONSTRAINT blocked_artifact_changes_pkey PRIMARY KEY DEFAULT true CONSTRAINT blocked_artifact_changes_check CHECK (only_row),
    number   bigint NOT NULL
);
COMMENT ON TABLE blocked_artifact_changes IS 'Counts the changes of blocked_artifacts: a node asks for this often, and for the whole only when it moved.';
INSERT INTO blocked_artifact_changes (number) VALUES (0);

CREATE FUNCTION versions_block_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_blocked boolean;
BEGIN
    -- One at a time: the state of another version with these bytes must not change unseen.
    UPDATE blocked_artifact_changes SET number = number;
    SELECT bool_and(v.state = 'taken_down') INTO is_blocked FROM versions AS v WHERE v.artifact_sha256 = NEW.artifact_sha256;
    IF is_blocked THEN
        INSERT INTO blocked_artifacts (sha256) VALUES (NEW.artifact_sha256) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    END IF;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_blocked AFTER UPDATE OF state ON versions
    FOR EACH ROW WHEN ((OLD.state = 'taken_down') <> (NEW.state = 'taken_down')) EXECUTE FUNCTION versions_block_artifacts();

-- The same bytes, published again by leave of a moderator.
CREATE FUNCTION versions_unblock_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM blocked_artifacts AS b WHERE b.sha256 = NEW.artifact_sha256;
    IF FOUND THEN
        UPDATE blocked_artifact_changes SET number = number + 1;
        PERFORM pg_notify('blocked_artifacts', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER versions_unblocked AFTER INSERT ON versions
    FOR EACH ROW WHEN (NEW.state <> 'taken_down') EXECUTE FUNCTION versions_unblock_artifacts();

-- Downloads: each client counts once a day, without keeping addresses (docs/operations.md) ----------------------------

-- Unlogged: neither the salt nor the clients ever reach the write-ahead log, an archive of it or a replica. A crash of
-- PostgreSQL empties both, and then a client may count twice on that day.
CREATE UNLOGGED TABLE download_salts (
    day  date CONSTRAINT download_salts_pkey PRIMARY KEY,
    salt bytea NOT NULL CONSTRAINT download_salts_length CHECK (octet_length(salt) = 32)
);
COMMENT ON TABLE download_salts IS 'The day''s secret that clients are hashed with; all nodes share it, and it is gone soon after the day.';

CREATE TABLE download_clients (
    day         date NOT NULL,
    template_id uuid NOT NULL,
    client      bytea NOT NULL,
    CONSTRAINT download_clients_pkey PRIMARY KEY (day, template_id, client)
) PARTITION BY LIST (day);
COMMENT ON TABLE download_clients IS 'Who has downloaded what on a day, as salted hashes. A partition for each day, dropped soon after it.';

CREATE TABLE download_changes (
    day         date NOT NULL,
    template_id uuid NOT NULL,
    downloads   bigint NOT NULL
);
COMMENT ON TABLE download_changes IS 'Counted downloads that are to be added to download_days and templates.downloads: nodes must not wait for each other.';

CREATE TABLE download_days (
    template_id uuid NOT NULL,
    day         date NOT NULL,
    downloads   bigint NOT NULL,
    CONSTRAINT download_days_pkey PRIMARY KEY (day, template_id)
) PARTITION BY RANGE (day);
CREATE TABLE download_days_other PARTITION OF download_days DEFAULT;
CREATE INDEX download_days_of_template ON download_days (template_id, day DESC);
COMMENT ON TABLE download_days IS 'Downloads by day; a partition for each month, and one for what has none yet.';

-- What people have had while they were signed in: whether a reviewer installed what they judge, and in which version.
CREATE TABLE user_downloads (
    user_id       uuid NOT NULL CONSTRAINT user_downloads_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    template_id   uuid NOT NULL CONSTRAINT user_downloads_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    version_id    uuid NOT NULL CONSTRAINT user_downloads_version_fkey REFERENCES versions (id) ON DELETE CASCADE,
    downloaded_at timestamptz NOT NULL,
    CONSTRAINT user_downloads_pkey PRIMARY KEY (user_id, template_id, version_id)
);
COMMENT ON TABLE user_downloads IS 'Downloads by people who were signed in: the last of each version. Goes with the account.';

-- The change feed: what changes in the catalog, in an order that mirrors can follow -----------------------------------

CREATE TABLE change_feed (
    only_row      boolean CONSTRAINT change_feed_pkey PRIMARY KEY DEFAULT true CONSTRAINT change_feed_check CHECK (only_row),
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    last_position bigint NOT NULL DEFAULT 0,
    horizon       bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE change_feed IS 'The feed: id names it in cursors, last_position is the last number given, entries up to horizon are forgotten.';
INSERT INTO change_feed DEFAULT VALUES;

CREATE TABLE changes (
    sequence    bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT changes_pkey PRIMARY KEY,
    position    bigint CONSTRAINT changes_position_key UNIQUE,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind        text NOT NULL CONSTRAINT changes_kind_check CHECK (kind IN
        ('template_added', 'template_changed', 'template_removed', 'version_added', 'version_changed', 'version_removed')),
    reason      text NOT NULL,
    code        text,
    template_id uuid NOT NULL,
    slug        text NOT NULL,
    version     text,
    at          timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX changes_new ON changes (template_id, sequence) WHERE position IS NULL;
CREATE INDEX changes_at ON changes (at);
COMMENT ON TABLE changes IS 'Entered by triggers in the transaction that makes the change; numbered once that is committed. The order of one template''s entries is that of its changes: they are entered while its row is locked.';

CREATE TABLE catalog_dumps (
    day        date CONSTRAINT catalog_dumps_pkey PRIMARY KEY,
    sha256     bytea NOT NULL CONSTRAINT catalog_dumps_artifact_fkey REFERENCES artifacts (sha256),
    size_bytes bigint NOT NULL,
    templates  bigint NOT NULL,
    feed_id    uuid NOT NULL,
    position   bigint NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE catalog_dumps IS 'The public catalog as it stood at some moment of a day, as a file in storage; the change feed goes on behind position.';

-- Curated collections -------------------------------------------------------------------------------------------------

CREATE TABLE collections (
    slug       text CONSTRAINT collections_pkey PRIMARY KEY,
    title      text NOT NULL,
    summary    text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE collections IS 'Lists that moderators keep. What is no longer on offer is not shown.';
CREATE TRIGGER collections_notify AFTER INSERT OR UPDATE OR DELETE ON collections
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();

CREATE TABLE collection_items (
    collection  text NOT NULL CONSTRAINT collection_items_collection_fkey REFERENCES collections (slug) ON DELETE CASCADE ON UPDATE CASCADE,
    template_id uuid NOT NULL CONSTRAINT collection_items_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    position    integer NOT NULL,
    note        text NOT NULL DEFAULT '',
    CONSTRAINT collection_items_pkey PRIMARY KEY (collection, template_id)
);
CREATE INDEX collection_items_by_position ON collection_items (collection, position);
CREATE INDEX collection_items_of_template ON collection_items (template_id);
