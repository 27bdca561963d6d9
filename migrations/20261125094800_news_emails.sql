-- Community: who wants news by e-mail.

ALTER TABLE news_readers
    ADD COLUMN wants_email boolean NOT NULL DEFAULT false,
    ADD COLUMN mailed_at timestamptz;
CREATE INDEX news_readers_due ON news_readers (mailed_at) WHERE wants_email;
COMMENT ON COLUMN news_readers.mailed_at IS 'When news was last looked at for an e-mail, whether there was any; at first, when they were asked for.';
