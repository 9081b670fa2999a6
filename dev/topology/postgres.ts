// The Postgres of the topology: the embedded programs with the settings of docker-compose.yml, and the roles
// and databases of deploy/postgres/init.sh.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, escapeLiteral } from 'pg';
import { startPostgres, type EmbeddedPostgres } from '../../embedded/postgres';
import type { ComposeService } from './compose-file';
import { PROJECT } from './project';

export interface PostgresOptions {
  readonly service: ComposeService;
  readonly folder: string;
  readonly log_file: string;
  readonly port: number;
}

export async function startTopologyPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { service, folder, log_file, port } = options;
  const server = await startPostgres({
    directory: join(folder, 'postgres'),
    ...{ log_file, port, settings: settingsOf(service) },
  });
  await initialise(server.superuser_url('postgres'), service);
  return server;
}

/** `postgres -c a=b -c c=d` */
function settingsOf({ command }: ComposeService): Record<string, string> {
  const pairs = command.filter((word) => word.includes('=')).map((word) => word.split('='));
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Once, as the image does; psql is not among the embedded programs, so its variables are put in here. */
async function initialise(url: string, { environment }: ComposeService): Promise<void> {
  const script = readFileSync(join(PROJECT, 'deploy', 'postgres', 'init.sh'), 'utf8');
  const names = new Map(
    [...script.matchAll(/--set=(\w+)="\$(\w+)"/g)].map(([, name, from]) => [name!, from!]),
  );
  const sql = /<<'SQL'\n([^]*?)^SQL$/m.exec(script)![1]!;
  const filled = sql.replace(/:'(\w+)'/g, (_, name: string) =>
    escapeLiteral(environment[names.get(name)!]!),
  );
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'payments'`);
    if (rowCount === 1) return;
    // One at a time: databases are not created in a transaction.
    for (const statement of statementsOf(filled)) await client.query(statement);
  } finally {
    await client.end();
  }
}

function statementsOf(sql: string): string[] {
  const code = sql.replaceAll(/^\s*--.*$/gm, '');
  return code
    .split(/;\s*$/m)
    .map((one) => one.trim())
    .filter(Boolean);
}
