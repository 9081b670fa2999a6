// `transfers show` of a transfer that was given back in parts.

import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { request } from '../support/http';
import { buildApiKey, buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

const api = setUp(startTestApi);
let cli: Cli;

beforeAll(async () => {
  cli = buildMerchantCli(api);
});

it('shows what was given back, each part with its reason', async () => {
  const { db } = api.database;
  await fund(db, api.merchant.id, 'live', 'XOF', 500_000n);
  const user = await buildUser(db);
  const { key } = await buildApiKey(db, { user });
  const sent = await request(api.service, 'POST', '/transfers', {
    key: api.live_key,
    body: { to_username: user.username, currency: 'XOF', amount: 5000 },
  });
  const { reference } = sent.json;
  for (const [amount, reason] of [
    [1000, 'too much'],
    [500, 'still too much'],
  ]) {
    const reversed = await request(api.service, 'POST', `/transfers/${reference}/reversals`, {
      key,
      idempotency_key: randomUUID(),
      body: { amount, reason },
    });
    expect(reversed.status).toBe(201);
  }
  // Temporal's list of workflows is a moment late.
  const shown = await waitFor(async () => {
    const answer = await cli.json('transfers', 'show', reference);
    return answer.workflow.id !== null && answer;
  });
  expect(shown.transfer).toMatchObject({ status: 'completed', reversed_amount: 1500 });
  // Not that of a reversal, which names the transfer too.
  expect(shown.workflow.id).toContain(`transfer/live/${api.merchant.id}/`);
  expect(shown.reversals).toEqual([
    expect.objectContaining({ amount: 1000, reason: 'too much' }),
    expect.objectContaining({ amount: 500, reason: 'still too much' }),
  ]);
  expect((await cli.run('transfers', 'show', reference)).stdout).toContain('still too much');
  await expectBooksHold(db);
});
