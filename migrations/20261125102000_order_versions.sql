-- no-transaction
-- The pages of a template's versions begin in the middle of their order.
CREATE INDEX CONCURRENTLY IF NOT EXISTS versions_by_precedence
    ON versions (template_id, version_precedence(number) COLLATE "C" DESC, number COLLATE "C" DESC) WHERE state <> 'taken_down';
