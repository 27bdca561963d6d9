-- expect: index
CREATE INDEX CONCURRENTLY IF NOT EXISTS templates_by_subtitle ON templates (subtitle);
