// Payouts: a list with filters, and all that match as a file.

import type { JSX } from 'preact';
import { readToDo } from '../../db/people/attention';
import { PLAIN_CSV, SPREADSHEET_CSV } from '../../domain/csv';
import { CURRENCIES } from '../../domain/currency';
import { mayDo } from '../../domain/members';
import { PAYOUT_STATUSES, type PayoutStatus, type PayoutView } from '../../domain/payout';
import { CURRENCY_LABELS } from '../../pages/formats';
import { exportPayouts } from '../../use-cases/payouts/export';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { download } from '../download';
import { Field, Filters, Select } from '../forms';
import { useFrame } from '../frame';
import { Download, Link, Money, Notice, Pager, Table, Tag, Time, type Tone } from '../parts';
import { WORDS as OVERVIEW } from '../overview/words';
import { WORDS as TRANSACTIONS } from '../transactions/words';
import { WORDS as FRAME_WORDS } from '../words';
import { LONGEST_REFERENCE, readPayoutFilters, readPayoutPage, type PayoutPage } from './read';
import { STATUS_WORDS, WORDS } from './words';

export async function showPayouts(
  dependencies: DashboardDependencies,
  { account, session, language, query }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const { environment } = session;
  const read = readPayoutFilters(query);
  if (!read)
    return page(words.payouts, <PayoutFilters query={query} fault={words.wrong_choice} />, 422);
  const owner = { user_id: account.user_id, environment };
  const [payouts, waiting] = await Promise.all([
    readPayoutPage(dependencies, owner, read),
    readToDo(dependencies.db, owner.user_id, environment),
  ]);
  const isRuler = mayDo(account.role, 'profile', environment);
  return page(
    words.payouts,
    <>
      <p class="lead">{words.lead}</p>
      <p class="actions">
        {mayDo(account.role, 'money', environment) && (
          <Link to="/payouts/new" class="button">
            {words.make}
          </Link>
        )}
        <Link to="/payout-batches">{FRAME_WORDS[language].payout_batches}</Link>
        {isRuler && <Link to="/payouts/settings">{words.rules}</Link>}
      </p>
      {waiting.payouts_to_approve > 0 && (
        <Notice tone="warn">
          {OVERVIEW[language].payouts_to_approve(waiting.payouts_to_approve)}{' '}
          <Link to="/payouts?status=requires_approval">{words.to_waiting}</Link>
        </Notice>
      )}
      {waiting.payout_batches_to_approve > 0 && (
        <Notice tone="warn">
          {OVERVIEW[language].payout_batches_to_approve(waiting.payout_batches_to_approve)}{' '}
          <Link to="/payout-batches">{words.to_waiting}</Link>
        </Notice>
      )}
      <PayoutFilters query={query} />
      <PayoutRows {...payouts} query={query} />
    </>,
  );
}

function PayoutFilters({
  query,
  fault,
}: {
  readonly query: URLSearchParams;
  readonly fault?: string;
}): JSX.Element {
  const { language } = useFrame();
  const words = TRANSACTIONS[language];
  const all = { value: '', label: words.all };
  const about = (name: string) => ({ name, value: query.get(name) ?? '' });
  return (
    <>
      {fault && <Notice tone="bad">{fault}</Notice>}
      <Filters action="/payouts">
        <Select
          {...about('status')}
          label={words.status}
          options={[
            all,
            ...PAYOUT_STATUSES.map((one) => ({ value: one, label: STATUS_WORDS[language][one] })),
          ]}
        />
        <Select
          {...about('currency')}
          label={words.currency}
          options={[all, ...CURRENCIES.map((one) => ({ value: one, label: CURRENCY_LABELS[one] }))]}
        />
        <Field {...about('from')} label={words.from} type="date" />
        <Field {...about('to')} label={words.to} type="date" />
        <Field {...about('reference')} label={words.reference} maxLength={LONGEST_REFERENCE} />
        <div class="actions">
          <button type="submit" class="button plain">
            {words.filter}
          </button>
          <Link to="/payouts">{words.clear}</Link>
        </div>
      </Filters>
    </>
  );
}

function PayoutRows({
  rows,
  next_cursor,
  query,
}: PayoutPage & { readonly query: URLSearchParams }): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const shared = TRANSACTIONS[language];
  const filters = new URLSearchParams(
    [...query].filter(([name, value]) => !['cursor', 'lang'].includes(name) && value !== ''),
  );
  const plain = new URLSearchParams([...filters, ['form', 'plain']]);
  return (
    <>
      <Table
        caption={words.caption}
        columns={[
          { label: shared.at, as: 'when' },
          { label: words.recipient, as: 'what' },
          { label: words.name, as: 'who' },
          { label: shared.amount, as: 'amount' },
          { label: shared.status, as: 'state' },
        ]}
        rows={rows.map((row) => [
          <Time at={row.created_at} />,
          <Link to={`/payouts/${row.reference}`}>{destinationOf(row)}</Link>,
          <bdi>{row.name ?? row.name_found ?? '—'}</bdi>,
          <Money minor={row.amount_minor} currency={row.currency} />,
          <PayoutTag of={row} />,
        ])}
      />
      <Pager path="/payouts" query={query} next_cursor={next_cursor} />
      <p>
        <Download to={`/payouts.csv?${filters}`}>{shared.export_spreadsheet}</Download>{' '}
        <Download to={`/payouts.csv?${plain}`}>{shared.export_plain}</Download>
      </p>
    </>
  );
}

/** A phone, or a bank account by its last four. */
export function destinationOf({ phone, account_end }: PayoutView): string {
  return phone ?? `…${account_end}`;
}

const TONES: Readonly<Record<PayoutStatus, Tone>> = {
  requires_approval: 'warn',
  requires_confirmation: 'warn',
  pending: 'quiet',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
  returned: 'bad',
};

export function PayoutTag({
  of: { status, stage },
}: {
  readonly of: Pick<PayoutView, 'status' | 'stage'>;
}): JSX.Element {
  const words = STATUS_WORDS[useFrame().language];
  return stage === 'unknown' ? (
    <Tag tone="warn">{words.unknown}</Tag>
  ) : (
    <Tag tone={TONES[status]}>{words[status]}</Tag>
  );
}

export function exportFile(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Answer | Promise<Answer> {
  const { account, session, language, query } = visit;
  const words = WORDS[language];
  const read = readPayoutFilters(query);
  if (!read)
    return page(words.payouts, <PayoutFilters query={query} fault={words.wrong_choice} />, 422);
  const { environment } = session;
  const owner = { user_id: account.user_id, environment };
  const form = query.get('form') === 'plain' ? PLAIN_CSV : SPREADSHEET_CSV[language];
  return download(dependencies, visit, {
    name: `payouts-${account.username}-${environment}.csv`,
    write: (onError) => exportPayouts(dependencies.db, { ...owner, ...read }, { form, onError }),
  });
}
