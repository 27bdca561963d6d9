-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS submissions_to_sharpen ON submissions (id)
    WHERE sharpened_at IS NULL AND page_count > 0 AND state IN ('published', 'awaiting_review');
