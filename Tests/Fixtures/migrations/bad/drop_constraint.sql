-- expect: drop
ALTER TABLE reviews DROP CONSTRAINT reviews_author_key;
