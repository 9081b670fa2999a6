// Orders a payout: the row comes first, with the money reserved and nothing sent; then the workflow that has it sent is
// started. One that is lost in between the sweeper starts.

import type { Caller } from '../../db/keys/api-keys';
import { findWalletHold } from '../../db/ledger/wallets';
import {
  createPayout,
  isKnownDestination,
  type RefusedPayout,
  type NewPayout,
} from '../../db/payouts/payouts';
import { waitBeforeNaming, waitForUnknown } from '../../db/transfers/recipients';
import type { Currency } from '../../domain/currency';
import { errorDocsUrl } from '../../domain/docs-paths';
import type { Metadata } from '../../domain/intent';
import type { JsonSource } from '../../domain/json-source';
import { MAX_MINOR } from '../../domain/money';
import { QUEUE_SECONDS, type NameCheck, type PayoutDestination } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { payoutReference } from '../../secrets/hash';
import { limitExceeded } from '../requests/account-limit';
import { readAmount } from '../requests/amounts';
import type { OrderDependencies } from '../requests/dependencies';
import { readMetadata, sortedText } from '../requests/metadata';
import {
  answerOnce,
  keyedRow,
  placeOrder,
  type Noun,
  type Order,
  type OrderedBy,
  type OrderResponse,
} from '../requests/orders';
import { askedPayout } from '../risk/voices';
import {
  choosePayer,
  columnsOf,
  comparedName,
  nameOf,
  readDestination,
  requireWithinRail,
  tellName,
  type DestinationFields,
} from './destination';

/** An operator that is closed may open at any time. */
const CLOSED_RETRY_SECONDS = 300;
const CLOSED =
  'The operator takes no payouts now. Try again later, or leave when_closed out to have it sent once the operator is open.';

