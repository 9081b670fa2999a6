// Every client against the running service with every fault of the sandbox, by header and ordered: whatever happens,
// the money is sent once. `node test/clients/faults.mjs`, with PAYMENTS_URL and PAYMENTS_KEY.

import { randomUUID } from 'node:crypto';
import { languagesThere, startRunner } from '../../clients/conformance/runners.mjs';

const { PAYMENTS_URL: base_url, PAYMENTS_KEY: api_key } = process.env;
const ORDER = { to_username: 'customer', currency: 'XOF', amount: '5000' };
const LINK = { amount: '49.90', currency: 'EUR' };

/** A call ends so when the fault comes with each try; when it comes once, every call succeeds. */
const FAULTS = [
  { fault: 'lost-response' },
  { fault: 'unavailable', error: 'unavailable' },
  { fault: 'unavailable-after' },
  { fault: 'rate-limited', error: 'rate_limited' },
  { fault: 'slow=300' },
  { fault: 'slow-after=300' },
  { fault: 'in-progress' },
  // Whether the gateway has a link is not known until a call with the key gets through.
  { fault: 'gateway-down', call: 'payment_intents.create', error: 'outcome_unknown' },
  { fault: 'gateway-unknown', call: 'payment_intents.create', error: 'outcome_unknown' },
];

let failed = 0;
for (const language of languagesThere(process.argv.slice(2))) {
  const runner = startRunner(language);
  for (const row of FAULTS) {
    for (const isOrdered of [false, true]) {
      const differences = await rehearse(runner, row, isOrdered);
      const name = `${language}: ${row.fault}${isOrdered ? ', once' : ', each time'}`;
      console.log(
        differences.length === 0
          ? `ok      ${name}`
          : `FAILED  ${name}\n  ${differences.join('\n  ')}`,
      );
      failed += differences.length;
    }
  }
  await runner.stop();
}
process.exitCode = failed > 0 ? 1 : 0;

/** Calls with the fault, then without it and with the same key: both name one thing. */
async function rehearse(runner, { fault, error, call = 'transfers.create' }, isOrdered) {
  const idempotency_key = randomUUID();
  const order = call === 'transfers.create' ? ORDER : LINK;
  const headers = isOrdered ? {} : { 'Sandbox-Fault': fault };
  if (isOrdered) {
    const operation = call === 'transfers.create' ? 'POST /transfers' : 'POST /payment-intents';
    await orderFault({ operation, fault, times: 1 });
  }
  const client = { api_key, base_url, random: 0.5 };
  const first = await runner.ask({
    call: [call, order],
    options: { idempotency_key, headers },
    client,
  });
  const second = await runner.ask({
    call: [call, order],
    options: { idempotency_key, headers: {} },
    client,
  });
  const differences = [];
  if (!second.result) differences.push(`The repetition fails: ${JSON.stringify(second)}`);
  const wanted = isOrdered ? undefined : error;
  const ended = first.error && (first.error.code ?? first.error.kind);
  if (ended !== wanted)
    differences.push(`The call ends with ${JSON.stringify(first)}, not ${wanted ?? 'well'}.`);
  if (first.result && first.result.reference !== second.result?.reference) {
    differences.push(`Two were made: ${first.result.reference}, ${second.result?.reference}`);
  }
  return differences;
}

async function orderFault(order) {
  const response = await fetch(`${base_url}/sandbox/faults`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  });
  if (response.status !== 201)
    throw new Error(`The fault was not ordered: ${await response.text()}`);
}
