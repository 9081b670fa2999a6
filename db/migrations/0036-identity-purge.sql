-- Replaced by one that goes on after the approvals that stand.
drop function if exists purge_identity_data(integer, integer);
