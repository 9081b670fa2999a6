-- What a transfer is for: a description for both sides, and the sender's own metadata. `not valid`: the rows
-- that are there have none, and need no scan. Processes of the version before write neither.
alter table transfers
  add column description text,
  -- As the sender wrote it: in its order, and with its text.
  add column metadata    json,
  add constraint transfers_description check (length(description) <= 255) not valid;

alter type transfer_posting
  add attribute description text,
  add attribute metadata text;

alter table transfer_batch_items
  add column description text,
  add constraint transfer_batch_items_description check (length(description) <= 255) not valid;

-- Called by functions only, which from here on call one with another argument
-- (db/functions/transfer-batches.sql).
drop function if exists transfer_fingerprint(text, text, bigint);
