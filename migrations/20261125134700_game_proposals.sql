-- Community: games that people miss in the list.

CREATE TABLE game_proposals (
    id          uuid CONSTRAINT game_proposals_pkey PRIMARY KEY,
    proposer_id uuid NOT NULL CONSTRAINT game_proposals_proposer_fkey REFERENCES users (id) ON DELETE CASCADE,
    name        text NOT NULL CONSTRAINT game_proposals_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    publisher   text NOT NULL DEFAULT '' CONSTRAINT game_proposals_publisher_check CHECK (char_length(publisher) <= 80),
    link        text NOT NULL DEFAULT '' CONSTRAINT game_proposals_link_check CHECK (char_length(link) <= 500),
    state       text NOT NULL DEFAULT 'open' CONSTRAINT game_proposals_state_check CHECK (state IN ('open', 'added', 'declined')),
    game_system text,
    reason      text NOT NULL DEFAULT '' CONSTRAINT game_proposals_reason_check CHECK (char_length(reason) <= 500),
    created_at  timestamptz NOT NULL,
    decided_at  timestamptz,
    CONSTRAINT game_proposals_end_check CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX game_proposals_open_key ON game_proposals (lower(name)) WHERE state = 'open';
CREATE INDEX game_proposals_proposer ON game_proposals (proposer_id, created_at);
COMMENT ON COLUMN game_proposals.game_system IS 'The slug of the game that was added; it was a game''s when that was done.';
