-- The team's statistics look for proposals that a second moderator declined; there are few. Building the index reads the log once.

CREATE INDEX audit_entries_declined ON audit_entries (at) WHERE action = 'case.proposal_declined';
