-- The market's tables. Times are timestamptz, ids are UUIDv7 made by the service, constraints are named because errors map to them.
-- Installed through `sheetmarket migrate`; extensions are "trusted", so the database's owner may create them.

CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Accounts ---------------------------------------------------------------------------------------------------------------

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    handle        text NOT NULL CONSTRAINT users_handle_key UNIQUE,
    display_name  text NOT NULL,
    email         text NOT NULL,
    password_hash text,
    role          text NOT NULL DEFAULT 'user' CONSTRAINT users_role_check CHECK (role IN ('user', 'moderator', 'administrator')),
    created_at    timestamptz NOT NULL DEFAULT now(),
    disabled_at   timestamptz
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
COMMENT ON TABLE users IS 'People with accounts. password_hash holds scrypt with its parameters; NULL means no password sign-in.';

CREATE TABLE sessions (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash   bytea NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE,
    user_agent   text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'Sign-ins of browsers; the cookie''s secret is stored as its SHA-256.';

CREATE TABLE api_tokens (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         text NOT NULL,
    token_hash   bytea NOT NULL CONSTRAINT api_tokens_token_hash_key UNIQUE,
    scopes       text[] NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at);
COMMENT ON TABLE api_tokens IS 'Programs'' credentials; the secret is stored as its SHA-256.';

CREATE TABLE sign_in_failures (
    subject   text NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_failures_subject ON sign_in_failures (subject, failed_at);
COMMENT ON TABLE sign_in_failures IS 'Failed sign-ins by account and by address; old rows are swept.';

-- Catalog ----------------------------------------------------------------------------------------------------------------

CREATE TABLE game_systems (
    slug       text PRIMARY KEY,
    name       text NOT NULL,
    publisher  text,
    aliases    text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE artifacts (
    sha256     bytea PRIMARY KEY CONSTRAINT artifacts_sha256_length CHECK (octet_length(sha256) = 32),
    size_bytes bigint NOT NULL,
    media_type text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE artifacts IS 'Bytes of versions and pictures that storage holds, by SHA-256. The bytes are there before the row is.';

CREATE TABLE templates (
    id                uuid PRIMARY KEY,
    slug              text NOT NULL CONSTRAINT templates_slug_key UNIQUE,
    owner_id          uuid NOT NULL REFERENCES users (id),
    game_system       text NOT NULL CONSTRAINT templates_game_system_fkey REFERENCES game_systems (slug),
    name              text NOT NULL,
    summary           text NOT NULL,
    description       text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    license           text NOT NULL,
    language          text NOT NULL,
    latest_version_id uuid,
    page_count        integer NOT NULL DEFAULT 0,
    rating            double precision NOT NULL DEFAULT 0,
    rating_count      integer NOT NULL DEFAULT 0,
    downloads         bigint NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    published_at      timestamptz,
    search            tsvector NOT NULL DEFAULT ''
);
COMMENT ON TABLE templates IS 'Catalog entries. Listed exactly while latest_version_id names the version on offer; page_count is that version''s.';

CREATE TABLE submissions (
    id              uuid PRIMARY KEY,
    template_id     uuid NOT NULL REFERENCES templates (id),
    uploader_id     uuid NOT NULL REFERENCES users (id),
    version         text NOT NULL,
    metadata        jsonb NOT NULL,
    artifact_sha256 bytea NOT NULL REFERENCES artifacts (sha256),
    file_name       text NOT NULL,
    size_bytes      bigint NOT NULL,
    state           text NOT NULL DEFAULT 'received' CONSTRAINT submissions_state_check CHECK (state IN
        ('received', 'inspecting', 'awaiting_review', 'published', 'rejected', 'changes_requested', 'withdrawn')),
    progress        real NOT NULL DEFAULT 0,
    step            text NOT NULL DEFAULT 'waiting for a worker',
    findings        jsonb NOT NULL DEFAULT '[]',
    page_count      integer,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
-- A number is taken while a submission of it is under way or published; a refused or returned one frees it.
CREATE UNIQUE INDEX submissions_version_key ON submissions (template_id, version)
    WHERE state IN ('received', 'inspecting', 'awaiting_review', 'published');
CREATE INDEX submissions_uploader ON submissions (uploader_id, id);
COMMENT ON COLUMN submissions.metadata IS 'The upload''s metadata, completed from the template: what the template will say once this is published.';

CREATE TABLE submission_pages (
    submission_id   uuid NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
    page_index      integer NOT NULL,
    width           double precision NOT NULL,
    height          double precision NOT NULL,
    rotation        integer NOT NULL,
    text_characters integer NOT NULL,
    form_fields     integer NOT NULL,
    regions         jsonb NOT NULL,
    page_text       text NOT NULL DEFAULT '',
    PRIMARY KEY (submission_id, page_index)
);
COMMENT ON TABLE submission_pages IS 'What the reader said of each page; width and height in points, as displayed. A version''s pages are those of its submission.';

CREATE TABLE previews (
    submission_id uuid NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
    page_index    integer NOT NULL,
    width         integer NOT NULL,
    height        integer NOT NULL,
    sha256        bytea NOT NULL REFERENCES artifacts (sha256),
    PRIMARY KEY (submission_id, page_index, width)
);
COMMENT ON TABLE previews IS 'WebP pictures of pages; width and height in pixels.';

CREATE TABLE versions (
    id              uuid PRIMARY KEY,
    template_id     uuid NOT NULL REFERENCES templates (id),
    submission_id   uuid NOT NULL CONSTRAINT versions_submission_key UNIQUE REFERENCES submissions (id),
    number          text NOT NULL,
    artifact_sha256 bytea NOT NULL REFERENCES artifacts (sha256),
    file_name       text NOT NULL,
    size_bytes      bigint NOT NULL,
    page_count      integer NOT NULL,
    changelog       text NOT NULL DEFAULT '',
    state           text NOT NULL DEFAULT 'published' CONSTRAINT versions_state_check CHECK (state IN ('published', 'yanked', 'taken_down')),
    state_reason    text,
    published_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT versions_number_key UNIQUE (template_id, number)
);
CREATE INDEX versions_artifact ON versions (artifact_sha256);
ALTER TABLE templates ADD CONSTRAINT templates_latest_version_fkey
    FOREIGN KEY (latest_version_id) REFERENCES versions (id) DEFERRABLE INITIALLY DEFERRED;
COMMENT ON TABLE versions IS 'Immutable releases. A number is never used again, an artifact never changes.';

-- Searching and browsing -------------------------------------------------------------------------------------------------

CREATE FUNCTION market_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT public.unaccent('public.unaccent'::regdictionary, value) $$;
COMMENT ON FUNCTION market_text IS 'Text with its accents taken off. Declared immutable: the dictionary changes only with PostgreSQL itself.';

CREATE FUNCTION template_search(name text, game_system text, owner_id uuid, tags text[], summary text) RETURNS tsvector
    LANGUAGE sql STABLE
    AS $$
        SELECT setweight(to_tsvector('simple', market_text($1)), 'A')
            || setweight(to_tsvector('simple', market_text(coalesce(string_agg(
                   concat_ws(' ', system.slug, system.name, array_to_string(system.aliases, ' ')), ' '), ''))), 'B')
            || setweight(to_tsvector('simple', market_text(array_to_string($4, ' '))), 'B')
            || setweight(to_tsvector('simple', market_text(coalesce((SELECT concat_ws(' ', owner.handle, owner.display_name)
                   FROM users AS owner WHERE owner.id = $3), ''))), 'B')
            || setweight(to_tsvector('simple', market_text($5)), 'C')
        FROM game_systems AS system WHERE system.slug = $2
    $$;

CREATE FUNCTION templates_keep_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.search := template_search(NEW.name, NEW.game_system, NEW.owner_id, NEW.tags, NEW.summary);
    RETURN NEW;
END $$;
CREATE TRIGGER templates_search BEFORE INSERT OR UPDATE OF name, game_system, owner_id, tags, summary ON templates
    FOR EACH ROW EXECUTE FUNCTION templates_keep_search();

CREATE INDEX templates_search_words ON templates USING gin (search) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_name_trigrams ON templates USING gin (market_text(lower(name)) gin_trgm_ops) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_updated ON templates (updated_at DESC, id DESC) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_newest ON templates (published_at DESC, id DESC) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_downloads ON templates (downloads DESC, id DESC) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_rating ON templates (rating DESC, id DESC) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_name ON templates (lower(name), id) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_system ON templates (game_system, updated_at DESC, id DESC) WHERE latest_version_id IS NOT NULL;
CREATE INDEX templates_by_owner ON templates (owner_id, id);
CREATE INDEX templates_by_tag ON templates USING gin (tags) WHERE latest_version_id IS NOT NULL;

-- Moderation -------------------------------------------------------------------------------------------------------------

CREATE TABLE cases (
    id               uuid PRIMARY KEY,
    submission_id    uuid NOT NULL CONSTRAINT cases_submission_key UNIQUE REFERENCES submissions (id),
    state            text NOT NULL DEFAULT 'open' CONSTRAINT cases_state_check CHECK (state IN ('open', 'claimed', 'decided')),
    claimed_by       uuid REFERENCES users (id),
    claim_expires_at timestamptz,
    opened_at        timestamptz NOT NULL DEFAULT now(),
    decided_at       timestamptz
);
CREATE INDEX cases_queue ON cases (opened_at, id) WHERE state <> 'decided';

CREATE TABLE decisions (
    id           uuid PRIMARY KEY,
    case_id      uuid NOT NULL REFERENCES cases (id),
    moderator_id uuid NOT NULL REFERENCES users (id),
    decision     text NOT NULL,
    reason_code  text NOT NULL,
    message      text NOT NULL,
    decided_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX decisions_case ON decisions (case_id, decided_at);

CREATE TABLE audit_entries (
    sequence      bigint PRIMARY KEY,
    at            timestamptz NOT NULL,
    actor_id      uuid,
    actor         text NOT NULL,
    action        text NOT NULL,
    subject       text NOT NULL,
    details       text NOT NULL,
    request_id    text,
    previous_hash bytea NOT NULL,
    hash          bytea NOT NULL
);
COMMENT ON TABLE audit_entries IS 'Append-only, hash-chained: each hash covers the entry and the hash before. details is JSON as text, since its bytes are hashed.';

CREATE FUNCTION audit_entries_are_for_good() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_are_for_good();

-- Background work --------------------------------------------------------------------------------------------------------

CREATE TABLE jobs (
    id               uuid PRIMARY KEY,
    kind             text NOT NULL,
    subject          uuid NOT NULL,
    state            text NOT NULL DEFAULT 'queued' CONSTRAINT jobs_state_check CHECK (state IN ('queued', 'running', 'done', 'dead')),
    attempts         integer NOT NULL DEFAULT 0,
    max_attempts     integer NOT NULL DEFAULT 5,
    run_at           timestamptz NOT NULL DEFAULT now(),
    lease_token      uuid,
    lease_expires_at timestamptz,
    worker           text,
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    finished_at      timestamptz
);
CREATE INDEX jobs_ready ON jobs (run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_leases ON jobs (lease_expires_at) WHERE state = 'running';
CREATE INDEX jobs_subject ON jobs (subject);
COMMENT ON TABLE jobs IS 'Queued in the transaction that makes them necessary, claimed with SKIP LOCKED under a lease; only the holder of lease_token may finish one.';

-- Wake-ups: jobs for workers, submissions (payload: id) for watchers, catalog (payload: template id) for caches. ---------

CREATE FUNCTION notify_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('jobs', '');
    RETURN NULL;
END $$;
CREATE TRIGGER jobs_wake_up AFTER INSERT OR UPDATE OF state ON jobs
    FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION notify_jobs();

CREATE FUNCTION notify_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('submissions', NEW.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER submissions_news AFTER INSERT OR UPDATE OF state, progress, step ON submissions
    FOR EACH ROW EXECUTE FUNCTION notify_submissions();

CREATE FUNCTION notify_catalog() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('catalog', NEW.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER templates_news
    AFTER UPDATE OF latest_version_id, name, summary, description, tags, license, language, slug ON templates
    FOR EACH ROW EXECUTE FUNCTION notify_catalog();
