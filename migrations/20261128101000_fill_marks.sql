-- The marks of all rows, and the indexes that hold them. It takes some minutes for a million templates; publications wait
-- meanwhile, readers only for the names to change hands.
SELECT rebuild_listings();
