ALTER TABLE favorites ADD COLUMN collection text;
-- next file
-- allow two-tables: both are locked for an instant, and nodes write collections only by hand of a moderator
ALTER TABLE favorites ADD CONSTRAINT favorites_collection_fkey
    FOREIGN KEY (collection) REFERENCES collections (slug) NOT VALID;
-- next file
ALTER TABLE favorites VALIDATE CONSTRAINT favorites_collection_fkey;
