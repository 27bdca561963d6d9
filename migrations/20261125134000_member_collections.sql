-- Community: collections that people make of sheets; those of the moderators are the catalog's.

CREATE TABLE member_collections (
    id         uuid CONSTRAINT member_collections_pkey PRIMARY KEY,
    owner_id   uuid NOT NULL CONSTRAINT member_collections_owner_fkey REFERENCES users (id) ON DELETE CASCADE,
    title      text NOT NULL CONSTRAINT member_collections_title_check CHECK (char_length(title) BETWEEN 1 AND 100),
    summary    text NOT NULL DEFAULT '' CONSTRAINT member_collections_summary_check CHECK (char_length(summary) <= 500),
    is_listed  boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX member_collections_owner ON member_collections (owner_id, lower(title), id);
COMMENT ON COLUMN member_collections.is_listed IS 'Whether pages and lists show it; otherwise whoever has its address may see it.';

CREATE TRIGGER member_collections_notify AFTER INSERT OR UPDATE OR DELETE ON member_collections
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
