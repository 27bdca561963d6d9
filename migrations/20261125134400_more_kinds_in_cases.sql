-- Moderation: collections of members and profiles can be what a case is about, too.

-- allow drop: the wider check takes its place in the same transaction
ALTER TABLE cases DROP CONSTRAINT cases_subject_kind_check;
ALTER TABLE cases ADD CONSTRAINT cases_subject_kind_check CHECK (subject_kind IN ('submission', 'template', 'version', 'review', 'user', 'collection', 'profile')) NOT VALID;
