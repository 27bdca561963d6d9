-- Catalog: whose corrected zoom regions the operator may learn from.

ALTER TABLE templates
    ADD COLUMN is_training_allowed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN templates.is_training_allowed IS 'Whether its owner lets the operator train the finding of zoom regions with its pages and corrections; no longer once it has another owner.';
