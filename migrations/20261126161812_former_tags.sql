-- Catalog: what tags were called before.

CREATE TABLE former_tags (
    tag        text CONSTRAINT former_tags_pkey PRIMARY KEY,
    present    text NOT NULL CONSTRAINT former_tags_present_check CHECK (present <> tag),
    renamed_at timestamptz NOT NULL
);
CREATE INDEX former_tags_present ON former_tags (present);
COMMENT ON TABLE former_tags IS 'Tags that no template has any more, and the tag that each leads to, which is no former one itself.';
CREATE TRIGGER former_tags_notify AFTER INSERT OR UPDATE OR DELETE ON former_tags
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
