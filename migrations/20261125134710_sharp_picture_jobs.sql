-- Ingest: which submissions have had their sharper pictures asked for.

ALTER TABLE submissions ADD COLUMN sharpened_at timestamptz;
COMMENT ON COLUMN submissions.sharpened_at IS 'When sharper pictures of its pages were put on the list of jobs.';
