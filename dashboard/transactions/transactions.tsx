// The history: a list with filters, one transaction, and all that match as a file.

import type { JSX } from 'preact';
import {
  findHistoryRow,
  listHistory,
  listHistoryOfReference,
  type HistoryPage,
  type HistoryRow,
} from '../../db/ledger/history';
import { isUuid } from '../../domain/ids';
import type { Language } from '../../domain/language';
import type { RefundView } from '../../domain/refund';
import { OPENING_BALANCE, type TransactionStatus } from '../../domain/transaction';
import { CURRENCY_LABELS } from '../../pages/formats';
import { exportHistory } from '../../use-cases/transactions/export';
import { STATUS_WORDS, TYPE_WORDS } from '../../use-cases/transactions/words';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Field, Filters, Select } from '../forms';
import { download } from '../download';
import { useFrame } from '../frame';
import { reasonWords } from '../links/dispute-words';
import { readRefunds, Refunds, RefundTag } from '../links/refund';
import {
  Details,
  Download,
  Link,
  Money,
  Notice,
  Pager,
  Reference,
  Table,
  Tag,
  Time,
  type Tone,
} from '../parts';
import { troublePage } from '../trouble';
import {
  CHOICES,
  readFilters,
  type FilterFault,
  type FilterName,
  type ReadFilters,
} from './filters';
import { WORDS } from './words';

const PAGE_ROWS = 50;

async function showTransactions(
  { db }: DashboardDependencies,
  { account, session, language, query }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const read = readFilters(query);
  if (read.faults.size > 0) {
    const form = <HistoryFilters query={query} faults={read.faults} />;
    return page(words.transactions, form, 422);
  }
  const found = await findPage({ db }, { user_id: account.user_id, ...session }, read);
  return page(
    words.transactions,
    <>
      <HistoryFilters query={query} faults={read.faults} />
      <History {...found} query={query} />
    </>,
  );
}

async function findPage(
  { db }: Pick<DashboardDependencies, 'db'>,
  { user_id, environment }: { user_id: string } & Pick<MemberVisit['session'], 'environment'>,
  { filters, reference, before }: ReadFilters,
): Promise<HistoryPage> {
  if (reference === undefined) {
    return listHistory(db, { user_id, environment, filters, before, limit: PAGE_ROWS });
  }
  const query = { user_id, environment, filters, before };
  return { rows: await listHistoryOfReference(db, query, reference), next: null };
}

function plainOf(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query, ['form', 'plain']]);
}

/** The path of the list with these filters. */
function withQuery(path: string, query: URLSearchParams): string {
  const kept = new URLSearchParams(
    [...query].filter(([name, value]) => !['cursor', 'lang'].includes(name) && value !== ''),
  );
  return kept.size === 0 ? path : `${path}?${kept}`;
}

function HistoryFilters({
  query,
  faults,
}: {
  readonly query: URLSearchParams;
  readonly faults: ReadonlyMap<FilterName, FilterFault>;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const labels = {
    type: TYPE_WORDS[language],
    status: STATUS_WORDS[language],
    direction: { in: words.in, out: words.out },
    currency: CURRENCY_LABELS,
  } as const;
  const about = (name: FilterName) => {
    const fault = faults.get(name);
    return {
      name,
      value: query.get(name) ?? '',
      fault: fault && words[fault],
    };
  };
  const choice = (name: keyof typeof CHOICES) => (
    <Select
      {...about(name)}
      label={words[name]}
      options={[
        { value: '', label: words.all },
        ...CHOICES[name].map((value) => ({
          value,
          label: (labels[name] as Readonly<Record<string, string>>)[value]!,
        })),
      ]}
    />
  );
  return (
    <Filters action="/transactions">
      {choice('type')}
      {choice('currency')}
      {choice('status')}
      {choice('direction')}
      <Field {...about('from')} label={words.from} type="date" />
      <Field {...about('to')} label={words.to} type="date" />
      <Field {...about('reference')} label={words.reference} maxLength={64} />
      <div class="actions">
        <button type="submit" class="button plain">
          {words.filter}
        </button>
        <Link to="/transactions">{words.clear}</Link>
      </div>
    </Filters>
  );
}

function History({
  rows,
  next,
  query,
}: HistoryPage & { readonly query: URLSearchParams }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <>
      {rows.length > 0 || query.size === 0 ? (
        <HistoryTable rows={rows} />
      ) : (
        <p class="empty">{words.no_match}</p>
      )}
      <Pager path="/transactions" query={query} next_cursor={next} />
      <p>
        <Download to={withQuery('/transactions.csv', query)}>{words.export_spreadsheet}</Download>{' '}
        <Download to={withQuery('/transactions.csv', plainOf(query))}>
          {words.export_plain}
        </Download>
      </p>
    </>
  );
}

