-- Community: the sheets in people's collections.

CREATE TABLE member_collection_items (
    collection_id uuid NOT NULL CONSTRAINT member_collection_items_collection_fkey REFERENCES member_collections (id) ON DELETE CASCADE,
    template_id   uuid NOT NULL CONSTRAINT member_collection_items_template_fkey REFERENCES templates (id) ON DELETE CASCADE,
    position      integer NOT NULL,
    note          text NOT NULL DEFAULT '' CONSTRAINT member_collection_items_note_check CHECK (char_length(note) <= 500),
    CONSTRAINT member_collection_items_pkey PRIMARY KEY (collection_id, template_id)
);
CREATE INDEX member_collection_items_template ON member_collection_items (template_id);
