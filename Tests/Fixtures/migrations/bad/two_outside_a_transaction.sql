-- no-transaction
-- expect: other
ALTER TABLE templates ADD COLUMN subtitle text;
ALTER TABLE templates ADD COLUMN heading text;
