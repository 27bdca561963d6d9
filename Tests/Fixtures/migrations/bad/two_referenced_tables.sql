-- expect: two-tables
CREATE TABLE favorites (user_id uuid REFERENCES users (id), template_id uuid REFERENCES templates (id));
