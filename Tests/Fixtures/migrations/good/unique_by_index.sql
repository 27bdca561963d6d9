-- no-transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS templates_subtitle_key ON templates (subtitle);
-- next file
ALTER TABLE templates ADD CONSTRAINT templates_subtitle_key UNIQUE USING INDEX templates_subtitle_key;
