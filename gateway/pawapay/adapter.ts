// The adapter of pawaPay, through which people pay by phone. It has no page of its own: customers pay on ours. Our
// attempt's id is the id of its deposit.

import { GatewayError } from '../../domain/gateway-error';
import type { ListedPayment, PaymentState, RefundState } from '../../domain/payment';
import {
  ATTEMPT_SECONDS,
  type ChargeState,
  type NextStep,
  type PaymentMethod,
} from '../../domain/payment-attempt';
import { formatAmount } from '../../domain/money';
import { uuidOf } from '../../secrets/hash';
import {
  FieldFault,
  instantField,
  isObject,
  objectField,
  optionalText,
  type Fields,
} from '../fields';
import type { ChargeOrder, Gateway, RefundRequest } from '../port';
import { afterwards, beforehand, callPawapay, type PawapayAccount } from './call';
import { createCallbackVerifier, readCallback, readForGateway } from './callback';
import { createConfiguration, findOperation, type Operation } from './configuration';
import {
  amountText,
  depositFailure,
  narrationOf,
  pathOf,
  readBegun,
  readFound,
  requireSame,
  unseen,
  type Kind,
  type Transaction,
} from './transactions';

/** With these it says that it makes no refund now: another one is under way, the wallet is empty, it is closed. */
const LATER: ReadonlySet<string> = new Set([
  'REFUND_IN_PROGRESS',
  'PAWAPAY_WALLET_OUT_OF_FUNDS',
  'PROVIDER_TEMPORARILY_UNAVAILABLE',
]);

/** @throws Error for keys that are none */
export function createPawapayGateway(account: PawapayAccount): Gateway {
  const { environment } = account;
  const verifier = createCallbackVerifier(account);
  const deposits = createConfiguration(account, 'DEPOSIT');
  const post = <Value>(kind: Kind, body: object, read: (answer: Fields['value']) => Value) =>
    callPawapay(account, { method: 'POST', path: `/v2/${kind}s`, body }, read);
  const find = <Value>(
    kind: Kind,
    id: string,
    read: (found: Transaction | undefined) => Value,
  ): Promise<Value> => {
    const call = { method: 'GET', path: pathOf(kind, id), body: null } as const;
    return callPawapay(account, call, (body) => read(readFound(kind, id)(body)));
  };

  async function charge(order: ChargeOrder): Promise<ChargeState> {
    const operations = await beforehand(deposits.recent());
    const operation = findOperation(operations, order);
    const refusal = refusalOf(order, operation);
    if (operation === undefined || refusal !== undefined) {
      return { status: 'failed', failure: refusal! };
    }
    const read = (body: Fields['value']) => ({
      ...readBegun('deposit', order.id)(body),
      created: 'created' in body ? instantField(body, 'created') : new Date().toISOString(),
    });
    const begun = await post('deposit', depositBody(order, operation), read);
    switch (begun.status) {
      case 'REJECTED':
        return { status: 'failed', failure: depositFailure(begun.reason) };
      case 'ACCEPTED':
        return waiting(order.id, nextStep(operation, begun.created, null));
      case 'DUPLICATE_IGNORED':
        return afterwards(findAgain(order));
    }
  }

  async function findAgain(order: ChargeOrder): Promise<ChargeState> {
    const state = await findCharge(order.id, order);
    if (state === 'never_seen') throw unseen('deposit');
    return state;
  }

  async function findCharge(
    id: string,
    ordered?: ChargeOrder,
  ): Promise<ChargeState | 'never_seen'> {
    const state = await find('deposit', id, (found) => {
      if (found && ordered) requireSame(found, ordered);
      return found && readDeposit(id, found);
    });
    if (state === undefined) return 'never_seen';
    if (state.status !== 'under_way') return state;
    const operation = findOperation(await deposits.recent(), state);
    return waiting(id, operation ? nextStep(operation, state.since, state.page) : null);
  }

  async function refund(request: RefundRequest): Promise<RefundState> {
    const refund_id = uuidOf(`pawapay/${environment}/${request.idempotency_key}`);
    if (request.may_exist) {
      const made = await afterwards(look(refund_id, request));
      if (made) return made;
    }
    const begun = await post(
      'refund',
      refundBody(refund_id, request),
      readBegun('refund', refund_id),
    );
    switch (begun.status) {
      case 'ACCEPTED':
        return { status: 'pending', refund_id, detail: null };
      case 'DUPLICATE_IGNORED':
        return afterwards(findRefund(refund_id, request));
      case 'REJECTED': {
        const { code, message } = begun.reason;
        const fault = LATER.has(code) ? 'unreachable' : 'refused';
        throw new GatewayError(fault, `${code}: ${message}`, { outcome: 'not_done' });
      }
    }
  }

  async function findRefund(refund_id: string, ordered?: RefundRequest): Promise<RefundState> {
    const found = await look(refund_id, ordered);
    if (found === undefined) throw unseen('refund');
    return found;
  }

  async function look(
    refund_id: string,
    ordered: RefundRequest | undefined,
  ): Promise<RefundState | undefined> {
    return find('refund', refund_id, (found) => {
      if (found === undefined) return undefined;
      if (ordered) requireSame(found, ordered);
      const { status, reason } = found;
      if (status === 'COMPLETED') return { status: 'succeeded', refund_id };
      if (status !== 'FAILED')
        return { status: 'pending', refund_id, detail: status.toLowerCase() };
      const { code, message } = reason ?? {
        code: 'UNSPECIFIED_FAILURE',
        message: 'no reason given',
      };
      return { status: 'failed', refund_id, reason: `${code}: ${message}` };
    });
  }

  const none = async (): Promise<PaymentState> => ({ state: 'none' });
  const nothing = async () => ({ items: [], next: null });

  return {
    name: 'pawapay',
    environment,
    bounds: { currencies: ['XOF', 'USD'], minimum: {} },
    phones: {
      // An id is ignored for ever once it was accepted. That one was never seen pawaPay says of what is on its way.
      promises: { idempotent_by_id: true, not_found_is_final_after_s: null, callbacks: 'retried' },
      methods: () => deposits.now().then((operations) => operations.map(methodOf)),
      charge,
      findCharge: (id) => findCharge(id),
    },
    openCheckout: async ({ intent_id, pay_url }) => ({
      session_id: intent_id,
      checkout_url: pay_url,
      lapses_at: null,
    }),
    // The attempts' own workflows look.
    findPayment: none,
    closeCheckout: none,
    refund,
    findRefund: (refund_id) => findRefund(refund_id),
    findDispute: async () => {
      throw new GatewayError('refused', 'pawaPay has no disputes');
    },
    listPayments: nothing,
    findTakenPayment: (id) =>
      find('deposit', id, (found) => (found ? takenPayment(id, found) : undefined)),
    listRefunds: nothing,
    mayBeSigned: (headers) => verifier.mayBeSigned(headers),
    readNotification: (raw, headers) =>
      readCallback(verifier, raw, headers, (body) => readForGateway(environment, body)),
  };
}

