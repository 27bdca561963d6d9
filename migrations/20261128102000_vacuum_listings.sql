-- no-transaction
-- An index alone answers only for pages that are known to be visible to all, and of a new table none is.
VACUUM (ANALYZE) listings;