export function HistoryTable({ rows }: { readonly rows: readonly HistoryRow[] }): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <Table
      caption={words.caption}
      columns={[
        { label: words.at, as: 'when' },
        { label: words.what, as: 'what' },
        { label: words.with, as: 'who' },
        { label: words.amount, as: 'amount' },
        { label: words.balance, as: 'number' },
        { label: words.status, as: 'state' },
      ]}
      rows={rows.map((row) => [
        <Time at={row.created_at} />,
        <Link to={`/transactions/${row.id}`}>{TYPE_WORDS[language][row.type]}</Link>,
        <bdi>{row.counterparty ?? describe(language, row) ?? '—'}</bdi>,
        <Signed row={row} />,
        <Money minor={row.balance_after_minor} currency={row.currency} />,
        <StatusTag status={row.status} />,
      ])}
    />
  );
}

/** What merchants write stays in their words; what the service writes is in the reader's. */
function describe(language: Language, { type, description }: HistoryRow): string | null {
  if (type === 'dispute' && description !== null) return reasonWords(language, description);
  return type === 'adjustment' && description === OPENING_BALANCE
    ? WORDS[language].opening_balance
    : description;
}

/** The amount that the wallet gained or lost, less the fee where the account bears it. */
function Signed({ row }: { readonly row: HistoryRow }): JSX.Element {
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

function StatusTag({ status }: { readonly status: TransactionStatus }): JSX.Element {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{STATUS_WORDS[language][status]}</Tag>;
}

async function showTransaction({ db }: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, language, params } = visit;
  const id = params['id'] ?? '';
  const row = isUuid(id)
    ? await findHistoryRow(db, account.user_id, session.environment, id)
    : undefined;
  if (!row) return troublePage(language, { kind: 'unknown' });
  const intent_id = intentOf(row);
  const refunds = intent_id === null ? [] : await readRefunds({ db }, visit, intent_id);
  return page(TYPE_WORDS[language][row.type], <Transaction row={row} refunds={refunds} />);
}

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
}): JSX.Element {
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
          {
            term: words.status,
            value: own ? <RefundTag of={own} /> : <StatusTag status={row.status} />,
          },
          { term: words.at, value: <Time at={row.created_at} /> },
          ...(row.counterparty === null
            ? []
            : [{ term: words.counterparty, value: <bdi>{row.counterparty}</bdi> }]),
          ...(description === null
            ? []
            : [{ term: words.description, value: <bdi>{description}</bdi> }]),
          { term: words.amount, value: money(row.amount_minor) },
          { term: words.fee, value: money(row.fee_minor) },
          { term: words.net, value: money(row.amount_minor - row.fee_minor) },
          { term: words.balance, value: money(row.balance_after_minor) },
          {
            term: words.reference,
            value: of ? (
              <Link to={`/${of}/${row.reference}`}>{row.reference}</Link>
            ) : (
              <Reference value={row.reference} label={words.reference} />
            ),
          },
          ...(intent_id === null
            ? []
            : [
                {
                  term: words.related,
                  value: <Link to={`/links/${intent_id}`}>{words.payment_link}</Link>,
                },
              ]),
          { term: words.id, value: <Reference value={row.id} label={words.id} /> },
        ]}
      />
      {row.type === 'deposit' && <Refunds rows={refunds} />}
    </>
  );
}

async function exportTransactions(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { db } = dependencies;
  const { account, session, language, query } = visit;
  const { filters, reference, before, faults } = readFilters(query);
  const words = WORDS[language];
  if (faults.size > 0) {
    return page(words.transactions, <HistoryFilters query={query} faults={faults} />, 422);
  }
  const { user_id } = account;
  const { environment } = session;
  const history = { user_id, environment, filters, before };
  const spoken = query.get('form') === 'plain' ? {} : { language };
  return download(dependencies, visit, {
    name: `transactions-${account.username}-${environment}.csv`,
    write: async (onError) => {
      const rows =
        reference === undefined ? history : await listHistoryOfReference(db, history, reference);
      return exportHistory(db, rows, { ...spoken, onError });
    },
  });
}

export const TRANSACTION_ROUTES = [
  pageRoute('/transactions', 'read', showTransactions),
  pageRoute('/transactions.csv', 'export', exportTransactions),
  pageRoute('/transactions/:id', 'read', showTransaction),
];
