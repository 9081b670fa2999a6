// Brings the database to the newest schema and grants the application's role what it needs.

import { ConfigError } from '../config/load';
import { migrate } from '../db/schema/migrate';
import { roleOf } from '../domain/database-url';
import { configOrExit, fail } from './process';

async function main(): Promise<void> {
  const config = configOrExit('migrations');
  const { database_url, database_owner_url, operator_database_url } = config;
  if (database_url === undefined || database_owner_url === undefined) {
    throw new ConfigError([
      'DATABASE_URL is required, and DATABASE_OWNER_URL if another role owns the schema',
    ]);
  }
  const ran = await migrate({
    owner_url: database_owner_url,
    app_role: roleOf(database_url),
    operator_role: operator_database_url && roleOf(operator_database_url),
    approval_above: config.approval_above,
  });
  process.stderr.write(
    ran.length === 0 ? 'The schema is up to date.\n' : `Applied ${ran.join(', ')}.\n`,
  );
}

main().catch(fail);
