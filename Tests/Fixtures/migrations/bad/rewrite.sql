-- expect: rewrite rewrite rewrite rewrite rewrite rewrite rewrite rewrite
UPDATE templates SET summary = '' WHERE summary IS NULL;
DELETE FROM changes WHERE at < now();
ALTER TABLE templates ADD COLUMN token uuid DEFAULT gen_random_uuid();
ALTER TABLE templates ADD COLUMN upper_name text GENERATED ALWAYS AS (upper(name)) STORED;
TRUNCATE templates;
SELECT rebuild_listings();
WITH old AS (SELECT id FROM templates) UPDATE templates SET summary = '' FROM old WHERE old.id = templates.id;
INSERT INTO favorites (user_id, template_id) SELECT owner_id, id FROM templates;
