-- no-transaction
-- expect: index
CREATE UNIQUE INDEX CONCURRENTLY templates_by_subtitle ON templates (subtitle);
