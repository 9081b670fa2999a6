// One payout batch: whose names were found, what it would cost, how far it has come, and what may be done with it.

import type { ComponentChildren, JSX } from 'preact';
import { listWallets, type WalletRow } from '../../db/ledger/wallets';
import {
  findPayoutBatch,
  listPayoutBatches,
  listPayoutItems,
  listRepeatedDestinations,
  sumPayoutItems,
  type PayoutBatchRow,
  type PayoutItemSum,
  type RepeatedDestination,
  type PayoutItemView,
} from '../../db/payout-batches/payout-batches';
import { SPREADSHEET_CSV } from '../../domain/csv';
import { formatCount, type Language } from '../../domain/language';
import {
  BATCH_CHECKS,
  type BatchCheck,
  type PayoutBatchStatus,
  type PayoutItemRefusal,
} from '../../domain/payout-batch';
import { LONGEST_REASON } from '../../domain/payout';
import { exportPayoutItems } from '../../use-cases/payout-batches/export';
import { batchList, MOST_REPEATED, PAGE, readPlace } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { page, ownerOf, pageRoute, type DashboardDependencies, type MemberVisit } from '../context';
import { download } from '../download';
import { ActionButton, Button, Checkboxes, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { LiveNote } from '../live-note';
import {
  Details,
  Download,
  Link,
  Money,
  Notice,
  Table,
  Tag,
  Time,
  type Tone,
  type Detail,
} from '../parts';
import { decisionsOf, type Approval } from '../payouts/read';
import { FAILURE_WORDS } from '../payouts/words';
import { WORDS } from './words';

const TONES: Readonly<Record<PayoutBatchStatus, Tone>> = {
  processing: 'warn',
  requires_approval: 'warn',
  requires_confirmation: 'warn',
  completed: 'good',
  canceled: 'quiet',
};

const CHECK_TONES: Readonly<Record<BatchCheck, Tone>> = {
  match: 'good',
  close: 'warn',
  no_match: 'bad',
  unavailable: 'quiet',
  unreachable: 'bad',
};

export const findOwn = (
  { db }: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
): Promise<PayoutBatchRow | undefined> =>
  findPayoutBatch(db, ownerOf(visit), visit.params['id'] ?? '');

export const PAYOUT_BATCH_LIST = batchList(
  (language) => ({ path: '/payout-batches', words: WORDS[language] }),
  ({ db }, query) => listPayoutBatches(db, query),
  (_language, batch) => <StatusTag of={batch} />,
);

function StatusTag({ of: { status } }: { readonly of: PayoutBatchRow }): JSX.Element {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.statuses[status]}</Tag>;
}

interface BatchState {
  readonly batch: PayoutBatchRow;
  readonly sums: readonly PayoutItemSum[];
  /** The destinations that are paid more than once, while people decide. */
  readonly repeated: readonly RepeatedDestination[];
  readonly items: readonly PayoutItemView[];
  readonly wallets: readonly Pick<WalletRow, 'currency' | 'balance_minor'>[];
}

/** Whether nothing is left for people to decide. */
const isDecided = ({ status }: PayoutBatchRow): boolean => !status.startsWith('requires');

async function readState(
  { db }: DashboardDependencies,
  batch: PayoutBatchRow,
  after: number,
): Promise<BatchState> {
  const wallets = await listWallets(db, batch.user_id, batch.environment);
  return {
    batch,
    sums: await sumPayoutItems(db, batch.id),
    repeated: isDecided(batch) ? [] : await listRepeatedDestinations(db, batch.id, MOST_REPEATED),
    items: await listPayoutItems(db, {
      batch_id: batch.id,
      status: undefined,
      after,
      limit: PAGE + 1,
    }),
    wallets: wallets.map(({ currency, balance_minor }) => ({ currency, balance_minor })),
  };
}

