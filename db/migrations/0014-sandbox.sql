-- What an account rehearses with its test keys. It has no row until it moves its clock or orders a fault.

create table sandboxes (
  user_id       uuid primary key references users,
  -- How far its clock is ahead of the time.
  clock_seconds integer not null default 0 check (clock_seconds between 0 and 400 * 86400),
  -- Whether sandbox_faults may hold any that is left: only then a request looks for it.
  has_faults    boolean not null default false
);
