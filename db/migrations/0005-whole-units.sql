-- The franc has no cents (currencies.step_minor). Every writer holds to it; the tables now insist.
alter table ledger_entries add constraint ledger_entries_whole_units
  check (currency <> 'XOF' or amount_minor % 100 = 0);
alter table transfers add constraint transfers_whole_units
  check (currency <> 'XOF' or amount_minor % 100 = 0);
