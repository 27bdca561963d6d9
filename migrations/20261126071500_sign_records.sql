-- SPDX-License-Identifier: Apache-2.0
-- Signed custom data has a hash of each version's record now: all templates are gone through once more. Nothing is there
-- to go through where nothing was ever signed.
UPDATE trust_state SET is_syncing = true, synced_until = NULL;
