// Reads afterwards in the API, as the users do: each transfer, and each balance.

import { isDeepStrictEqual } from 'node:util';
import { parseAmount } from '../../../domain/money';
import type { OperationRecord } from './caller';
import type { System } from './cluster';
import { readBooks } from './books';
import type { HttpClient } from './http-client';
import { inParallel } from './parallel';
import type { FundedUser } from './users';

/** Faults in words, none when every acknowledged transfer and every balance is shown. */
export async function findReadingFaults(
  cluster: System,
  users: readonly FundedUser[],
  records: readonly OperationRecord[],
  client: HttpClient,
): Promise<string[]> {
  const faults: string[] = [];
  const get = async (path: string, key: string, turn: number): Promise<string | undefined> => {
    const api = cluster.apis[turn % cluster.apis.length]!;
    const headers = { authorization: `Bearer ${key}` };
    const url = api.base_url + path;
    const reply = await client.send({ method: 'GET', url, headers, timeout_ms: 15_000 });
    if (reply.status === 200) return reply.text;
    faults.push(`GET ${path}: ${reply.status ?? reply.fault}`);
    return undefined;
  };

  const done = records.filter(({ final }) => final?.status === 200);
  await inParallel(done, async ({ operation, final }, turn) => {
    const { from, environment } = operation;
    const { reference } = JSON.parse(final!.text) as { reference: string };
    const text = await get(`/transfers/${reference}`, from.keys[environment], turn);
    if (text === undefined) return;
    const shown = JSON.parse(text) as { [field: string]: unknown };
    const promised = JSON.parse(final!.text) as { [field: string]: unknown };
    for (const [field, value] of Object.entries(promised)) {
      if (!isDeepStrictEqual(shown[field], value))
        faults.push(`${reference} shows ${field} ${String(shown[field])}`);
    }
  });

  const { wallets } = await readBooks(cluster.db, users);
  await inParallel(users, async (user, turn) => {
    const text = await get('/wallets', user.keys.live, turn);
    for (const wallet of wallets) {
      if (text === undefined || wallet.user_id !== user.id || wallet.environment !== 'live') {
        continue;
      }
      const shown = new RegExp(`"${wallet.currency}","balance":([0-9.]+)`).exec(text)?.[1] ?? '';
      const parsed = parseAmount(shown, wallet.currency);
      // A balance of nothing is no amount to send, which is what the parser is for.
      const amount = parsed.ok ? parsed.amount : 0n;
      if (amount !== wallet.balance_minor) faults.push(`${user.username} sees ${shown}`);
    }
  });
  return faults;
}
