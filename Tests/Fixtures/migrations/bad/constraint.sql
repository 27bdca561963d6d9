-- expect: constraint constraint constraint constraint
ALTER TABLE reviews ADD CONSTRAINT reviews_length CHECK (char_length(text) < 10);
ALTER TABLE reviews ADD UNIQUE (text);
ALTER TABLE reviews ADD COLUMN mood text CONSTRAINT reviews_mood_check CHECK (mood <> '');
ALTER TABLE reviews ADD CONSTRAINT reviews_self_fkey FOREIGN KEY (id) REFERENCES reviews (id);