/** Validated by the schema of `POST /payouts`. */
export interface PayoutFields {
  readonly currency: Currency;
  readonly destination: DestinationFields;
  readonly name?: string | undefined;
  readonly name_check: NameCheck;
  readonly confirm: boolean;
  readonly when_closed: 'queue' | 'refuse';
  /** Seconds. */
  readonly expires_in?: number | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface PayoutOrder extends Order, OrderedBy {
  readonly body: PayoutFields;
  /** Source text of the body's numbers by JSON pointer, the amount among them. */
  readonly numbers: JsonSource['numbers'];
}

/** The response that is stored for the key. @throws Refusal */
export async function orderPayout(
  dependencies: OrderDependencies,
  order: PayoutOrder,
): Promise<OrderResponse> {
  const { db, config, voices } = dependencies;
  const payout = readPayout(order);
  return answerOnce(order, payout, async () => {
    const checked = { ...payout, ...(await checkDestination(dependencies, order)) };
    const began = performance.now();
    return placeOrder(dependencies, NOUN, checked, () =>
      voices.hear(askedPayout(checked), async (heard) => {
        // Its caller waits for those who are asked.
        const accept_before = later(checked.accept_before!, performance.now() - began);
        const created = await createPayout(
          db,
          { ...checked, accept_before, heard },
          errorDocsUrl(config.public_url),
        );
        return created.outcome === 'unasked' ? created.outcome : created;
      }),
    );
  });
}

const later = (instant: string, by_ms: number): string =>
  new Date(Date.parse(instant) + by_ms).toISOString();

/** Finds the provider that pays the destination, and its answer about it, where it answers at once. @throws Refusal */
async function checkDestination(
  { db, payout_providers }: OrderDependencies,
  { caller, body, numbers }: PayoutOrder,
): Promise<
  Pick<NewPayout, 'provider' | 'name_found' | 'name_match'> & { readonly operator?: string | null }
> {
  const providers = payout_providers[caller.environment];
  if (providers.length === 0) throw new Refusal('payouts_not_configured');
  await refuseHeld(db, caller);
  const { currency, when_closed, name_check } = body;
  const destination = readDestination(body.destination, body.name);
  const name = nameToCheck(body, destination);
  const payer = await choosePayer(providers, destination, { currency, name });
  if (payer === undefined) throw unsupported(destination, currency);
  const { known } = payer;
  const provider = payer.provider.name;
  // Nothing is told of it: a payout that requires the name's match is checked before it is sent.
  const is_due = name !== null && name_check === 'require';
  const untold = {
    provider,
    name_found: null,
    name_match: name === null || is_due ? null : ('unavailable' as const),
  };
  if (known === null) return untold;
  requireWithinRail(known, readAmount(numbers.get('/amount') ?? '', currency, MAX_MINOR), currency);
  if (known.rail.state === 'closed' && when_closed === 'refuse') {
    const retry_after_seconds = CLOSED_RETRY_SECONDS;
    throw new Refusal('provider_unavailable', { message: CLOSED, retry_after_seconds });
  }
  // Past the limit the payout goes on as one of a batch does: what can be paid is paid, and what exists costs a payment
  // to learn.
  if ((await waitToTell(db, caller, destination, known.payable)) !== undefined) return untold;
  const told = await tellName(db, caller, destination, name, known.name_found);
  const found = { provider, ...told };
  if (name_check === 'require' && found.name_match !== 'match') {
    throw new Refusal('name_mismatch', { param: 'name' });
  }
  return destination.type === 'bank' ? found : { ...found, operator: known.rail.operator };
}

/** @throws Refusal unsupported_destination */
export function unsupported(destination: PayoutDestination, currency: Currency): Refusal {
  const what = destination.type === 'bank' ? 'this bank account' : 'this phone';
  return new Refusal('unsupported_destination', {
    param: 'destination',
    message: `No provider pays ${what} in ${currency}.`,
  });
}

/**
 * Counts a destination that does not exist. Past the limit an account is told only of those that it has paid before:
 * what exists among the others would be told by its absence among the refusals. Undefined: it may be told now;
 * otherwise in so many seconds.
 */
export async function waitToTell(
  db: OrderDependencies['db'],
  caller: Pick<Caller, 'user_id' | 'environment'>,
  destination: PayoutDestination,
  exists_there: boolean,
): Promise<number | undefined> {
  const seconds = exists_there
    ? await waitForUnknown(db, caller)
    : await waitBeforeNaming(db, caller, [nameOf(destination)]);
  if (seconds === undefined) return undefined;
  const is_known = exists_there && (await isKnownDestination(db, caller, columnsOf(destination)));
  return is_known ? undefined : seconds;
}

/** An account that may send nothing is told of no destination either. @throws Refusal */
export async function refuseHeld(
  db: OrderDependencies['db'],
  caller: Pick<Caller, 'user_id' | 'environment'>,
): Promise<void> {
  const hold = await findWalletHold(db, caller.user_id, caller.environment);
  if (hold !== undefined) throw new Refusal(hold);
}

function nameToCheck(
  { name, name_check }: PayoutFields,
  destination: PayoutDestination,
): string | null {
  return name_check === 'off' ? null : comparedName(destination, name);
}

/** Without its provider, which is chosen once it is known that the key has no response. */
function readPayout(order: PayoutOrder): Omit<NewPayout, 'provider'> {
  const { by, body, numbers } = order;
  const { currency, name_check, confirm, when_closed, name = null, description = null } = body;
  const amount_minor = readAmount(numbers.get('/amount') ?? '', currency, MAX_MINOR).toString();
  const destination = readDestination(body.destination, body.name);
  const metadata = readMetadata(body.metadata ?? {}, numbers);
  const queue_seconds = body.expires_in ?? QUEUE_SECONDS;
  const keyed = keyedRow('payout', order, {
    currency,
    amount: amount_minor,
    destination: JSON.stringify(columnsOf(destination)),
    name: JSON.stringify(name),
    name_check,
    confirm: String(confirm),
    when_closed,
    expires_in: String(queue_seconds),
    description: JSON.stringify(description),
    metadata: sortedText(metadata),
  });
  return {
    ...keyed,
    ...by,
    reference: payoutReference(keyed.id),
    currency,
    amount_minor,
    destination_type: destination.type,
    ...columnsOf(destination),
    name,
    name_check,
    name_found: null,
    name_match: null,
    confirm,
    batch_id: null,
    description,
    metadata,
    queue_seconds,
  };
}

const NOUN: Noun<RefusedPayout, NewPayout> = {
  pursuit: 'payout',
  unknown: 'The payout may yet be ordered. Repeat the request with the same Idempotency-Key.',
  refusals: {
    limit_exceeded: (refused, { currency }) => limitExceeded(refused, currency),
  },
};
