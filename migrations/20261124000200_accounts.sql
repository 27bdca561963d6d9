-- Accounts: people, how they sign in and what proves it, e-mail, and the audit log. Its one table that refers to templates,
-- api_token_templates, is in catalog.sql.

-- People --------------------------------------------------------------------------------------------------------------

CREATE TABLE users (
    id                uuid CONSTRAINT users_pkey PRIMARY KEY,
    handle            text NOT NULL CONSTRAINT users_handle_key UNIQUE,
    display_name      text NOT NULL,
    email             text,
    email_verified_at timestamptz,
    language          text,
    password_hash     text,
    role              text NOT NULL DEFAULT 'user' CONSTRAINT users_role_check CHECK (role IN ('user', 'moderator', 'administrator')),
    created_at        timestamptz NOT NULL DEFAULT now(),
    disabled_at       timestamptz,
    erase_at          timestamptz,
    erase_templates   text CONSTRAINT users_erase_templates_check CHECK (erase_templates IN ('withdraw', 'leave')),
    erased_at         timestamptz,
    CONSTRAINT users_erasure_check CHECK ((erase_at IS NULL) = (erase_templates IS NULL))
);
-- For suggestions of authors.
CREATE INDEX users_by_handle ON users ((handle COLLATE "C"));
CREATE INDEX users_by_name ON users ((market_text(lower(display_name)) COLLATE "C"));
CREATE INDEX users_to_erase ON users (erase_at) WHERE erase_at IS NOT NULL;
CREATE UNIQUE INDEX users_proved_email_key ON users (lower(email)) WHERE email_verified_at IS NOT NULL;
CREATE INDEX users_email ON users (lower(email));
COMMENT ON TABLE users IS 'People with accounts. password_hash holds scrypt with its parameters; NULL means no password sign-in.';
COMMENT ON COLUMN users.email IS 'Where e-mails go; NULL for an account without. A claim until email_verified_at is set: it may be somebody else''s. Notices go only to an address that was verified.';
COMMENT ON COLUMN users.language IS 'The language of e-mails; NULL means the default.';
COMMENT ON COLUMN users.erase_at IS 'When the account is to be erased, as its owner wished; NULL while it is to stay.';
COMMENT ON COLUMN users.erased_at IS 'When all that told who this was went; the row stays, for what others built on.';

-- Credentials ---------------------------------------------------------------------------------------------------------

