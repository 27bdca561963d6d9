-- Community: for which games people want to hear of new sheets.

-- allow two-tables: the table is new and empty, so both locks are held for a moment; a deadlock is tried again
CREATE TABLE followed_systems (
    user_id     uuid NOT NULL CONSTRAINT followed_systems_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    game_system text NOT NULL CONSTRAINT followed_systems_system_fkey REFERENCES game_systems (slug) ON DELETE CASCADE ON UPDATE CASCADE,
    followed_at timestamptz NOT NULL,
    CONSTRAINT followed_systems_pkey PRIMARY KEY (user_id, game_system)
);
CREATE INDEX followed_systems_system ON followed_systems (game_system);
