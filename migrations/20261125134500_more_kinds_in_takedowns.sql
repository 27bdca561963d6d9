-- Moderation: collections of members and profiles can be taken down, too.

-- allow drop: the wider check takes its place in the same transaction
ALTER TABLE takedowns DROP CONSTRAINT takedowns_subject_kind_check;
ALTER TABLE takedowns ADD CONSTRAINT takedowns_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user', 'notice', 'collection', 'profile')) NOT VALID;
