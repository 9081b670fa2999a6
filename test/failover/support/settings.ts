// The settings that docs/high-availability.md recommends, as Patroni reads them.

import { join } from 'node:path';

export const PORT = 5432;
export const REST_PORT = 8008;
export const PASSWORD = 'only-for-tests';

/** Seconds. The smallest `ttl` that Patroni 4 takes; a loop and two tries have to fit into it. */
export const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 } as const;

interface Place {
  readonly name: string;
  readonly address: string;
  /** A folder of the user that Postgres runs as. */
  readonly home: string;
}

export function clusterConfig({ name, address, home }: Place): Record<string, unknown> {
  const user = (username: string) => ({ username, password: PASSWORD });
  return {
    scope: 'payments',
    name,
    restapi: { listen: `${address}:${REST_PORT}`, connect_address: `${address}:${REST_PORT}` },
    etcd3: { host: '10.77.0.1:2379' },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        // A primary that has crashed is not waited for: it would be up again with commits that no standby has.
        primary_start_timeout: 0,
        maximum_lag_on_failover: 1_048_576,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 300,
            wal_level: 'replica',
            wal_log_hints: 'on',
            max_wal_size: '512MB',
            // A standby that says nothing is left out of the synchronous ones soon.
            wal_sender_timeout: '5s',
            wal_receiver_timeout: '5s',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:${PORT}`,
      connect_address: `${address}:${PORT}`,
      data_dir: join(home, 'data'),
      bin_dir: '/usr/lib/postgresql/18/bin',
      pgpass: join(home, 'pgpass'),
      authentication: {
        superuser: user('postgres'),
        replication: user('replicator'),
      },
      pg_hba: [
        'local all all trust',
        'host replication replicator 10.77.0.0/24 scram-sha-256',
        'host all all 10.77.0.0/24 scram-sha-256',
      ],
      parameters: { unix_socket_directories: home },
    },
  };
}
