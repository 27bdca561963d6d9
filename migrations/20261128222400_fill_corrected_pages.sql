-- Ingest: marks what was corrected so far: by regions that somebody drew or kept, or by none where the reader had found some.

DO $$
BEGIN
    LOOP
        UPDATE submission_pages SET is_corrected = true
        WHERE (submission_id, page_index) IN (
            SELECT submission_id, page_index FROM submission_pages
            WHERE NOT is_corrected
                AND (regions @> '[{"source": "corrected"}]' OR regions = '[]' AND proposed_regions <> '[]')
            LIMIT 1000);
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$;
