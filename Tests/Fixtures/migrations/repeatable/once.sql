-- expect: again again again
CREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
DROP VIEW ones;
UPDATE templates SET summary = '';
