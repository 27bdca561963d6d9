-- expect: dynamic rewrite
DO $$
BEGIN
    IF EXISTS (SELECT FROM templates) THEN
        UPDATE templates SET summary = '';
        EXECUTE 'DROP TABLE users';
    END IF;
END $$;
