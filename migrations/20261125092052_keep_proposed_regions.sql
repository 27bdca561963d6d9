-- What the reader proposed stays beside what somebody corrected, so that it can be looked at and taken again.

ALTER TABLE submission_pages ADD COLUMN proposed_regions jsonb;
COMMENT ON COLUMN submission_pages.proposed_regions IS 'The zoom regions as the inspection left them, once somebody replaced them; NULL while regions still holds them.';