CREATE TABLE sessions (
    id           uuid CONSTRAINT sessions_pkey PRIMARY KEY,
    user_id      uuid NOT NULL CONSTRAINT sessions_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    token_hash   bytea NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE,
    user_agent   text,
    network      text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    last_seen_at timestamptz,
    confirmed_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
COMMENT ON TABLE sessions IS 'Sign-ins of browsers; the cookie''s secret is stored as its SHA-256.';
COMMENT ON COLUMN sessions.network IS 'The first 24 bits of an IPv4 address, 48 of an IPv6 address: never a whole one.';
COMMENT ON COLUMN sessions.confirmed_at IS 'When its holder last showed password or second factor; sensitive acts ask again.';

CREATE TABLE api_tokens (
    id           uuid CONSTRAINT api_tokens_pkey PRIMARY KEY,
    user_id      uuid NOT NULL CONSTRAINT api_tokens_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    name         text NOT NULL,
    token_hash   bytea NOT NULL CONSTRAINT api_tokens_token_hash_key UNIQUE,
    scopes       text[] NOT NULL,
    is_limited   boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at);
COMMENT ON TABLE api_tokens IS 'Programs'' credentials; the secret is stored as its SHA-256.';
COMMENT ON COLUMN api_tokens.is_limited IS 'Whether the token acts on the templates of api_token_templates alone, should those be none.';

CREATE TABLE sign_in_failures (
    subject   text NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_failures_subject ON sign_in_failures (subject, failed_at);
COMMENT ON TABLE sign_in_failures IS 'Failed sign-ins by account and by address; old rows are deleted.';

CREATE TABLE known_devices (
    user_id      uuid NOT NULL CONSTRAINT known_devices_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    device_hash  bytea NOT NULL,
    first_seen   timestamptz NOT NULL,
    last_seen    timestamptz NOT NULL,
    CONSTRAINT known_devices_pkey PRIMARY KEY (user_id, device_hash)
);
CREATE INDEX known_devices_age ON known_devices (last_seen);
COMMENT ON TABLE known_devices IS 'SHA-256 of user agent and network of earlier sign-ins: a new one is told of by mail. Forgotten after half a year.';

-- Second factor -------------------------------------------------------------------------------------------------------

CREATE TABLE second_factors (
    user_id      uuid CONSTRAINT second_factors_pkey PRIMARY KEY CONSTRAINT second_factors_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,
    last_step    bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE second_factors IS 'TOTP (RFC 6238). secret is sealed with a key that is not in the database; last_step is the last step used: none works twice.';

CREATE TABLE recovery_codes (
    user_id   uuid NOT NULL CONSTRAINT recovery_codes_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    keyed_by  text NOT NULL DEFAULT 'secret_keys'
        CONSTRAINT recovery_codes_keyed_by_check CHECK (keyed_by IN ('secret_keys', 'second_factor')),
    used_at   timestamptz,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);
COMMENT ON TABLE recovery_codes IS 'HMAC-SHA256 of single-use codes. keyed_by says with which key: of the second factor''s sealed secret, or, in older rows, of SHEETMARKET_SECRET_KEYS itself.';

CREATE TABLE sign_in_tickets (
    token_hash bytea CONSTRAINT sign_in_tickets_pkey PRIMARY KEY,
    user_id    uuid NOT NULL CONSTRAINT sign_in_tickets_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    failures   integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_tickets_user ON sign_in_tickets (user_id);
CREATE INDEX sign_in_tickets_expiry ON sign_in_tickets (expires_at);
COMMENT ON TABLE sign_in_tickets IS 'Sign-ins whose password was right and whose second factor is awaited; the ticket is stored as its SHA-256.';

-- Sign-in with OpenID Connect providers -------------------------------------------------------------------------------

CREATE TABLE identities (
    id           uuid CONSTRAINT identities_pkey PRIMARY KEY,
    user_id      uuid NOT NULL CONSTRAINT identities_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    issuer       text NOT NULL,
    subject      text NOT NULL,
    email        text,
    linked_at    timestamptz NOT NULL,
    last_used_at timestamptz,
    CONSTRAINT identities_subject_key UNIQUE (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);
COMMENT ON TABLE identities IS 'Who people are at providers: issuer and subject name them, and nothing else does. email is what the provider told, for people to tell their identities apart.';

CREATE TABLE sign_in_flows (
    state_hash   bytea CONSTRAINT sign_in_flows_pkey PRIMARY KEY,
    browser_hash bytea NOT NULL,
    provider     text NOT NULL,
    redirect_uri text NOT NULL,
    next         text NOT NULL,
    link_to      uuid CONSTRAINT sign_in_flows_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sign_in_flows_expiry ON sign_in_flows (expires_at);
COMMENT ON TABLE sign_in_flows IS 'Sign-ins on their way to a provider and back, each good for once and for the browser that began it. Nonce and PKCE verifier are derived of what only that browser has.';

CREATE TABLE pending_identities (
    ticket_hash       bytea CONSTRAINT pending_identities_pkey PRIMARY KEY,
    issuer            text NOT NULL,
    subject           text NOT NULL,
    email             text,
    is_email_verified boolean NOT NULL,
    suggested_name    text,
    next              text NOT NULL,
    link_to           uuid CONSTRAINT pending_identities_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    expires_at        timestamptz NOT NULL
);
CREATE INDEX pending_identities_expiry ON pending_identities (expires_at);
COMMENT ON TABLE pending_identities IS 'What providers vouched for, until its person has chosen a name or agreed to link it; deleted after half an hour.';

-- What tells nodes that credentials changed ---------------------------------------------------------------------------

-- Nodes remember for some seconds who showed which credential; this tells them of whatever may change who is who. A second
-- factor decides what a moderator's credentials are good for: nodes are told when one goes, or comes to count.
CREATE FUNCTION credentials_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- When something was last used changes nothing of what it is good for.
    IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - '{last_used_at,last_seen_at}'::text[] = to_jsonb(NEW) - '{last_used_at,last_seen_at}'::text[] THEN
        RETURN NULL;
    END IF;
    PERFORM pg_notify('credentials', '');
    RETURN NULL;
END $$;
CREATE TRIGGER users_credentials AFTER UPDATE OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION credentials_changed();
CREATE TRIGGER sessions_credentials AFTER UPDATE OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION credentials_changed();
CREATE TRIGGER api_tokens_credentials AFTER UPDATE OR DELETE ON api_tokens FOR EACH ROW EXECUTE FUNCTION credentials_changed();
CREATE TRIGGER second_factors_credentials AFTER UPDATE OF confirmed_at OR DELETE ON second_factors
    FOR EACH ROW EXECUTE FUNCTION credentials_changed();

-- E-mail --------------------------------------------------------------------------------------------------------------

CREATE TABLE mail_links (
    token_hash bytea CONSTRAINT mail_links_pkey PRIMARY KEY,
    user_id    uuid NOT NULL CONSTRAINT mail_links_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    purpose    text NOT NULL CONSTRAINT mail_links_purpose_check CHECK (purpose IN ('verify', 'reset')),
    email      text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id, purpose);
CREATE INDEX mail_links_expiry ON mail_links (expires_at);
CREATE INDEX mail_links_address ON mail_links (lower(email));
COMMENT ON TABLE mail_links IS 'Single-use links that e-mails carry, by SHA-256; made when the e-mail is sent, so that no row ever holds one.';

CREATE TABLE mail_outbox (
    id              uuid CONSTRAINT mail_outbox_pkey PRIMARY KEY,
    template        text NOT NULL,
    user_id         uuid CONSTRAINT mail_outbox_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    recipient       text,
    details         jsonb NOT NULL DEFAULT '{}',
    state           text NOT NULL DEFAULT 'waiting' CONSTRAINT mail_outbox_state_check
        CHECK (state IN ('waiting', 'sent', 'dropped', 'dead')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    last_error      text
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE state = 'waiting';
CREATE INDEX mail_outbox_ended ON mail_outbox (ended_at) WHERE state <> 'waiting';
CREATE INDEX mail_outbox_user ON mail_outbox (user_id);
COMMENT ON TABLE mail_outbox IS 'E-mails to be sent, in the transaction of what they tell of. recipient overrides the account''s address; details are emptied when an e-mail is sent.';

CREATE FUNCTION count_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE outbox_totals SET sent = sent + (NEW.state = 'sent')::int, abandoned = abandoned + (NEW.state = 'dead')::int,
        dropped = dropped + (NEW.state = 'dropped')::int,
        failed = failed + (NEW.state = 'dead' OR NEW.state = 'waiting')::int
    WHERE outbox = 'mail';
    RETURN NULL;
END $$;
CREATE TRIGGER mail_outbox_ended AFTER UPDATE OF state ON mail_outbox
    FOR EACH ROW WHEN (OLD.state = 'waiting' AND NEW.state <> 'waiting') EXECUTE FUNCTION count_mail();
-- Put off after an attempt: nothing else writes down an error of one that goes on waiting.
CREATE TRIGGER mail_outbox_failed AFTER UPDATE OF last_error ON mail_outbox
    FOR EACH ROW WHEN (NEW.state = 'waiting') EXECUTE FUNCTION count_mail();

-- The audit log -------------------------------------------------------------------------------------------------------

-- Parts that name people can be erased without breaking the chain: what it covers are their salted hashes (format 2).
CREATE TABLE audit_entries (
    sequence      bigint CONSTRAINT audit_entries_pkey PRIMARY KEY,
    at            timestamptz NOT NULL,
    format        smallint NOT NULL DEFAULT 1 CONSTRAINT audit_entries_format_check CHECK (format IN (1, 2)),
    actor_id      uuid,
    actor         text,
    actor_salt    bytea,
    actor_hash    bytea,
    token_id      uuid,
    action        text NOT NULL,
    subject       text NOT NULL,
    reason        text,
    details       text,
    words_salt    bytea,
    words_hash    bytea,
    request_id    text,
    previous_hash bytea NOT NULL,
    hash          bytea NOT NULL
);
CREATE INDEX audit_entries_actor ON audit_entries (actor_id, sequence) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_request ON audit_entries (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX audit_entries_subject ON audit_entries (subject, sequence);
CREATE INDEX audit_entries_declined ON audit_entries (at) WHERE action = 'case.proposal_declined';
COMMENT ON TABLE audit_entries IS 'Append-only, hash-chained: each hash covers the entry and the hash before. details is JSON as text, since its bytes are hashed.';
COMMENT ON COLUMN audit_entries.actor_hash IS 'What the chain covers of the actor''s name: a hash with actor_salt. Stays when both are erased.';
COMMENT ON COLUMN audit_entries.words_hash IS 'What the chain covers of reason and details: a hash with words_salt. Stays when all three are erased.';

CREATE FUNCTION audit_entries_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_are_immutable();

-- The one change there is: a part goes, its hash stays.
CREATE FUNCTION audit_entries_allow_erasure_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.sequence, NEW.at, NEW.actor_id, NEW.action, NEW.subject, NEW.request_id, NEW.token_id, NEW.format, NEW.previous_hash, NEW.hash)
            IS NOT DISTINCT FROM
            (OLD.sequence, OLD.at, OLD.actor_id, OLD.action, OLD.subject, OLD.request_id, OLD.token_id, OLD.format, OLD.previous_hash, OLD.hash)
        AND ((NEW.actor, NEW.actor_salt, NEW.actor_hash) IS NOT DISTINCT FROM (OLD.actor, OLD.actor_salt, OLD.actor_hash)
            OR (OLD.format = 2 AND OLD.actor IS NOT NULL AND NEW.actor IS NULL AND NEW.actor_salt IS NULL AND NEW.actor_hash = OLD.actor_hash))
        AND ((NEW.reason, NEW.details, NEW.words_salt, NEW.words_hash) IS NOT DISTINCT FROM (OLD.reason, OLD.details, OLD.words_salt, OLD.words_hash)
            OR (OLD.details IS NOT NULL AND NEW.details IS NULL AND NEW.reason IS NULL AND NEW.words_salt IS NULL
                AND NEW.words_hash = CASE OLD.format WHEN 2 THEN OLD.words_hash ELSE sha256(convert_to(OLD.details, 'UTF8')) END))
    THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_entries_erasure BEFORE UPDATE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_entries_allow_erasure_only();

CREATE TABLE audit_checkpoints (
    sequence  bigint CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
    head      bytea NOT NULL CONSTRAINT audit_checkpoints_head_length CHECK (octet_length(head) = 32),
    at        timestamptz NOT NULL,
    key_id    text NOT NULL,
    signature bytea NOT NULL
);
COMMENT ON TABLE audit_checkpoints IS 'Append-only. The log''s head at some of its entries, signed by a key that the database does not have.';

CREATE FUNCTION audit_checkpoints_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'checkpoints of the audit log are never changed or removed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION audit_checkpoints_are_immutable();
