-- Letters to those who send copyright notices, to the address that the notice names.

ALTER TABLE copyright_notices ADD COLUMN language text;
COMMENT ON COLUMN copyright_notices.language IS 'Of the claimant''s letters, by what their browser asked for.';

-- So few letters a day for each address. The table is small: building this takes no time to speak of.
CREATE INDEX copyright_notices_email ON copyright_notices (lower(email), received_at);
