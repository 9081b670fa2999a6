// A provider of risk as a real HTTP server, and the setting that names it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Db } from '../../db/connect';
import type { ApprovalRequest } from '../../db/operators/approvals';
import { changeSetting } from '../../db/operators/settings';
import { SECRET_CONTEXT } from '../../db/risk/provider';
import { closeAfterFile } from './cleanup';
import { testSealer } from './webhooks';

export const PROVIDER_SECRET = 'a secret of the provider';

export interface Asked {
  readonly url: string;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

/** Ends the response, or does not. */
export type Manner = (response: ServerResponse, asked: Asked) => void;

export interface TestProvider {
  readonly url: string;
  readonly asked: Asked[];
  /** The most questions that were under way at the same time. */
  readonly most: () => number;
  behave(manner: Manner): void;
}

export const saying =
  (said: unknown): Manner =>
  (response) => {
    response.end(typeof said === 'string' ? said : JSON.stringify(said));
  };

/** Says `allow` until it is told otherwise. */
export async function startProvider(): Promise<TestProvider> {
  const asked: Asked[] = [];
  let manner = saying({ decision: 'allow' });
  let [now, most] = [0, 0];
  const server = createServer((request, response) => {
    most = Math.max(most, (now += 1));
    response.once('close', () => (now -= 1));
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const json: unknown = text === '' ? null : JSON.parse(text);
      const one = { url: request.url!, text, headers: request.headers, json };
      asked.push(one);
      manner(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/orders`,
    asked,
    most: () => most,
    behave(next) {
      manner = next;
    },
  };
}

/** About everything, with a second's patience and holding on silence, unless the fields say otherwise; null: none. */
export async function setProvider(
  operator: Db,
  fields: Readonly<Record<string, unknown>> | null,
): Promise<void> {
  const provider = fields && {
    watches: ['transfer', 'payout', 'payment'],
    deadline_ms: 1_000,
    on_silence: 'hold',
    environment: null,
    sealed_secret: `\\x${testSealer.seal(PROVIDER_SECRET, SECRET_CONTEXT).toString('hex')}`,
    ...fields,
  };
  const given = (provider ?? {}) as ApprovalRequest['arguments'];
  await changeSetting(operator, 'risk.provider', given, 'olivia');
}