export const BATCH_PAGE = pageRoute('/payout-batches/:id', 'read', async (dependencies, visit) => {
  const batch = await findOwn(dependencies, visit);
  if (!batch) return undefined;
  const words = WORDS[visit.language];
  const after = readPlace(visit.query.get('after'));
  const state = await readState(dependencies, batch, after);
  const path = `/payout-batches/${batch.id}`;
  const { items } = state;
  return page(
    words.batch,
    <>
      <div data-live-part="batch">
        <Batch {...state} />
        <Actions batch={batch} visit={visit} />
      </div>
      <div data-live-part="items">
        <Items of={items.slice(0, PAGE)} />
        <p class="pager">
          {after >= 0 && <Link to={path}>{words.first}</Link>}{' '}
          {items.length > PAGE && (
            <Link to={`${path}?after=${items[PAGE - 1]!.index}`}>{words.next}</Link>
          )}
        </p>
      </div>
      {batch.status === 'processing' && <LiveNote />}
      <p class="actions" data-live-part="links">
        <Download to={`${path}/payouts.csv`}>{words.download}</Download>
        {batch.failed > 0 && (
          <Download to={`${path}/payouts.csv?status=failed`}>{words.download_failed}</Download>
        )}
        <Link to="/payout-batches">{words.all_batches}</Link>
      </p>
    </>,
  );
});

export const BATCH_FILE = pageRoute(
  '/payout-batches/:id/payouts.csv',
  'export',
  async (dependencies, visit) => {
    const batch = await findOwn(dependencies, visit);
    if (!batch) return undefined;
    const status = visit.query.get('status') === 'failed' ? 'failed' : undefined;
    const query = { batch_id: batch.id, status, after: -1 } as const;
    const form = SPREADSHEET_CSV[visit.language];
    return download(dependencies, visit, {
      name: `payout-batch-${batch.id}.csv`,
      write: (onError) => exportPayoutItems(dependencies.db, query, { form, onError }),
    });
  },
);

/** The decisions that this person may take now. */
function Actions({
  batch,
  visit,
}: {
  readonly batch: PayoutBatchRow;
  readonly visit: MemberVisit;
}): JSX.Element {
  const words = WORDS[visit.language];
  const { id, status, step, ordered_by, checks } = batch;
  const path = `/payout-batches/${id}`;
  const { approval } = JSON.parse(batch.json) as { readonly approval: Approval | null };
  const asked = { status, ordered_by, approval, has_unsent: step !== null };
  const { decisions, is_own } = decisionsOf(visit, asked);
  const options = BATCH_CHECKS.filter((check) => check !== 'match' && checks[check] > 0);
  return (
    <>
      {is_own && <Notice>{words.refusals.approval_by_creator}</Notice>}
      {status === 'requires_approval' && (
        <p>{words.approvals(batch.approvals_given, batch.approvals_needed)}</p>
      )}
      {decisions.includes('approve') && (
        <ActionButton action={`${path}/approve`}>{words.approve}</ActionButton>
      )}
      {decisions.includes('reject') && (
        <Form action={`${path}/reject`}>
          <Field name="reason" label={words.reason} maxLength={LONGEST_REASON} />
          <Button look="danger">{words.reject}</Button>
        </Form>
      )}
      {decisions.includes('confirm') && (
        <Form action={`${path}/confirm`}>
          {options.length > 0 && (
            <Checkboxes
              name="exclude"
              label={words.exclude}
              options={options.map((check) => ({
                value: check,
                label: words.excluded(words.checks[check], checks[check]),
              }))}
              checked={['no_match', 'unreachable']}
            />
          )}
          <p class="hint">{words.confirm_hint}</p>
          <Button>{words.confirm}</Button>
        </Form>
      )}
      {decisions.includes('cancel') && (
        <ActionButton action={`${path}/cancel`} look="danger">
          {words.cancel}
        </ActionButton>
      )}
    </>
  );
}

