-- An operator ends a refund that the gateway never made; above the limit a second operator approves it
-- (decision 60).
alter table approvals drop constraint approvals_action_check;
alter table approvals add constraint approvals_action_check check (action in
  ('wallets.credit', 'suspense.accept', 'suspense.refund', 'suspense.close', 'refunds.create',
   'refunds.fail'));

-- Replaced by one that knows our reference.
drop function if exists note_payment_refund_notice(text, text, text, text);

-- The event of a refund has its metadata in it, of up to 50 texts.
alter table approvals drop constraint approvals_arguments_check;
alter table approvals add constraint approvals_arguments_check check (length(arguments::text) <= 262144);
