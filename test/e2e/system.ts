// The system that the main job runs on: one of this file's own, or a topology that runs already (`npm run topology`),
// through Caddy and TLS, where E2E_TOPOLOGY names its folder.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { PREFIX } from '../../api/prefix';
import { buildCli, cliWith, type Cli } from '../cli/support/cli';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';

export interface TestedSystem {
  readonly service: Pick<TestService, 'base_url'>;
  readonly cli: Cli;
  readonly temporal: Client;
}

export async function openSystem(): Promise<TestedSystem> {
  const folder = process.env['E2E_TOPOLOGY'];
  if (folder !== undefined) return openTopology(folder);
  const database = await createTestDatabase();
  return {
    service: await startTestService({ database }),
    cli: await buildCli(database),
    temporal: await connectTestTemporal(),
  };
}

/** By the files that the command leaves there for its users. */
async function openTopology(folder: string): Promise<TestedSystem> {
  const { origin, temporal_address } = JSON.parse(
    readFileSync(join(folder, 'topology.json'), 'utf8'),
  ) as { readonly origin: string; readonly temporal_address: string };
  const lines = readFileSync(join(folder, 'cli.env'), 'utf8').trim().split('\n');
  const env = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Readonly<Record<string, string>>;
  const connection = await Connection.connect({ address: temporal_address });
  closeAfterFile(() => connection.close());
  return {
    service: { base_url: origin + PREFIX },
    cli: cliWith({ ...env, PATH: process.env['PATH'], OPERATOR: 'awa' }),
    temporal: new Client({ connection, namespace: env['TEMPORAL_NAMESPACE']! }),
  };
}
