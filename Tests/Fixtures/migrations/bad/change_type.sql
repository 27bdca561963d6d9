-- expect: change-type change-type
ALTER TABLE versions ALTER COLUMN size_bytes TYPE numeric;
ALTER TABLE versions ALTER size_bytes SET DATA TYPE numeric USING size_bytes::numeric;
