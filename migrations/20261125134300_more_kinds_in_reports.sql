-- Moderation: collections of members and profiles can be reported, too.

-- allow drop: the wider check takes its place in the same transaction
ALTER TABLE reports DROP CONSTRAINT reports_subject_kind_check;
ALTER TABLE reports ADD CONSTRAINT reports_subject_kind_check CHECK (subject_kind IN ('template', 'version', 'review', 'user', 'collection', 'profile')) NOT VALID;
