-- Words in comments; DROP TABLE users; do no harm.
ALTER TABLE templates
    ADD COLUMN subtitle text,
    ADD COLUMN is_featured boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN templates.subtitle IS 'DROP TABLE users; -- is text here';
