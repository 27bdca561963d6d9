-- expect: drop
ALTER TABLE templates ADD COLUMN heading text, DROP COLUMN subtitle;
