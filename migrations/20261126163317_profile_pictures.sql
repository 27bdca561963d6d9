-- Community: people's pictures.

-- allow two-tables: the table is new and empty, so the locks are held for a moment; a deadlock is tried again
CREATE TABLE profile_pictures (
    user_id      uuid CONSTRAINT profile_pictures_pkey PRIMARY KEY
        CONSTRAINT profile_pictures_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    sha256       bytea NOT NULL CONSTRAINT profile_pictures_sha256_fkey REFERENCES artifacts (sha256),
    small_sha256 bytea NOT NULL CONSTRAINT profile_pictures_small_fkey REFERENCES artifacts (sha256),
    updated_at   timestamptz NOT NULL
);
CREATE INDEX profile_pictures_sha256 ON profile_pictures (sha256);
CREATE INDEX profile_pictures_small ON profile_pictures (small_sha256);
COMMENT ON TABLE profile_pictures IS 'Pictures as they were redrawn in the sandbox: square WebP. Others see them while they see the profile.';
CREATE TRIGGER profile_pictures_notify AFTER INSERT OR UPDATE OR DELETE ON profile_pictures
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
