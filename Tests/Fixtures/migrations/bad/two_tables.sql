-- expect: two-tables
ALTER TABLE templates ADD COLUMN subtitle text;
ALTER TABLE versions ADD COLUMN subtitle text;
