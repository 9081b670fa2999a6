// The simulated operator for tests: what it was asked for and has paid, and what becomes of one payout. Faults are
// set with `setFaults` of sandbox-gateway.ts: `only: 'payout'` are those of sending.
//
//   const gateway = await startTestGateway({ notification_url: receiver.url });
//   const provider = payoutsOf(gateway, 'sandbox');
//   await provider.send(payoutOrder({ destination: phone('+221770000006') }));

import { randomBytes, randomUUID } from 'node:crypto';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { Minor } from '../../domain/money';
import type { PayoutDestination, PayoutState } from '../../domain/payout';
import type { PayoutAction } from '../../dev/simulators/gateway/courses';
import type { PayoutOrder, PayoutProvider } from '../../gateway/payout-port';
import { createSandboxPayouts } from '../../gateway/sandbox/payouts';
import { callGateway, type TestGateway } from './sandbox-gateway';

export function payoutsOf(
  { url, secrets }: TestGateway,
  environment: Environment,
  timeout_ms = 60_000,
): PayoutProvider {
  return createSandboxPayouts({ environment, url, secrets: secrets[environment], timeout_ms });
}

export function phone(number: string, operator: string | null = null): PayoutDestination {
  return { type: 'mobile_money', phone: number, operator };
}

/** An order of 5000 XOF for a new payout, unless the overrides name one. */
export function payoutOrder(overrides: Partial<PayoutOrder> = {}): PayoutOrder {
  return {
    id: randomUUID(),
    reference: `PYT-${randomBytes(8).toString('hex').toUpperCase()}`,
    amount: 500_000n as Minor,
    currency: 'XOF',
    destination: phone('+221770000100'),
    name: 'Awa Diop',
    description: null,
    ...overrides,
  };
}

/** A payout as the simulator shows it; amounts are text as on the wire. */
export interface SeenPayout {
  readonly payout_id: string;
  readonly provider_payment_id: string;
  readonly reference: string;
  readonly status: PayoutState['status'];
  readonly amount: string;
  readonly currency: Currency;
  readonly destination: PayoutDestination;
  /** Null when the recipient got nothing. */
  readonly paid: string | null;
  readonly returned: string;
}

/** All that the simulator was asked for, oldest first. */
export async function listPayouts(
  gateway: TestGateway,
  environment: Environment,
): Promise<readonly SeenPayout[]> {
  const response = await callGateway(gateway, environment, 'GET', '/payouts');
  const { payouts } = (await response.json()) as { payouts: readonly SeenPayout[] };
  return payouts;
}

/** Those that were paid: each of them is money that a recipient got once. */
export async function listPaid(
  gateway: TestGateway,
  environment: Environment,
): Promise<readonly SeenPayout[]> {
  return (await listPayouts(gateway, environment)).filter(({ paid }) => paid !== null);
}

/**
 * Does something to one payout at the operator, now: `return` takes an amount as on the wire, and all of it without
 * one. Throws when it does not fit the payout's state.
 */
export async function actOnPayout(
  gateway: TestGateway,
  environment: Environment,
  payout_id: string,
  act: { readonly action: PayoutAction; readonly amount?: string },
): Promise<SeenPayout> {
  return control(gateway, environment, `/payouts/${payout_id}/act`, act);
}

/**
 * Sends notifications of a payout as it is, all at once and each once. Returns what the service answered to each:
 * `accepted`, or such as `status 401`. The body may say another amount, or be signed by another account's secret.
 */
export async function notifyOfPayout(
  gateway: TestGateway,
  environment: Environment,
  payout_id: string,
  copies: {
    readonly times?: number;
    readonly signed_by?: Environment;
    readonly amount?: string;
  } = {},
): Promise<readonly string[]> {
  const path = `/payouts/${payout_id}/notify`;
  const { answers } = await control<{ answers: readonly string[] }>(
    gateway,
    environment,
    path,
    copies,
  );
  return answers;
}

/** Sets our account's balance at the operator from now on, such as `0`. */
export async function setFloat(
  gateway: TestGateway,
  environment: Environment,
  balance: { readonly currency: Currency; readonly amount: string },
): Promise<void> {
  await control(gateway, environment, '/payouts/float', balance);
}

async function control<Answer>(
  gateway: TestGateway,
  environment: Environment,
  path: string,
  body: object,
): Promise<Answer> {
  const response = await callGateway(gateway, environment, 'POST', path, body);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}
