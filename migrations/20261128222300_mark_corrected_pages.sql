-- Ingest: a page whose regions somebody deleted is corrected, too, though nothing on it says so.

ALTER TABLE submission_pages
    ADD COLUMN is_corrected boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN submission_pages.is_corrected IS 'Whether somebody made its zoom regions what they are, be it none; of pages carried over from the version before, too.';
