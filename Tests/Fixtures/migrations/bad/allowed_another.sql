-- expect: drop other
-- allow rewrite: this allows something else than what is done
DROP TABLE favorites;
