-- An address belongs to the account that proved it. Others may claim it, which gives them nothing: an account can be made with
-- an address that is taken, so that nobody learns which are. Accounts can be read but not written for the moment that the
-- indexes take. Older nodes go on: an address that they would have refused is a claim for them, too.

CREATE UNIQUE INDEX users_proved_email_key ON users (lower(email)) WHERE email_verified_at IS NOT NULL;
CREATE INDEX users_email ON users (lower(email));
DROP INDEX users_email_key;
CREATE INDEX mail_links_address ON mail_links (lower(email));
COMMENT ON COLUMN users.email IS 'Where letters go; NULL for an account without. A claim until email_verified_at is set: it may be somebody else''s. Notices go only to an address that was verified.';
