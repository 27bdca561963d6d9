-- allow drop: nothing has read templates.subtitle since release 1.4, which is everywhere
ALTER TABLE templates DROP COLUMN subtitle;
