-- expect: not-null
ALTER TABLE users ADD CONSTRAINT users_email_present CHECK (email IS NOT NULL) NOT VALID;
ALTER TABLE users VALIDATE CONSTRAINT users_email_present;
ALTER TABLE users ALTER COLUMN email SET NOT NULL;
