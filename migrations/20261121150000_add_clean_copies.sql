-- A submission may go on with a clean copy of the file that was sent. Old nodes write neither column and lose nothing.
-- Both changes are to the catalog alone; the table is locked for an instant.
ALTER TABLE submissions
    ADD COLUMN original_sha256 bytea CONSTRAINT submissions_original_fkey REFERENCES artifacts (sha256),
    ADD COLUMN original_size_bytes bigint,
    ADD COLUMN cleaning jsonb,
    ADD CONSTRAINT submissions_cleaning_check CHECK (
        (original_sha256 IS NULL) = (cleaning IS NULL) AND (original_size_bytes IS NULL) = (cleaning IS NULL));
COMMENT ON COLUMN submissions.original_sha256 IS 'The file that was sent, where a clean copy of it was made.';
COMMENT ON COLUMN submissions.cleaning IS 'The copy, what was taken out of it, the findings on the original, and whether the uploader declined it: then artifact_sha256 is the original''s again.';

-- Whoever sends the original again is to be told, although only its copy was published.
CREATE INDEX submissions_original ON submissions (original_sha256) WHERE original_sha256 IS NOT NULL;
