// The history: a list with filters, one transaction, and all that match as a file.

import {
  findHistoryRow,
  listHistory,
  listHistoryOfReference,
  type HistoryRow,
} from '../../db/ledger/history';
import type { RefundView } from '../../db/refunds/refunds';
import { isUuid } from '../../domain/ids';
import type { Language } from '../../domain/language';
import {
  DIRECTIONS,
  OPENING_BALANCE,
  TRANSACTION_FILTERS,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from '../../domain/transaction';
import { exportHistory } from '../../use-cases/transactions/export';
import { DIRECTION_WORDS, STATUS_WORDS, TYPE_WORDS } from '../../use-cases/transactions/words';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { reasonWords } from '../links/dispute-words';
import { readRefunds, Refunds, RefundTag } from '../links/refund';
import {
  at,
  CURRENCY,
  listRoutes,
  oneOf,
  PERIOD,
  REFERENCE,
  Rows,
  type ListColumn,
  type ListQuery,
} from '../list-page';
import { LIST_WORDS } from '../list-words';
import {
  Details,
  Link,
  Money,
  Notice,
  Reference,
  Tag,
  Technical,
  Time,
  ownText,
  usePhone,
  type Tone,
} from '../parts';
import { showHistorySince } from './history-since';
import { WORDS } from './words';

function columns(language: Language): ListColumn<HistoryRow>[] {
  const words = WORDS[language];
  return [
    at(LIST_WORDS[language].at),
    {
      label: words.what,
      as: 'what',
      cell: ({ id, type }) => <Link to={`/transactions/${id}`}>{TYPE_WORDS[language][type]}</Link>,
    },
    {
      label: words.with,
      as: 'who',
      cell: (row) => <Counterparty of={row} />,
    },
    { label: words.amount, as: 'amount', cell: (row) => <Signed row={row} /> },
    {
      label: words.balance,
      as: 'number',
      cell: (row) => <Money minor={row.balance_after_minor} currency={row.currency} />,
    },
    { label: words.status, as: 'state', cell: ({ status }) => <StatusTag status={status} /> },
  ];
}

function Counterparty({ of }: { readonly of: HistoryRow }) {
  const { language } = useFrame();
  const phone = usePhone();
  return <bdi>{of.counterparty ? phone(of.counterparty) : (describe(language, of) ?? '—')}</bdi>;
}

export function HistoryTable({ rows }: { readonly rows: readonly HistoryRow[] }) {
  const { language } = useFrame();
  return <Rows caption={WORDS[language].caption} columns={columns(language)} rows={rows} />;
}

/** Merchants' texts stay in their words; the service's are in the reader's. */
function describe(language: Language, { type, description }: HistoryRow): string | null {
  if (type === 'dispute' && description !== null) return reasonWords(language, description);
  return type === 'adjustment' && description === OPENING_BALANCE
    ? WORDS[language].opening_balance
    : description;
}

/** The amount that the wallet gained or lost, less the fee where the account bears it. */
function Signed({ row }: { readonly row: HistoryRow }) {
  const { amount_minor, fee_minor, direction, currency } = row;
  const isIn = direction === 'in';
  return (
    <span class={isIn ? 'money gain' : 'money'}>
      {isIn ? '+' : '−'}
      <Money minor={isIn ? amount_minor - fee_minor : amount_minor} currency={currency} />
    </span>
  );
}

const TONES: Readonly<Record<TransactionStatus, Tone>> = {
  pending: 'warn',
  completed: 'good',
  failed: 'bad',
  reversed: 'quiet',
  simulated: 'quiet',
};

function StatusTag({ status }: { readonly status: TransactionStatus }) {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{STATUS_WORDS[language][status]}</Tag>;
}

const FILTERS = {
  type: oneOf('type', TRANSACTION_FILTERS, TYPE_WORDS),
  currency: CURRENCY,
  status: oneOf('status', TRANSACTION_STATUSES, STATUS_WORDS),
  direction: oneOf('direction', DIRECTIONS, DIRECTION_WORDS),
  ...PERIOD,
  reference: REFERENCE,
};

export const TRANSACTION_ROUTES = [
  ...listRoutes({
    path: '/transactions',
    words: (language) => ({
      title: WORDS[language].transactions,
      caption: WORDS[language].caption,
    }),
    filters: FILTERS,
    above: showHistorySince,
    read: async ({ db }, { limit, ...query }) => {
      const { history, reference } = historyOf(query);
      return reference === undefined
        ? listHistory(db, { ...history, limit })
        : listHistoryOfReference(db, history, reference);
    },
    columns,
    file: {
      name: 'transactions',
      write: async ({ db }, query, { language, onError }) => {
        const { history, reference } = historyOf(query);
        const rows =
          reference === undefined ? history : await listHistoryOfReference(db, history, reference);
        return exportHistory(db, rows, { ...(language && { language }), onError });
      },
    },
  }),
  pageRoute('/transactions/:id', 'read', async ({ db }, visit) => {
    const { account, session, language, params } = visit;
    const id = params['id'] ?? '';
    const row = isUuid(id)
      ? await findHistoryRow(db, account.user_id, session.environment, id)
      : undefined;
    if (!row) return undefined;
    const intent_id = intentOf(row);
    const refunds = intent_id === null ? [] : await readRefunds({ db }, visit, intent_id);
    return page(TYPE_WORDS[language][row.type], <Transaction row={row} refunds={refunds} />);
  }),
];

/** The payment link to which it belongs. */
function intentOf({ type, related }: HistoryRow): string | null {
  return type === 'deposit' || type === 'refund' || type === 'dispute' ? related : null;
}

function Transaction({
  row,
  refunds,
}: {
  readonly row: HistoryRow;
  /** The refunds of its payment. */
  readonly refunds: readonly RefundView[];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  const intent_id = intentOf(row);
  const description = describe(language, row);
  const own = refunds.find(({ reference }) => reference === row.reference);
  const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
  const isTransfer = row.type === 'transfer_in' || row.type === 'transfer_out';
  const of = isTransfer ? 'transfers' : row.reference.startsWith('PYT-') && 'payouts';
  return (
    <>
      <p class="big">
        <Signed row={row} />
      </p>
      {row.status === 'simulated' && <Notice>{words.simulated_note}</Notice>}
      <Details
        rows={[
          // The wallet is debited when a refund is ordered: how that went is the refund's own state.
          [words.status, own ? <RefundTag of={own} /> : <StatusTag status={row.status} />],
          [words.at, <Time at={row.created_at} />],
          [words.counterparty, row.counterparty !== null && <Counterparty of={row} />],
          [words.description, ownText(description)],
          [words.amount, money(row.amount_minor)],
          [words.fee, money(row.fee_minor)],
          [words.tax, row.tax_minor > 0n && money(row.tax_minor)],
          [words.net, money(row.amount_minor - row.fee_minor)],
          [words.balance, money(row.balance_after_minor)],
          [
            words.reference,
            of ? (
              <Link to={`/${of}/${row.reference}`}>{row.reference}</Link>
            ) : (
              <Reference value={row.reference} label={words.reference} />
            ),
          ],
          [
            words.related,
            intent_id !== null && <Link to={`/links/${intent_id}`}>{words.payment_link}</Link>,
          ],
        ]}
      />
      <Technical>
        <Details rows={[[words.id, <Reference value={row.id} label={words.id} />]]} />
      </Technical>
      {row.type === 'deposit' && <Refunds rows={refunds} />}
    </>
  );
}

/** The history is read from its end on: the end of a period is where it begins. */
function historyOf({
  filters: { reference, created_to, ...filters },
  before,
  ...owner
}: Omit<ListQuery<typeof FILTERS>, 'limit'>) {
  const from =
    before !== undefined && (created_to === undefined || before < created_to) ? before : created_to;
  return { history: { ...owner, filters, before: from }, reference };
}
