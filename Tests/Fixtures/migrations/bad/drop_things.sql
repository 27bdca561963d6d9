-- expect: drop drop drop drop
DROP TABLE favorites;
DROP FUNCTION IF EXISTS fold_downloads;
DROP VIEW visible_reviews CASCADE;
DROP TRIGGER templates_listing ON templates;
