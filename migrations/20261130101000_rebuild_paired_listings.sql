-- All rows are to have the lexemes of systems' words. Apart from the change of the view, which would keep out whoever enters a
-- listing meanwhile. It takes some minutes for a million templates; publications wait, readers only for the names to change hands.
SELECT rebuild_listings();
