-- Community: what people have read of the news of what they follow, and the feeds that they made of it.

CREATE TABLE news_readers (
    user_id   uuid CONSTRAINT news_readers_pkey PRIMARY KEY CONSTRAINT news_readers_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    seen_at   timestamptz,
    feed_hash bytea CONSTRAINT news_readers_feed_key UNIQUE
);
COMMENT ON COLUMN news_readers.seen_at IS 'Until when news was marked as read.';
COMMENT ON COLUMN news_readers.feed_hash IS 'SHA-256 of the secret in the address of the person''s own feed.';
