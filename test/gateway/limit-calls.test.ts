// A gateway that does not answer holds only a part of a process's calls.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateways } from '../../bin/gateways';
import { WORKER_SLOTS } from '../../bin/main-worker';
import { loadConfig } from '../../config/load';
import type { Minor } from '../../domain/money';
import { callsAtOnce } from '../../gateway/limit-calls';
import type { Gateway } from '../../gateway/port';
import { checkoutRequest } from '../support/sandbox-gateway';
import { noteSeen, waitFor } from '../support/wait';
import { errorOf } from './support/errors';

const CALLS_AT_ONCE = callsAtOnce(2);
let silent: Server;
let asked: string[];

beforeEach(async () => {
  asked = [];
  silent = createServer((request) => void asked.push(request.url ?? ''));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  silent.closeAllConnections();
  silent.close();
});

function gatewaysOfSilence(): { readonly live: Gateway; readonly sandbox: Gateway } {
  const { port } = silent.address() as AddressInfo;
  const secrets = { live: ['l'.repeat(32)], sandbox: ['s'.repeat(32)] };
  const simulator = { url: `http://127.0.0.1:${port}`, secrets };
  const { gateway } = loadConfig({});
  const config = { gateway: { ...gateway, simulator, timeout_ms: 600_000 } };
  const { live, sandbox } = createGateways(config, () => undefined);
  return { live: live[0]!, sandbox: sandbox[0]! };
}

const open = (gateway: Gateway) => gateway.openCheckout(checkoutRequest());

const faultOf = async (call: Promise<unknown>): Promise<string> => {
  const { fault, outcome } = await errorOf(call);
  return `${fault}, ${outcome}`;
};

async function untilAsked(count: number): Promise<void> {
  await waitFor(() => {
    noteSeen('requests', asked.length);
    return asked.length === count;
  });
}

it('leaves a process activities that need no gateway, or the other one', () => {
  const { activityTaskSlotSupplier: slots } = WORKER_SLOTS;
  expect(slots).toEqual({ type: 'fixed-size', numSlots: 500 });
  expect(CALLS_AT_ONCE).toBe(200);
  for (let count = 1; count <= 10; count += 1) {
    expect(count * callsAtOnce(count)).toBeLessThanOrEqual(400);
  }
});

it('refuses calls beyond the limit at once, of that gateway only, and takes others when those have ended', async () => {
  const { live, sandbox } = gatewaysOfSilence();
  const hanging = Array.from({ length: CALLS_AT_ONCE }, () => faultOf(open(sandbox)));
  await untilAsked(CALLS_AT_ONCE);
  const order = { idempotency_key: 'k', reference: 'RFD-1' };
  const refund = { provider_payment_id: 'p', amount: 1n as Minor, ...order };
  const beyond = [
    open(sandbox),
    sandbox.closeCheckout('cs_1'),
    sandbox.refund({ ...refund, currency: 'XOF' }),
    sandbox.findRefund('re_1'),
  ];
  expect(await Promise.all(beyond.map(faultOf))).toEqual(beyond.map(() => 'unreachable, not_done'));
  expect(asked).toHaveLength(CALLS_AT_ONCE);
  const other = faultOf(open(live));
  await untilAsked(CALLS_AT_ONCE + 1);
  silent.closeAllConnections();
  expect(new Set(await Promise.all([...hanging, other]))).toEqual(
    new Set(['unreachable, unknown']),
  );
  const again = faultOf(open(sandbox));
  await untilAsked(CALLS_AT_ONCE + 2);
  silent.closeAllConnections();
  expect(await again).toBe('unreachable, unknown');
});
