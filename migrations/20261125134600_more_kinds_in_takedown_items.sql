-- Moderation: collections of members and profiles can be taken down, too.

-- allow drop: the wider check takes its place in the same transaction
ALTER TABLE takedown_items DROP CONSTRAINT takedown_items_kind_check;
ALTER TABLE takedown_items ADD CONSTRAINT takedown_items_kind_check CHECK (item_kind IN ('template', 'version', 'review', 'collection', 'profile')) NOT VALID;
