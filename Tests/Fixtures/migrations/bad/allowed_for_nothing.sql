-- expect: other
-- allow drop: this sentence is about nothing at all
ALTER TABLE templates ADD COLUMN subtitle text;
