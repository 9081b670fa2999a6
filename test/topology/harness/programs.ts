// The programs of the images, at the versions of docker-compose.yml: the Temporal server, its schema tool and
// Caddy are built with Go once per machine.

import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { acquireGoProgram, type GoProgram } from '../../../dev/embedded/go-program';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';

export interface Programs {
  /** A folder with `temporal` and `temporal-sql-tool`, as in the image of Temporal's tools. */
  readonly tools: string;
  readonly temporal_server: string;
  readonly caddy: string;
}

const TEMPORAL = { module: 'temporal-server', from: 'go.temporal.io/server' } as const;
const CADDY = { module: 'caddy', from: 'github.com/caddyserver/caddy/v2' } as const;

export const GO_PROGRAMS = {
  server: { ...TEMPORAL, name: 'temporal-server', package: `${TEMPORAL.from}/cmd/server` },
  sql_tool: { ...TEMPORAL, name: 'temporal-sql-tool', package: `${TEMPORAL.from}/cmd/tools/sql` },
  caddy: { ...CADDY, name: 'caddy', package: `${CADDY.from}/cmd/caddy` },
} as const satisfies Record<string, GoProgram>;

/** @param tools gets links with the names that the scripts of deploy use */
export async function acquirePrograms(tools: string): Promise<Programs> {
  const options = { env: process.env, log: (text: string): void => console.error(text) };
  const temporal_server = await acquireGoProgram(GO_PROGRAMS.server, options);
  const sql_tool = await acquireGoProgram(GO_PROGRAMS.sql_tool, options);
  const caddy = await acquireGoProgram(GO_PROGRAMS.caddy, options);
  const cli = await acquireTemporalBinary(options);
  mkdirSync(tools, { recursive: true });
  for (const [name, file] of Object.entries({ temporal: cli, 'temporal-sql-tool': sql_tool })) {
    rmSync(join(tools, name), { force: true });
    symlinkSync(file, join(tools, name));
  }
  return { tools, temporal_server, caddy };
}
