-- Catalog: games and tags that are called something else now.

-- What they are called now ---------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION present_game_system(slug text) RETURNS text LANGUAGE plpgsql STRICT AS $$
DECLARE
    found text;
BEGIN
    -- Who is just merging it is waited for.
    SELECT g.slug INTO found FROM game_systems AS g WHERE g.slug = $1 FOR KEY SHARE;
    IF found IS NULL THEN
        SELECT m.game_system INTO found FROM merged_game_systems AS m WHERE m.slug = $1;
    END IF;
    RETURN coalesce(found, $1);
END $$;
COMMENT ON FUNCTION present_game_system IS 'The slug itself, or that of the game which this one was merged into.';

CREATE OR REPLACE FUNCTION present_tags(tags text[]) RETURNS text[] LANGUAGE plpgsql STRICT AS $$
BEGIN
    -- Who is just renaming one is waited for: replace_tag() would not see what is not committed.
    PERFORM pg_advisory_xact_lock_shared(5640016);
    RETURN ARRAY(
        SELECT n.tag FROM (
            SELECT coalesce(f.present, u.tag) AS tag, min(u.place) AS place
            FROM unnest($1) WITH ORDINALITY AS u (tag, place) LEFT JOIN former_tags AS f ON f.tag = u.tag
            GROUP BY 1
        ) AS n ORDER BY n.place);
END $$;
COMMENT ON FUNCTION present_tags IS 'The tags in their order, each as it is called now.';

-- Renaming -------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION replaced_tags(tags text[], former text, present text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT ARRAY(
            SELECT n.tag FROM (
                SELECT CASE WHEN u.tag = $2 THEN $3 ELSE u.tag END AS tag, min(u.place) AS place
                FROM unnest($1) WITH ORDINALITY AS u (tag, place) GROUP BY 1
            ) AS n WHERE n.tag IS NOT NULL ORDER BY n.place)
    $$;

-- Submissions before templates, as whoever publishes locks them.
CREATE OR REPLACE FUNCTION replace_tag(former text, present text, OUT templates bigint, OUT submissions bigint)
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(5640016);
    PERFORM FROM submissions AS s
        WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested') AND s.metadata -> 'tags' ? former
        ORDER BY s.id FOR UPDATE;
    UPDATE submissions AS s SET metadata = jsonb_set(s.metadata, '{tags}',
            to_jsonb(replaced_tags(ARRAY(SELECT jsonb_array_elements_text(s.metadata -> 'tags')), former, present)))
        WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested') AND s.metadata -> 'tags' ? former;
    GET DIAGNOSTICS submissions = ROW_COUNT;
    PERFORM FROM templates AS t WHERE t.tags @> ARRAY[former] ORDER BY t.id FOR UPDATE;
    UPDATE templates AS t SET tags = replaced_tags(t.tags, former, present) WHERE t.tags @> ARRAY[former];
    GET DIAGNOSTICS templates = ROW_COUNT;
END $$;
COMMENT ON FUNCTION replace_tag IS 'Gives templates and undecided submissions another tag for one, or takes it off (null); how many changed.';

CREATE OR REPLACE FUNCTION tag_uses(tag text, OUT templates bigint, OUT submissions bigint) LANGUAGE sql STABLE AS $$
    SELECT (SELECT count(*) FROM templates AS t WHERE t.tags @> ARRAY[$1]), (
        SELECT count(*) FROM submissions AS s
        WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested') AND s.metadata -> 'tags' ? $1)
$$;

CREATE OR REPLACE FUNCTION move_game_system(
    former text, present text, OUT templates bigint, OUT followers bigint, OUT submissions bigint
) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM submissions AS s
        WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested') AND s.metadata ->> 'gameSystem' = former
        ORDER BY s.id FOR UPDATE;
    UPDATE submissions AS s SET metadata = jsonb_set(s.metadata, '{gameSystem}', to_jsonb(present))
        WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested') AND s.metadata ->> 'gameSystem' = former;
    GET DIAGNOSTICS submissions = ROW_COUNT;
    PERFORM FROM templates AS t WHERE t.game_system = former ORDER BY t.id FOR UPDATE;
    UPDATE templates AS t SET game_system = present WHERE t.game_system = former;
    GET DIAGNOSTICS templates = ROW_COUNT;
    SELECT count(*) INTO followers FROM followed_systems AS f WHERE f.game_system = former;
    INSERT INTO followed_systems AS f (user_id, game_system, followed_at)
        SELECT o.user_id, present, o.followed_at FROM followed_systems AS o WHERE o.game_system = former
        ON CONFLICT (user_id, game_system) DO UPDATE SET followed_at = least(f.followed_at, excluded.followed_at);
    DELETE FROM followed_systems AS f WHERE f.game_system = former;
    UPDATE game_proposals AS p SET game_system = present WHERE p.game_system = former;
END $$;
COMMENT ON FUNCTION move_game_system IS 'Gives everything of a game to another; how much there was.';

CREATE OR REPLACE FUNCTION game_system_uses(game text, OUT templates bigint, OUT followers bigint, OUT submissions bigint)
    LANGUAGE sql STABLE AS $$
        SELECT (SELECT count(*) FROM templates AS t WHERE t.game_system = $1),
            (SELECT count(*) FROM followed_systems AS f WHERE f.game_system = $1), (
                SELECT count(*) FROM submissions AS s
                WHERE s.state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested')
                    AND s.metadata ->> 'gameSystem' = $1)
    $$;
