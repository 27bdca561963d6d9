-- Community: until when somebody has seen what others wrote about their sheets.

ALTER TABLE news_readers
    ADD COLUMN reviews_seen_at timestamptz;
COMMENT ON COLUMN news_readers.reviews_seen_at IS 'When the reviews of the person''s own sheets were last looked at.';
