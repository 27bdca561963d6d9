-- Catalog: games that were merged into another.

CREATE TABLE merged_game_systems (
    slug        text CONSTRAINT merged_game_systems_pkey PRIMARY KEY,
    game_system text NOT NULL CONSTRAINT merged_game_systems_system_fkey REFERENCES game_systems (slug) ON UPDATE CASCADE,
    merged_at   timestamptz NOT NULL
);
CREATE INDEX merged_game_systems_system ON merged_game_systems (game_system);
COMMENT ON TABLE merged_game_systems IS 'Slugs that are no game''s any more, and the game that each leads to.';
CREATE TRIGGER merged_game_systems_notify AFTER INSERT OR UPDATE OR DELETE ON merged_game_systems
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
