// Giving a received transfer back: the same path as POST /transfers/{reference}/reversals.

import type { JSX } from 'preact';
import { reverseTransfer } from '../../use-cases/transfers/reverse';
import { readBeforeOperation } from '../../db/requests/idempotency';
import type { ReversalRow } from '../../db/transfers/reversals';
import { findTransfer } from '../../db/transfers/transfers';
import { TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import type { Minor } from '../../domain/money';
import type { TransferView } from '../../domain/transfer';
import { formRoute, pageRoute, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { giveBackPages, type GiveBackCourse } from '../give-back';
import { Money, Table, Time } from '../parts';
import { REVERSAL_WORDS } from './reversal-words';

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

/** Finds a transfer of the account. */
export function findNamed(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<TransferView | undefined> {
  const reference = params['reference'] ?? '';
  if (!REFERENCE.test(reference)) return Promise.resolve(undefined);
  return findTransfer(db, account.user_id, session.environment, reference);
}

/** What this account can still give back; 0 for its sender. */
export function leftOf({ direction, amount_minor, reversed_minor }: TransferView): Minor {
  return (direction === 'in' ? amount_minor - reversed_minor : 0n) as Minor;
}

/** The reversals on a transfer's page. */
export function Reversals({ rows }: { readonly rows: readonly ReversalRow[] }): JSX.Element | null {
  const words = REVERSAL_WORDS[useFrame().language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.reversals}</h2>
      <Table
        caption={words.caption}
        columns={[words.at, { label: words.amount, as: 'number' }, words.reason, words.reference]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <bdi>{row.reason ?? '—'}</bdi>,
          <code>{row.reference}</code>,
        ])}
      />
    </section>
  );
}

const COURSE: GiveBackCourse<TransferView, (typeof REVERSAL_WORDS)['en']> = {
  words: REVERSAL_WORDS,
  path: 'reversal',
  find: findNamed,
  givenOf: (row) => ({
    currency: row.currency,
    whole: row.amount_minor as Minor,
    left: leftOf(row),
    page: `/transfers/${row.reference}`,
    subject: row.reference,
  }),
  refusalOf: ({ account }, row, words) => {
    if (account.is_frozen) return words.frozen;
    if (row.direction !== 'in') return words.not_recipient;
    return leftOf(row) === 0n ? words.nothing_left : undefined;
  },
  figuresOf: (row, words) => {
    const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
    return [
      { term: words.sender, value: <bdi>{row.from_username}</bdi> },
      { term: words.received, value: money(row.amount_minor) },
      { term: words.reversed, value: money(row.reversed_minor) },
      { term: words.left, value: money(leftOf(row)) },
    ];
  },
  orderDetailsOf: (row, { amount, reason }, words) => [
    { term: words.sender, value: <bdi>{row.from_username}</bdi> },
    { term: words.amount, value: <Money minor={amount} currency={row.currency} /> },
    { term: words.reason, value: <bdi>{reason ?? '—'}</bdi> },
  ],
  labelOf: (words, amount) => words.reverse_now(amount),
  doneOf: (row, words) => (row.simulated ? words.done_simulated : words.done),
  send: async (dependencies, { account, session, ctx }, { of: row, order, key }) => {
    const { user_id, username } = account;
    const { environment } = session;
    const scope = { user_id, environment, operation: 'reversal', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { status } = await reverseTransfer(dependencies, {
      caller: { user_id, username, environment, ...before },
      transfer: row,
      amount_text: order.amount_text,
      reason: order.reason,
      key,
      has_own_key: true,
      request_id: ctx.state.request_id,
    });
    return status === 201;
  },
  explain: (code, words, left) => {
    switch (code) {
      case 'account_frozen':
        return { notice: words.frozen, status: 403 };
      case 'forbidden':
        return { notice: words.not_recipient, status: 403 };
      case 'reversal_exceeds_transfer':
        return { fault: words.too_much(left), status: 422 };
      case 'invalid_request':
        return { fault: words.sender_full, status: 422 };
      default:
        return undefined;
    }
  },
};

const { show, send } = giveBackPages(COURSE);

export const REVERSAL_ROUTES = [
  pageRoute('/transfers/:reference/reversal', 'money', show),
  formRoute('/transfers/:reference/reversal', 'money', 'transfers.reverse', send, 'in_live'),
];
