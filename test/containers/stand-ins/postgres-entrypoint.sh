#!/bin/sh
# Does what Postgres' official image documents: gives the folders to the user postgres and becomes that user, and at
# the first start makes the database and runs the scripts of /docker-entrypoint-initdb.d over the socket.
set -eu

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown -R postgres "$(dirname "$(dirname "$PGDATA")")" /var/run/postgresql
  chmod 700 "$PGDATA"
  chmod 3775 /var/run/postgresql
  exec setpriv --reuid=999 --regid=999 --clear-groups --no-new-privs "$0" "$@"
fi

export PGHOST=/var/run/postgresql POSTGRES_USER=postgres
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  # shellcheck disable=SC2086 # several words
  initdb --username=postgres --pwfile="$password" $POSTGRES_INITDB_ARGS
  rm "$password"
  # Inside of the container the socket is trusted, as it is in the official image.
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait start --options="-c listen_addresses='' -c unix_socket_directories=$PGHOST"
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl --wait --mode=fast stop
fi
exec "$@" -c "listen_addresses=*" -c "unix_socket_directories=$PGHOST"
