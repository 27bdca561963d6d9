-- Pictures of what differs between pages of a submission and pages of others, for moderators.

CREATE TABLE page_differences (
    submission_id       uuid NOT NULL CONSTRAINT page_differences_submission_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    page_index          integer,
    other_submission_id uuid NOT NULL CONSTRAINT page_differences_other_fkey REFERENCES submissions (id) ON DELETE CASCADE,
    other_page_index    integer,
    width               integer NOT NULL,
    height              integer NOT NULL,
    sha256              bytea NOT NULL CONSTRAINT page_differences_artifact_fkey REFERENCES artifacts (sha256),
    CONSTRAINT page_differences_pages_key UNIQUE NULLS NOT DISTINCT (submission_id, other_submission_id, page_index, other_page_index),
    CONSTRAINT page_differences_pages_check CHECK (page_index IS NOT NULL OR other_page_index IS NOT NULL)
);
CREATE INDEX page_differences_other ON page_differences (other_submission_id);
CREATE INDEX page_differences_artifact ON page_differences (sha256);
COMMENT ON TABLE page_differences IS 'WebP pictures: what a page has (page_index; none: the page is gone) that the other has not (other_page_index; none: the page is new), and the reverse.';

ALTER TABLE submissions ADD COLUMN differences_drawn_at timestamptz;
COMMENT ON COLUMN submissions.differences_drawn_at IS 'When page_differences was filled; nothing before, and where there was nothing to compare.';

-- What waits for a moderator now gets its pictures, too. Workers of before leave the job to those that know it.
INSERT INTO jobs (id, kind, subject, max_attempts)
SELECT gen_random_uuid(), 'draw_differences', id, 3 FROM submissions WHERE state = 'awaiting_review' AND changes IS NOT NULL;