/** The refusal that is known before anything is sent. */
function refusalOf({ amount, currency, operator }: ChargeOrder, operation: Operation | undefined) {
  if (operation === undefined) {
    const message = `pawaPay takes no payments through ${operator} in ${currency}.`;
    return { code: 'rejected', message, provider_code: null } as const;
  }
  const { minimum, maximum, decimals } = operation;
  const is_writable = amountText(amount, decimals) !== undefined;
  if (amount >= minimum && amount <= maximum && is_writable) return undefined;
  const bounds = `between ${formatAmount(minimum)} and ${formatAmount(maximum)} ${currency}`;
  const message = `The operator takes ${decimals === 0 ? 'whole amounts ' : ''}${bounds}.`;
  return { code: 'amount_out_of_bounds', message, provider_code: null } as const;
}

function depositBody(order: ChargeOrder, { provider, decimals, step }: Operation): object {
  const { id, intent_id, reference, amount, currency, phone, otp, return_url } = order;
  return {
    depositId: id,
    amount: amountText(amount, decimals),
    currency,
    payer: { type: 'MMO', accountDetails: { phoneNumber: phone.slice('+'.length), provider } },
    clientReferenceId: reference,
    customerMessage: narrationOf(reference),
    metadata: [{ intent_id }],
    ...(step === 'otp' && otp !== null ? { preAuthorisationCode: otp } : {}),
    ...(step === 'redirect' ? { successfulUrl: return_url, failedUrl: return_url } : {}),
  };
}

function refundBody(
  refundId: string,
  { provider_payment_id, amount, currency, reference }: RefundRequest,
): object {
  return {
    refundId,
    depositId: provider_payment_id,
    // pawaPay can write every amount that it has taken.
    amount: amountText(amount, 2),
    currency,
    clientReferenceId: reference,
    // A callback does not say of which deposit and order it is, but repeats this.
    metadata: [{ deposit_id: provider_payment_id }, { reference }],
  };
}

function waiting(id: string, next_step: NextStep | null): ChargeState {
  return { status: 'waiting', provider_payment_id: id, next_step };
}

/** A deposit that is under way, of which the next step is told with the operator's words. */
interface UnderWay extends Pick<Transaction, 'currency'> {
  readonly status: 'under_way';
  readonly provider: unknown;
  readonly since: string;
  readonly page: string | null;
}

function readDeposit(id: string, found: Transaction): ChargeState | UnderWay {
  const { status, currency, fields, reason } = found;
  if (status === 'COMPLETED') return { status: 'paid', payment: paymentOf(id, found) };
  if (status === 'FAILED') return { status: 'failed', failure: depositFailure(reason) };
  const { provider } = objectField(objectField(fields, 'payer'), 'accountDetails');
  const since = instantField(fields, 'created');
  return { status: 'under_way', provider, currency, since, page: pageOf(fields) };
}

/** pawaPay does not say how long an operator waits. */
function nextStep(
  { step, code, instructions }: Operation,
  since: string,
  page: string | null,
): NextStep | null {
  // The code was given with the order; a page comes a little later.
  if (step === undefined || step === 'otp' || (step === 'redirect' && page === null)) return null;
  const expires_at = new Date(Date.parse(since) + ATTEMPT_SECONDS * 1_000).toISOString();
  return { kind: step, expires_at, code: step === 'dial' ? code : null, url: page, instructions };
}

function pageOf(deposit: Fields['value']): string | null {
  const url = optionalText(deposit, 'authorizationUrl', 2_000);
  if (url !== null && !url.startsWith('https://')) {
    throw new FieldFault('authorizationUrl must be of https');
  }
  return url;
}

function methodOf(operation: Operation): PaymentMethod {
  const { operator, name, country, currency, prefixes, minimum, maximum, state, code } = operation;
  const step = operation.step!;
  const otp_code = step === 'otp' ? code : null;
  return { operator, name, country, currency, prefixes, minimum, maximum, step, state, otp_code };
}

function paymentOf(id: string, { amount, currency, fields }: Transaction) {
  return {
    provider_payment_id: id,
    amount_minor: String(amount),
    currency,
    occurred_at: instantField(fields, 'created'),
  };
}

function takenPayment(id: string, found: Transaction): ListedPayment | undefined {
  if (found.status !== 'COMPLETED') return undefined;
  const { metadata } = found.fields;
  const intent_id = isObject(metadata) ? optionalText(metadata, 'intent_id', 200) : null;
  return { ...paymentOf(id, found), intent_id, reference: null };
}
