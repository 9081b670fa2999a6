-- A later version's change of a table that grows for ever: a column, its index, and a value for the rows of before.
-- step: the column
alter table transfers add column if not exists purpose text;
-- step: its index
create index concurrently if not exists transfers_by_purpose on transfers (purpose) where purpose is not null;
-- step: the rows of before
with batch as (select reference from transfers where reference > coalesce(:after, '') order by reference limit 5000),
     done as (update transfers t set purpose = 'goods' from batch b where t.reference = b.reference returning t.reference)
select max(reference) as reached from done
