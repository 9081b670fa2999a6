// Brings the database to the newest schema and grants the application's role what it needs.

import { ConfigError } from '../config/load';
import { migrate } from '../db/migrate';
import { configOrExit, fail } from './process';

async function main(): Promise<void> {
  const { database_url, database_owner_url } = configOrExit('migrations');
  if (database_url === undefined || database_owner_url === undefined) {
    throw new ConfigError([
      'DATABASE_URL is required, and DATABASE_OWNER_URL if another role owns the schema',
    ]);
  }
  const ran = await migrate({
    owner_url: database_owner_url,
    app_role: decodeURIComponent(new URL(database_url).username),
  });
  process.stderr.write(
    ran.length === 0 ? 'The schema is up to date.\n' : `Applied ${ran.join(', ')}.\n`,
  );
}

main().catch(fail);
