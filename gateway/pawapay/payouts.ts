// The adapter of pawaPay's payouts, which go to phones. Our payout's id is the id of its payout.

import type {
  CheckedDestination,
  DestinationToCheck,
  PayoutState,
  Rail,
} from '../../domain/payout';
import { isCurrency } from '../../domain/currency';
import { GatewayError } from '../../domain/gateway-error';
import { listField, optionalText, textField, type Fields } from '../fields';
import type { PayoutOrder, PayoutProvider, ProviderBalance } from '../payout-port';
import { afterwards, beforehand, callPawapay, reasonOf, type PawapayAccount } from './call';
import { createCallbackVerifier, readCallback, readForPayouts } from './callback';
import { createConfiguration, findOperation, type Operation } from './configuration';
import {
  amountText,
  narrationOf,
  pathOf,
  payoutFailure,
  readAmount,
  readBegun,
  readFound,
  requireSame,
  unseen,
  type Transaction,
} from './transactions';

/** @throws Error for keys that are none */
export function createPawapayPayouts(account: PawapayAccount): PayoutProvider {
  const { environment } = account;
  const verifier = createCallbackVerifier(account);
  const payouts = createConfiguration(account, 'PAYOUT');
  const get = <Value>(path: string, read: (body: Fields['value']) => Value): Promise<Value> =>
    callPawapay(account, { method: 'GET', path, body: null }, read);
  const post = <Value>(path: string, body: object | null, read: (body: Fields['value']) => Value) =>
    callPawapay(account, { method: 'POST', path, body }, read);
  const look = (id: string): Promise<Transaction | undefined> =>
    get(pathOf('payout', id), readFound('payout', id));

  /** pawaPay's name of the operator that a phone probably has; undefined for a number that no operator has. */
  const predict = (phone: string): Promise<string | undefined> =>
    post('/v2/predict-provider', { phoneNumber: digitsOf(phone) }, (body) =>
      reasonOf(body) ? undefined : textField(body, 'provider', 100),
    );

  async function operationOf(
    { destination, currency }: Pick<DestinationToCheck, 'destination' | 'currency'>,
    asked: Promise<readonly Operation[]>,
  ): Promise<Operation | undefined> {
    if (destination.type === 'bank') return undefined;
    const { phone, operator } = destination;
    const [operations, provider] = await Promise.all([asked, predict(phone)]);
    if (provider === undefined) return undefined;
    if (operator === null) return findOperation(operations, { provider, currency });
    // A number may have moved, so that the one who orders knows better; but not to another country.
    const named = findOperation(operations, { operator, currency });
    return named && phone.startsWith(named.calling_code) ? named : undefined;
  }

  async function check(to_check: DestinationToCheck): Promise<CheckedDestination | undefined> {
    const operation = await operationOf(to_check, payouts.now());
    return operation && { payable: true, rail: railOf(operation), name_found: null };
  }

  async function send(order: PayoutOrder): Promise<PayoutState> {
    const { id, amount } = order;
    const operation = await beforehand(operationOf(order, payouts.recent()));
    const text = operation && amountText(amount, operation.decimals);
    const is_within = operation && amount >= operation.minimum && amount <= operation.maximum;
    // No state: an order of before may be on its way, and a failure would give the money back.
    if (!operation || text === undefined || !is_within) {
      throw new GatewayError('refused', 'pawaPay pays no such amount to this destination');
    }
    const begun = await post(
      '/v2/payouts',
      payoutBody(order, operation, text),
      readBegun('payout', id),
    );
    switch (begun.status) {
      case 'ACCEPTED':
        return { status: 'sent', provider_payment_id: id };
      case 'DUPLICATE_IGNORED':
        return afterwards(findAgain(order));
      case 'REJECTED':
        // It waits here until the operator opens.
        if (begun.reason.code === 'PROVIDER_TEMPORARILY_UNAVAILABLE') {
          throw new GatewayError('unreachable', begun.reason.message, { outcome: 'not_done' });
        }
        return { status: 'failed', provider_payment_id: id, failure: payoutFailure(begun.reason) };
    }
  }

  async function findAgain(order: PayoutOrder): Promise<PayoutState> {
    const found = await look(order.id);
    if (found === undefined) throw unseen('payout');
    requireSame(found, order);
    return stateOf(order.id, found);
  }

  async function cancelQueued(id: string): Promise<PayoutState> {
    const path = `/v2/payouts/fail-enqueued/${encodeURIComponent(id)}`;
    // It takes it back a little later, or does not: the look says how far it is.
    await post(path, null, (body) => body);
    const found = await look(id);
    if (found === undefined) throw unseen('payout');
    return stateOf(id, found);
  }

  return {
    name: 'pawapay',
    environment,
    promises: { idempotent_by_id: true, not_found_is_final_after_s: null, callbacks: 'retried' },
    rails: () => payouts.now().then((operations) => operations.map(railOf)),
    check,
    send,
    find: (id) => look(id).then((found) => (found ? stateOf(id, found) : 'never_seen')),
    cancelQueued,
    // pawaPay gives no list: reconciliation asks for each.
    list: async () => ({ items: [], next: null }),
    float: () => get('/v2/wallet-balances', readBalances),
    mayBeSigned: (headers) => verifier.mayBeSigned(headers),
    readNotification: (raw, headers) => readCallback(verifier, raw, headers, readForPayouts),
  };
}

const digitsOf = (phone: string): string => phone.slice('+'.length);

function payoutBody(
  { id, currency, reference, destination }: PayoutOrder,
  { provider }: Operation,
  amount: string,
): object {
  const phoneNumber = destination.type === 'bank' ? '' : digitsOf(destination.phone);
  return {
    payoutId: id,
    amount,
    currency,
    recipient: { type: 'MMO', accountDetails: { phoneNumber, provider } },
    clientReferenceId: reference,
    customerMessage: narrationOf(reference),
  };
}

function stateOf(id: string, { status, amount, reason }: Transaction): PayoutState {
  const common = { provider_payment_id: id };
  switch (status) {
    case 'COMPLETED':
      return { ...common, status: 'succeeded', paid: amount };
    case 'FAILED':
      return reason?.code === 'MANUALLY_CANCELLED'
        ? { ...common, status: 'canceled' }
        : { ...common, status: 'failed', failure: payoutFailure(reason) };
    case 'ENQUEUED':
      return { ...common, status: 'queued' };
    default:
      return { ...common, status: 'sent' };
  }
}

function railOf({
  operator,
  country,
  currency,
  decimals,
  minimum,
  maximum,
  state,
}: Operation): Rail {
  return {
    type: 'mobile_money',
    operator,
    country,
    currency,
    decimals,
    minimum,
    maximum,
    state,
    name_check: 'none',
  };
}

/** A wallet for each country: what one lacks another one does not pay, so that they are not added up. */
function readBalances(body: Fields['value']): readonly ProviderBalance[] {
  return listField(body, 'balances').flatMap((wallet) => {
    const currency = optionalText(wallet, 'currency', 3) ?? '';
    return isCurrency(currency) ? [{ currency, amount: readAmount(wallet, 'balance') }] : [];
  });
}
