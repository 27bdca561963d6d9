-- expect: required required
ALTER TABLE templates ADD COLUMN subtitle text NOT NULL;
ALTER TABLE templates ALTER COLUMN tags DROP DEFAULT;
