-- Community: whose new sheets people want to hear of.

CREATE TABLE followed_authors (
    user_id     uuid NOT NULL CONSTRAINT followed_authors_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    author_id   uuid NOT NULL CONSTRAINT followed_authors_author_fkey REFERENCES users (id) ON DELETE CASCADE,
    followed_at timestamptz NOT NULL,
    CONSTRAINT followed_authors_pkey PRIMARY KEY (user_id, author_id)
);
CREATE INDEX followed_authors_author ON followed_authors (author_id);
COMMENT ON COLUMN followed_authors.user_id IS 'Who follows. The author is never told: see single_person_columns.';
