// The adapter of the simulated operator, which pays phones and bank accounts. Amounts stand on the wire as
// operators write them: whole francs, and euros with two decimals.

import { MAX_MINOR } from '../../domain/money';
import {
  RAIL_STATES,
  type CheckedDestination,
  type DestinationToCheck,
  type PayoutFailure,
  type PayoutState,
  type Rail,
} from '../../domain/payout';
import { GATEWAY_SIGNATURE_HEADER, hasSignatureForm } from '../../secrets/gateway-signature';
import {
  booleanField,
  currencyField,
  FieldFault,
  instantField,
  integerField,
  listField,
  majorField,
  objectField,
  optionalText,
  rowIdField,
  textField,
  wordField,
  type Fields,
} from '../fields';
import type {
  ListedPayout,
  PayoutNotificationReading,
  PayoutOrder,
  PayoutProvider,
  ProviderBalance,
  WaitingPayout,
} from '../payout-port';
import {
  checkSecrets,
  listPath,
  NOT_DONE,
  readFailure,
  readPage,
  type SandboxAccount,
} from './exchange';
import { callGateway, findOrder, writeAmount, type Read } from './gateway-call';
import { irrelevant, readSigned } from './notification';

export const PAYOUT_UPDATED = 'payout.updated';
export const PAYOUT_NOT_SEEN = 'payout_not_seen';

const STATUSES = ['queued', 'sent', 'succeeded', 'failed', 'canceled', 'returned'] as const;

/** The operator's reasons in our words; a new one of its is `unspecified`. */
const FAILURE_CODES = {
  PAYEE_NOT_FOUND: 'recipient_not_found',
  PAYEE_BLOCKED: 'recipient_blocked',
  PAYEE_LIMIT_REACHED: 'recipient_limit_exceeded',
  AMOUNT_OUT_OF_BOUNDS: 'amount_out_of_bounds',
  FLOAT_TOO_LOW: 'provider_out_of_funds',
  OPERATOR_DOWN: 'provider_unavailable',
  DECLINED: 'rejected',
  UNSUPPORTED: 'rejected',
  SUSPECTED_FRAUD: 'fraud_suspected',
} as const satisfies Readonly<Record<string, PayoutFailure['code']>>;
export type FailureCode = keyof typeof FAILURE_CODES;

export function createSandboxPayouts(account: SandboxAccount): PayoutProvider {
  const { environment, secrets } = account;
  checkSecrets(account);
  const get = <Value>(path: string, read: Read<Value>): Promise<Value> =>
    callGateway(account, { method: 'GET', path, body: null }, read, NOT_DONE);
  const post = <Value>(path: string, body: object | null, read: Read<Value>): Promise<Value> =>
    callGateway(account, { method: 'POST', path, body }, read, NOT_DONE);
  const pathOf = (id: string): string => `/payouts/${encodeURIComponent(id)}`;

  return {
    name: 'sandbox',
    environment,
    // It never forgets an id. An order may be on its way to it for any time.
    promises: { idempotent_by_id: true, not_found_is_final_after_s: null, callbacks: 'retried' },
    rails: () => get('/payouts/rails', (response) => listField(response, 'rails').map(readRail)),
    check: (destination) => post('/payouts/check', destination, readCheck(destination)),
    // Async, so that an amount that cannot be written is a rejection too.
    send: async (order) => post('/payouts', sendBody(order), readStateOf(order.id)),
    find: (id) => findOrder(account, pathOf(id), readStateOf(id), PAYOUT_NOT_SEEN),
    cancelQueued: (id) => post(`${pathOf(id)}/cancel`, null, readStateOf(id)),
    list: (window, cursor) =>
      get(listPath('/payouts', window, cursor), readPage('payouts', readListed)),
    float: () =>
      get('/payouts/float', (response) => listField(response, 'balances').map(readBalance)),
    followClock: (clock) =>
      post('/payouts/clock', clock, (response) => listField(response, 'waiting').map(readWaiting)),
    mayBeSigned: (headers) => hasSignatureForm(headers[GATEWAY_SIGNATURE_HEADER]),
    readNotification: (raw, headers) =>
      readSigned<PayoutNotificationReading>(
        { environment, secrets },
        raw,
        headers[GATEWAY_SIGNATURE_HEADER],
        (type, { value }) =>
          type === PAYOUT_UPDATED
            ? { ok: true, payout_id: rowIdField(value, 'payout_id') }
            : irrelevant(type),
      ),
  };
}

