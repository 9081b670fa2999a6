// The Postgres of the topology: the embedded programs with the settings of docker-compose.yml, and the roles
// and databases of deploy/postgres/init.sh.

import { join } from 'node:path';
import { Client, escapeLiteral } from 'pg';
import { startPostgres, type EmbeddedPostgres } from '../../../dev/embedded/postgres';
import { read, type ComposeService } from './compose-file';

export async function startTopologyPostgres(
  service: ComposeService,
  { folder, log_file, port }: Readonly<Record<'folder' | 'log_file', string>> & { port: number },
): Promise<EmbeddedPostgres> {
  const flags = service.command.filter((word) => word.includes('='));
  const server = await startPostgres({
    directory: join(folder, 'postgres'),
    log_file,
    port,
    shares_group: true,
    settings: Object.fromEntries(flags.map((word) => word.split('='))) as Record<string, string>,
  });
  await initialise(server.superuser_url('postgres'), service);
  return server;
}

/** Runs the image's script once. Its variables are put in here: no psql is embedded. */
async function initialise(url: string, { environment }: ComposeService): Promise<void> {
  const script = read('deploy/postgres/init.sh');
  const names = new Map(
    [...script.matchAll(/--set=(\w+)="\$(\w+)"/g)].map(([, name, from]) => [name!, from!]),
  );
  const statements = /<<'SQL'\n([^]*?)^SQL$/m
    .exec(script)![1]!
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/:'(\w+)'/g, (_, name: string) => escapeLiteral(environment[names.get(name)!]!))
    .split(/;\s*$/m)
    .filter((statement) => statement.trim() !== '');
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'payments'`);
    // One at a time: databases are not created in a transaction.
    if (rowCount === 0) for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
