// Giving a received transfer back: the same path as POST /transfers/{reference}/reversals.

import { createReversalBody } from '../../api/transfers/schema';
import { formatMoney } from '../../pages/formats';
import { reverseTransfer } from '../../use-cases/transfers/reverse';
import type { ReversalRow } from '../../db/transfers/reversals';
import { findTransfer, type TransferView } from '../../db/transfers/transfers';
import { plainReference, TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import type { Minor } from '../../domain/money';
import { seeOther, type DashboardDependencies, type MemberVisit } from '../context';
import { draftOrder } from '../drafts';
import { formRoutes } from '../form-page';
import { useFrame } from '../frame';
import { giveBackShapes } from '../give-back';
import { Details, Money, Table, Time } from '../parts';
import { REVERSAL_WORDS } from './reversal-words';

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

/** Finds a transfer of the account. */
export function findNamed(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session, params }: MemberVisit,
): Promise<TransferView | undefined> {
  const reference = plainReference(params['reference'] ?? '');
  if (!REFERENCE.test(reference)) return Promise.resolve(undefined);
  return findTransfer(db, account.user_id, session.environment, reference);
}

/** The amount that this account can still give back; 0 for its sender. */
export function leftOf({ direction, amount_minor, reversed_minor }: TransferView): Minor {
  return (direction === 'in' ? amount_minor - reversed_minor : 0n) as Minor;
}

/** The reversals on a transfer's page. */
export function Reversals({ rows }: { readonly rows: readonly ReversalRow[] }) {
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

const { amount, reason } = createReversalBody.properties;

export const REVERSAL_ROUTES = formRoutes({
  path: '/transfers/:reference/reversal',
  access: 'money',
  action: 'transfers.reverse',
  confirmed: 'in_live',
  operation: 'reversal',
  find: findNamed,
  words: (language, { reference }) => {
    const { title, lead, reverse, once, back } = REVERSAL_WORDS[language];
    const links = [{ to: `/transfers/${reference}`, label: back }];
    return { title, lead, button: reverse, look: 'danger', note: once, links };
  },
  above: ({ language }, row) => {
    const words = REVERSAL_WORDS[language];
    const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
    return (
      <Details
        rows={[
          [words.sender, <bdi>{row.from_username}</bdi>],
          [words.received, money(row.amount_minor)],
          [words.reversed, money(row.reversed_minor)],
          [words.left, money(leftOf(row))],
        ]}
      />
    );
  },
  body: { type: 'object', required: ['amount'], properties: { amount, reason } } as const,
  fields: (_, visit, row) => {
    const words = REVERSAL_WORDS[visit.language];
    const left = leftOf(row);
    if (row.direction !== 'in') return words.not_recipient;
    if (left === 0n && visit.ctx.method === 'GET') return words.nothing_left;
    const whole = row.amount_minor as Minor;
    return giveBackShapes(visit, words, { currency: row.currency, whole, left });
  },
  check: {
    path: '/transfers/:reference/reversal/check',
    show: async (_, { language }, { found: { from_username, currency }, amounts, body }) => {
      const words = REVERSAL_WORDS[language];
      const minor = amounts['amount']!;
      return {
        title: words.confirm_title,
        content: (
          <>
            <p class="lead">{words.lead}</p>
            <Details
              rows={[
                [words.sender, <bdi>{from_username}</bdi>],
                [words.amount, <Money minor={minor} currency={currency} />],
                [words.reason, <bdi>{body.reason ?? '—'}</bdi>],
              ]}
            />
          </>
        ),
        button: words.reverse_now(formatMoney(language, minor, currency)),
      };
    },
  },
  send: async (dependencies, visit, { found: transfer, body, numbers }) => {
    const words = REVERSAL_WORDS[visit.language];
    const { reference, simulated } = transfer;
    const { status } = await reverseTransfer(dependencies, {
      ...draftOrder(visit),
      transfer,
      amount_text: numbers.get('/amount')!,
      reason: body.reason ?? null,
    });
    if (status !== 201) return { notice: words.insufficient };
    const notice = simulated ? words.done_simulated : words.done;
    return seeOther(`/transfers/${reference}`, { flash: { notice }, subject: reference });
  },
  refused: ({ code }, { language }, row) => {
    const words = REVERSAL_WORDS[language];
    if (code === 'forbidden') return { notice: words.not_recipient, status: 403 };
    if (code === 'invalid_request') return { faults: { amount: words.sender_full } };
    if (code !== 'reversal_exceeds_transfer') return undefined;
    return { faults: { amount: words.too_much(formatMoney(language, leftOf(row), row.currency)) } };
  },
});