function sendBody({ id, amount, currency, ...order }: PayoutOrder): object {
  return { payout_id: id, currency, amount: writeAmount(amount, currency), ...order };
}

function readRail(rail: Fields['value']): Rail {
  const currency = currencyField(rail);
  return {
    type: wordField(rail, 'type', ['mobile_money', 'bank']),
    operator: optionalText(rail, 'operator', 100),
    country: optionalText(rail, 'country', 2),
    currency,
    decimals: integerField(rail, 'decimals', 0, 2),
    minimum: majorField(rail, 'minimum', currency, 1n),
    maximum: majorField(rail, 'maximum', currency, 1n),
    state: wordField(rail, 'state', RAIL_STATES),
    name_check: wordField(rail, 'name_check', ['none', 'before']),
  };
}

function readCheck({ currency }: DestinationToCheck): Read<CheckedDestination | undefined> {
  return (response) => {
    if (response['checked'] === null) return undefined;
    const checked = objectField(response, 'checked');
    const rail = readRail(objectField(checked, 'rail'));
    if (rail.currency !== currency) throw new FieldFault('the rail is of another currency');
    return {
      payable: booleanField(checked, 'payable'),
      rail,
      name_found: optionalText(checked, 'name_found', 200),
    };
  };
}

/** A response about another payout than the one asked about would settle the wrong one. */
function readStateOf(id: string): Read<PayoutState> {
  return (payout) => {
    if (payout['payout_id'] !== id) throw new FieldFault('payout_id is of another payout');
    return readState(payout);
  };
}

function readState(payout: Fields['value']): PayoutState {
  const currency = currencyField(payout);
  const status = wordField(payout, 'status', STATUSES);
  const provider_payment_id = textField(payout, 'provider_payment_id', 200);
  const paid = payout['paid'] === null ? undefined : majorField(payout, 'paid', currency, 1n);
  const returned = majorField(payout, 'returned', currency, 0n);
  if (returned > (paid ?? 0n)) throw new FieldFault('returned is more than was paid');
  if (paid === undefined && (status === 'succeeded' || status === 'returned')) {
    throw new FieldFault('paid is missing');
  }
  const failure = payout['failure'] === null ? undefined : readFailure(payout, FAILURE_CODES);
  if (failure === undefined && status === 'failed') throw new FieldFault('failure is missing');
  return {
    // A payout that was paid does not fail any more: a late failure is a return.
    status: status === 'failed' && paid !== undefined ? 'returned' : status,
    provider_payment_id,
    ...(paid === undefined ? {} : { paid }),
    ...(returned === 0n ? {} : { returned }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function readWaiting(payout: Fields['value']): WaitingPayout {
  return { id: rowIdField(payout, 'payout_id'), due_at: instantField(payout, 'due_at') };
}

function readListed(payout: Fields['value']): ListedPayout {
  const currency = currencyField(payout);
  return {
    id: rowIdField(payout, 'payout_id'),
    provider_payment_id: textField(payout, 'provider_payment_id', 200),
    amount_minor: String(majorField(payout, 'amount', currency, 1n)),
    currency,
    state: readState(payout),
    created_at: instantField(payout, 'created_at'),
  };
}

function readBalance(balance: Fields['value']): ProviderBalance {
  const currency = currencyField(balance);
  // An operator may let it be overdrawn.
  return { currency, amount: majorField(balance, 'amount', currency, -BigInt(MAX_MINOR)) };
}
