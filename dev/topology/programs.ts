// The programs of the images, at the versions of docker-compose.yml: the Temporal server, its schema tool and
// Caddy are built with Go once per machine.

import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { acquireGoProgram, type GoOptions, type GoProgram } from '../../embedded/go-program';
import { acquireTemporalBinary } from '../../embedded/temporal-binary';
import type { Programs } from './local';

const TEMPORAL = { module: 'temporal-server', from: 'go.temporal.io/server' } as const;

export const GO_PROGRAMS = {
  temporal_server: {
    ...TEMPORAL,
    name: 'temporal-server',
    package: 'go.temporal.io/server/cmd/server',
  },
  temporal_sql_tool: {
    ...TEMPORAL,
    name: 'temporal-sql-tool',
    package: 'go.temporal.io/server/cmd/tools/sql',
  },
  caddy: {
    name: 'caddy',
    module: 'caddy',
    from: 'github.com/caddyserver/caddy/v2',
    package: 'github.com/caddyserver/caddy/v2/cmd/caddy',
  },
} as const satisfies Record<string, GoProgram>;

/** @param tools gets links with the names that the scripts of deploy use */
export async function acquirePrograms(tools: string, options: GoOptions): Promise<Programs> {
  const temporal_server = await acquireGoProgram(GO_PROGRAMS.temporal_server, options);
  const sql_tool = await acquireGoProgram(GO_PROGRAMS.temporal_sql_tool, options);
  const caddy = await acquireGoProgram(GO_PROGRAMS.caddy, options);
  const cli = await acquireTemporalBinary(options);
  mkdirSync(tools, { recursive: true });
  for (const [name, file] of [
    ['temporal', cli],
    ['temporal-sql-tool', sql_tool],
  ] as const) {
    rmSync(join(tools, name), { force: true });
    symlinkSync(file, join(tools, name));
  }
  return { tools, temporal_server, caddy };
}