function Batch({ batch, sums, repeated, wallets }: BatchState): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const shared = BATCH_WORDS[language];
  const { status, step, total, completed, failed, checks } = batch;
  const done = step === 'check' ? batch.next_index : completed + failed;
  const open = sums.filter((sum) => sum.status === 'pending');
  const money = (of: (sum: PayoutItemSum) => bigint): ComponentChildren =>
    [...new Set(open.map(({ currency }) => currency))].map((currency) => (
      <span class="sum">
        <Money
          minor={open
            .filter((sum) => sum.currency === currency)
            .reduce((all, sum) => all + of(sum), 0n)}
          currency={currency}
        />{' '}
      </span>
    ));
  const sumOf = ({ amount_minor, fee_minor }: PayoutItemSum): bigint => amount_minor + fee_minor;
  const is_before = !isDecided(batch);
  const names = repeated.map(
    ({ destination, times }) => `${destination} (× ${formatCount(language, times)})`,
  );
  const lacks = wallets.some(({ currency, balance_minor }) => {
    const needed = open.filter((sum) => sum.currency === currency);
    return needed.reduce((all, sum) => all + sumOf(sum), 0n) > balance_minor;
  });
  return (
    <>
      {step === 'check' && <Notice>{words.checking}</Notice>}
      {batch.dry_run && status === 'completed' && <Notice>{shared.dry}</Notice>}
      {repeated.length > 0 && <Notice tone="warn">{shared.repeated(names.join(', '))}</Notice>}
      {batch.reject_reason !== null && (
        <Notice tone="bad">{words.rejected(batch.reject_reason)}</Notice>
      )}
      {is_before && lacks && <Notice tone="bad">{words.too_little}</Notice>}
      <p>
        <StatusTag of={batch} />{' '}
        {status === 'processing' && (
          <>
            <progress value={done} max={total}>
              {shared.progress(done, total)}
            </progress>{' '}
            {shared.progress(done, total)}
          </>
        )}
      </p>
      <Details
        rows={[
          [words.total, formatCount(language, total)],
          [words.succeeded, formatCount(language, completed)],
          [words.failed, formatCount(language, failed)],
          [words.amount, is_before && money(({ amount_minor }) => amount_minor)],
          [words.fee, is_before && money(({ fee_minor }) => fee_minor)],
          [words.sum, is_before && money(sumOf)],
          ...BATCH_CHECKS.map((check): Detail => [
            words.checks[check],
            checks[check] > 0 && formatCount(language, checks[check]),
          ]),
          [shared.created, <Time at={batch.created_at} exact />],
          [shared.finished, batch.finished_at !== null && <Time at={batch.finished_at} exact />],
        ]}
      />
    </>
  );
}

function Items({ of }: { readonly of: readonly PayoutItemView[] }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <>
      <h2>{words.payouts}</h2>
      <Table
        caption={words.payouts}
        columns={[
          words.payout,
          { label: words.recipient, as: 'what' },
          { label: words.amount, as: 'amount' },
          { label: words.name_found, as: 'who' },
          { label: words.status, as: 'state' },
        ]}
        rows={of.map((item) => [
          String(item.index + 1),
          <>
            <bdi>{item.name}</bdi> <bdi class="hint">{item.phone ?? `…${item.account_end}`}</bdi>
          </>,
          <Money minor={item.amount_minor} currency={item.currency} />,
          <>
            <bdi>{item.name_found}</bdi>{' '}
            {item.found && <Tag tone={CHECK_TONES[item.found]}>{words.checks[item.found]}</Tag>}
          </>,
          <ItemState of={item} />,
        ])}
      />
    </>
  );
}

function whyFailed(language: Language, { failure, refusal }: PayoutItemView): string {
  if (failure) return FAILURE_WORDS[language][failure.code];
  const reasons: Readonly<Record<PayoutItemRefusal, string>> = {
    ...BATCH_WORDS[language].refusals,
    ...FAILURE_WORDS[language],
    ...WORDS[language].errors,
  };
  return reasons[refusal ?? 'canceled'];
}

function ItemState({ of: item }: { readonly of: PayoutItemView }): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const tone = { pending: 'quiet', completed: 'good', failed: 'bad' } as const;
  const state = <Tag tone={tone[item.status]}>{words.item_statuses[item.status]}</Tag>;
  return (
    <>
      {item.payout_id === null ? state : <Link to={`/payouts/${item.payout_id}`}>{state}</Link>}{' '}
      {item.status === 'failed' && <span class="hint">{whyFailed(language, item)}</span>}
    </>
  );
}
