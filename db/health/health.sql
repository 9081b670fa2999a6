-- Whether there is room on the disk.

-- Writes a tenth of a megabyte to a file that ends with the statement, as a large sort does: no row, no
-- transaction and no log of it. Fails with disk_full (53100) when the disk is.
create or replace function write_scratch() returns integer
language sql set search_path = public, pg_temp set work_mem = '64kB' as $$
  select count(*)::integer from generate_series(1, 8000)
$$;
