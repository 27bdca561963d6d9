-- E-mail of accounts and its outbox, second factors, what sessions are told by.

ALTER TABLE users ALTER COLUMN email DROP NOT NULL;
ALTER TABLE users ADD COLUMN email_verified_at timestamptz;
ALTER TABLE users ADD COLUMN language text;
COMMENT ON COLUMN users.email IS 'Where letters go; NULL for an account without. Notices go only to an address that was verified.';
COMMENT ON COLUMN users.language IS 'The language of letters; NULL means the default.';

ALTER TABLE sessions ADD COLUMN network text;
ALTER TABLE sessions ADD COLUMN last_seen_at timestamptz;
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz;
COMMENT ON COLUMN sessions.network IS 'The first 24 bits of an IPv4 address, 48 of an IPv6 address: never a whole one.';
COMMENT ON COLUMN sessions.confirmed_at IS 'When its holder last showed password or second factor; sensitive acts ask again.';

CREATE TABLE known_devices (
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device_hash  bytea NOT NULL,
    first_seen   timestamptz NOT NULL,
    last_seen    timestamptz NOT NULL,
    PRIMARY KEY (user_id, device_hash)
);
CREATE INDEX known_devices_age ON known_devices (last_seen);
COMMENT ON TABLE known_devices IS 'SHA-256 of user agent and network of earlier sign-ins: a new one is told of by mail. Forgotten after half a year.';

-- Second factor -----------------------------------------------------------------------------------------------------------

CREATE TABLE second_factors (
    user_id      uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,
    last_step    bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE second_factors IS 'TOTP (RFC 6238). secret is sealed with a key that is not in the database; last_step is the last step used: none works twice.';

CREATE TABLE recovery_codes (
    user_id   uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    used_at   timestamptz,
    PRIMARY KEY (user_id, code_hash)
);
COMMENT ON TABLE recovery_codes IS 'HMAC-SHA256 of single-use codes, with a key that is not in the database.';

CREATE TABLE sign_in_tickets (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    failures   integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_tickets_user ON sign_in_tickets (user_id);
CREATE INDEX sign_in_tickets_expiry ON sign_in_tickets (expires_at);
COMMENT ON TABLE sign_in_tickets IS 'Sign-ins whose password was right and whose second factor is awaited; the ticket is stored as its SHA-256.';

-- Mail --------------------------------------------------------------------------------------------------------------------

CREATE TABLE mail_links (
    token_hash bytea PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose    text NOT NULL CONSTRAINT mail_links_purpose_check CHECK (purpose IN ('verify', 'reset')),
    email      text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX mail_links_user ON mail_links (user_id, purpose);
CREATE INDEX mail_links_expiry ON mail_links (expires_at);
COMMENT ON TABLE mail_links IS 'Single-use links that letters carry, by SHA-256; made when the letter is sent, so that no row ever holds one.';

CREATE TABLE mail_outbox (
    id         uuid PRIMARY KEY,
    template   text NOT NULL,
    user_id    uuid REFERENCES users (id) ON DELETE CASCADE,
    recipient  text,
    details    jsonb NOT NULL DEFAULT '{}',
    state      text NOT NULL DEFAULT 'waiting' CONSTRAINT mail_outbox_state_check
        CHECK (state IN ('waiting', 'sent', 'dropped', 'dead')),
    attempts   integer NOT NULL DEFAULT 0,
    next_at    timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    ended_at   timestamptz,
    problem    text
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE state = 'waiting';
CREATE INDEX mail_outbox_ended ON mail_outbox (ended_at) WHERE state <> 'waiting';
CREATE INDEX mail_outbox_user ON mail_outbox (user_id);
COMMENT ON TABLE mail_outbox IS 'Letters to be sent, in the transaction of what they tell of. recipient overrides the account''s address; details are emptied when a letter is sent.';
