-- Community: what people show of themselves.

-- Not of closed or banned accounts, nor what a moderator took down.
CREATE OR REPLACE VIEW visible_member_collections AS
    SELECT c.id, c.owner_id, c.title, c.summary, c.is_listed, c.created_at, c.updated_at
    FROM member_collections AS c JOIN users AS u ON u.id = c.owner_id
    WHERE u.disabled_at IS NULL
        AND NOT EXISTS (SELECT FROM sanctions AS z WHERE z.user_id = c.owner_id AND z.kind = 'ban' AND z.lifted_at IS NULL)
        AND NOT EXISTS (SELECT FROM open_takedown_items AS i WHERE i.item_kind = 'collection' AND i.item_id = c.id);
COMMENT ON VIEW visible_member_collections IS 'Members'' collections that others than their owners may see; lists show the listed ones alone.';

CREATE OR REPLACE VIEW visible_profiles AS
    SELECT p.user_id, p.bio, p.links, p.colour, p.updated_at
    FROM profiles AS p JOIN users AS u ON u.id = p.user_id
    WHERE u.disabled_at IS NULL
        AND NOT EXISTS (SELECT FROM sanctions AS z WHERE z.user_id = p.user_id AND z.kind = 'ban' AND z.lifted_at IS NULL)
        AND NOT EXISTS (SELECT FROM open_takedown_items AS i WHERE i.item_kind = 'profile' AND i.item_id = p.user_id);
COMMENT ON VIEW visible_profiles IS 'Profiles that others may see.';

CREATE OR REPLACE VIEW visible_profile_pictures AS
    SELECT i.user_id, i.sha256, i.small_sha256 FROM profile_pictures AS i JOIN visible_profiles AS p ON p.user_id = i.user_id;
COMMENT ON VIEW visible_profile_pictures IS 'Pictures that others may see.';
