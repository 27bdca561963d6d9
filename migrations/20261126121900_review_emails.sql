-- Community: who wants a letter for each new review of their sheets.

ALTER TABLE news_readers
    ADD COLUMN wants_review_emails boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN news_readers.wants_review_emails IS 'Whether each new review of the person''s own sheets comes by e-mail.';
