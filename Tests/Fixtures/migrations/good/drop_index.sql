-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS templates_by_subtitle;
