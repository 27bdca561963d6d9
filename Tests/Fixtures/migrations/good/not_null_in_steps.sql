ALTER TABLE templates ADD CONSTRAINT templates_subtitle_present CHECK (subtitle IS NOT NULL) NOT VALID;
-- next file
ALTER TABLE templates VALIDATE CONSTRAINT templates_subtitle_present;
-- next file
ALTER TABLE templates ALTER COLUMN subtitle SET NOT NULL;
