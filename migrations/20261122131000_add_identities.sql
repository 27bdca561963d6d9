-- Signing in with OpenID Connect providers. New tables only.

CREATE TABLE identities (
    id           uuid PRIMARY KEY,
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
    state_hash   bytea PRIMARY KEY,
    browser_hash bytea NOT NULL,
    provider     text NOT NULL,
    redirect_uri text NOT NULL,
    next         text NOT NULL,
    link_to      uuid CONSTRAINT sign_in_flows_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sign_in_flows_expiry ON sign_in_flows (expires_at);
COMMENT ON TABLE sign_in_flows IS 'Sign-ins on their way to a provider and back, each good for once and for the browser that began it. Nonce and PKCE verifier are derived of what only that browser has.';

CREATE TABLE vouched_identities (
    ticket_hash       bytea PRIMARY KEY,
    issuer            text NOT NULL,
    subject           text NOT NULL,
    email             text,
    is_email_verified boolean NOT NULL,
    suggested_name    text,
    next              text NOT NULL,
    link_to           uuid CONSTRAINT vouched_identities_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    expires_at        timestamptz NOT NULL
);
CREATE INDEX vouched_identities_expiry ON vouched_identities (expires_at);
COMMENT ON TABLE vouched_identities IS 'What providers vouched for, until its person has chosen a name or agreed to link it; swept after half an hour.';
