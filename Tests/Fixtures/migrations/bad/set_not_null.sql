-- expect: not-null
ALTER TABLE users ALTER COLUMN email SET NOT NULL;
