-- Community: what people say of themselves on their page.

CREATE TABLE profiles (
    user_id    uuid CONSTRAINT profiles_pkey PRIMARY KEY CONSTRAINT profiles_user_fkey REFERENCES users (id) ON DELETE CASCADE,
    bio        text NOT NULL DEFAULT '' CONSTRAINT profiles_bio_check CHECK (char_length(bio) <= 1000),
    links      text[] NOT NULL DEFAULT '{}' CONSTRAINT profiles_links_check CHECK (cardinality(links) <= 5),
    colour     smallint NOT NULL DEFAULT 0 CONSTRAINT profiles_colour_check CHECK (colour BETWEEN 0 AND 7),
    updated_at timestamptz NOT NULL
);
COMMENT ON COLUMN profiles.colour IS 'Of the disc with the initials that stands for the person.';

CREATE TRIGGER profiles_notify AFTER INSERT OR UPDATE OR DELETE ON profiles
    FOR EACH STATEMENT EXECUTE FUNCTION notify_game_systems();
