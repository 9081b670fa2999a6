/** Ends the sessions of API processes and workers; a row for each. */
export const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where usename = 'payments_app' and application_name like 'payment-%'`;
