// One payout batch: whose names were found, what it would cost, how far it has come, and what may be done with it.

import type { ComponentChildren } from 'preact';
import {
  findPayoutBatch,
  findSameBefore,
  listPayoutBatches,
  listPayoutItems,
  listRepeatedDestinations,
  sumPayoutItems,
  type PayoutBatchRow,
  type PayoutItemSum,
  type RepeatedDestination,
  type SameBefore,
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
import { mayDo } from '../../domain/members';
import { LONGEST_REASON } from '../../domain/payout';
import { formatMoney } from '../../pages/formats';
import { exportPayoutItems } from '../../use-cases/payout-batches/export';
import { batchList, MOST_REPEATED, PAGE, readPlace, SameNotice } from '../batches/parts';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { page, ownerOf, pageRoute, type DashboardDependencies, type MemberVisit } from '../context';
import { download } from '../download';
import { ActionButton, Button, Checkboxes, Field, Form } from '../forms';
import { href, useFrame } from '../frame';
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
  usePhone,
  type Detail,
  type Tone,
} from '../parts';
import { operatorName } from '../payouts/operator';
import { Destination } from '../payouts/payouts';
import { decisionsOf, type Approval } from '../payouts/read';
import { FAILURE_WORDS } from '../payouts/words';
import { isRepeatable } from './typed';
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

function StatusTag({ of: { status } }: { readonly of: PayoutBatchRow }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.statuses[status]}</Tag>;
}

interface BatchState {
  readonly batch: PayoutBatchRow;
  readonly sums: readonly PayoutItemSum[];
  /** The destinations that are paid more than once, while people decide. */
  readonly repeated: readonly RepeatedDestination[];
  readonly same: SameBefore | undefined;
  /** Counts by what was found, while people decide. */
  readonly left_out: readonly BatchCheck[];
  readonly items: readonly PayoutItemView[];
}

/** The choices of whom to leave out. */
const optionsOf = ({ checks }: PayoutBatchRow): readonly BatchCheck[] =>
  BATCH_CHECKS.filter((check) => check !== 'match' && checks[check] > 0);

/** Those whose name is another one, and who cannot be paid, until a person has chosen otherwise. */
function leftOut({ query }: MemberVisit, batch: PayoutBatchRow): readonly BatchCheck[] {
  const chosen = query.has('chosen') ? query.getAll('exclude') : ['no_match', 'unreachable'];
  return batch.status === 'requires_confirmation'
    ? optionsOf(batch).filter((check) => chosen.includes(check))
    : [];
}

/** Whether nothing is left for people to decide. */
const isDecided = ({ status }: PayoutBatchRow): boolean => !status.startsWith('requires');
/** Nothing is sent while names are compared, or while an approval or a yes is missing. */
const maySend = (batch: PayoutBatchRow): boolean => isDecided(batch) && batch.step !== 'check';

async function readState(
  { db }: DashboardDependencies,
  batch: PayoutBatchRow,
  after: number,
  left_out: readonly BatchCheck[],
): Promise<BatchState> {
  return {
    batch,
    sums: await sumPayoutItems(db, batch.id),
    same: isDecided(batch) ? undefined : await findSameBefore(db, batch),
    left_out,
    repeated: isDecided(batch) ? [] : await listRepeatedDestinations(db, batch.id, MOST_REPEATED),
    items: await listPayoutItems(db, {
      batch_id: batch.id,
      status: undefined,
      after,
      limit: PAGE + 1,
    }),
  };
}

export const BATCH_PAGE = pageRoute('/payout-batches/:id', 'read', async (dependencies, visit) => {
  const batch = await findOwn(dependencies, visit);
  if (!batch) return undefined;
  const words = WORDS[visit.language];
  const after = readPlace(visit.query.get('after'));
  const state = await readState(dependencies, batch, after, leftOut(visit, batch));
  const path = `/payout-batches/${batch.id}`;
  const { items } = state;
  return page(
    words.batch,
    <>
      <div data-live-part="batch">
        <Batch {...state} />
        <Actions {...state} visit={visit} />
      </div>
      <div data-live-part="items">
        <Items {...state} />
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
        {mayDo(visit.account.role, 'money', visit.session.environment) && isRepeatable(batch) && (
          <Link to={`/payout-batches/new?again=${batch.id}`}>{words.pay_again}</Link>
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

/** The sums of what is paid, or would be. */
const paidOf = ({ sums, left_out }: Pick<BatchState, 'sums' | 'left_out'>) =>
  sums.filter(
    ({ status, found }) => status !== 'failed' && !(found !== null && left_out.includes(found)),
  );

function totalsOf(sums: readonly PayoutItemSum[]) {
  return [...new Set(sums.map(({ currency }) => currency))].map((currency) => {
    const own = sums.filter((sum) => sum.currency === currency);
    const add = (of: 'amount_minor' | 'fee_minor') => own.reduce((all, sum) => all + sum[of], 0n);
    return {
      currency,
      amount: add('amount_minor'),
      fee: add('fee_minor'),
      balance: own[0]!.balance_minor,
    };
  });
}

const countOf = (sums: readonly PayoutItemSum[]): number =>
  sums.reduce((all, { count }) => all + count, 0);

/** The decisions that this person may take now. */
function Actions({ batch, visit, ...state }: BatchState & { readonly visit: MemberVisit }) {
  const words = WORDS[visit.language];
  const { id, status, step, ordered_by, checks } = batch;
  const path = `/payout-batches/${id}`;
  const { approval } = JSON.parse(batch.json) as { readonly approval: Approval | null };
  const asked = { status, ordered_by, approval, has_unsent: step !== null };
  const { decisions, is_own } = decisionsOf(visit, asked);
  const options = optionsOf(batch);
  const { left_out, repeated } = state;
  const paid = paidOf(state);
  const amounts = totalsOf(paid).map(({ amount, currency }) =>
    formatMoney(visit.language, amount, currency),
  );
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
        <>
          {options.length > 0 && (
            <form method="get" action={href(path)}>
              <input type="hidden" name="chosen" value="" />
              <Checkboxes
                name="exclude"
                label={words.exclude}
                options={options.map((check) => ({
                  value: check,
                  label: words.excluded(words.checks[check], checks[check]),
                }))}
                checked={left_out}
              />
              <Button look="plain">{words.recount}</Button>
            </form>
          )}
          {paid.length === 0 ? (
            <p>{words.none_left}</p>
          ) : (
            <Form action={`${path}/confirm`}>
              {left_out.map((check) => (
                <input type="hidden" name="exclude" value={check} />
              ))}
              <p class="hint">{words.confirm_hint}</p>
              <Button>
                {words.pay(amounts.join(' + '), countOf(paid), repeated.length === 0)}
              </Button>
            </Form>
          )}
        </>
      )}
      {decisions.includes('cancel') && (
        <ActionButton action={`${path}/cancel`}>
          {maySend(batch) ? words.cancel : words.cancel_all}
        </ActionButton>
      )}
    </>
  );
}

function Batch({ batch, sums, repeated, same, left_out }: BatchState) {
  const { language } = useFrame();
  const words = WORDS[language];
  const shared = BATCH_WORDS[language];
  const { status, step, total, completed, failed, checks } = batch;
  const phone = usePhone();
  const done = step === 'check' ? batch.next_index : completed + failed;
  const is_before = !isDecided(batch);
  const totals = totalsOf(paidOf({ sums, left_out }));
  const money = (of: (total: (typeof totals)[number]) => bigint): ComponentChildren =>
    totals.map((total) => (
      <span class="sum">
        <Money minor={of(total)} currency={total.currency} />{' '}
      </span>
    ));
  const left = ({ balance, amount, fee }: (typeof totals)[number]) => balance - amount - fee;
  const lacks = totals.some((total) => left(total) < 0n);
  const names = repeated.map(
    ({ destination, times }) => `${phone(destination)} (× ${formatCount(language, times)})`,
  );
  return (
    <>
      {step === 'check' && <Notice>{words.checking}</Notice>}
      {batch.dry_run && status === 'completed' && <Notice>{shared.dry}</Notice>}
      {repeated.length > 0 && <Notice tone="warn">{shared.repeated(names.join(', '))}</Notice>}
      {same && (
        <SameNotice
          said={words.same_before(same.count)}
          to={same.batch_id ? `/payout-batches/${same.batch_id}` : `/payouts/${same.reference}`}
          at={same.at}
        />
      )}
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
          [words.succeeded, !is_before && formatCount(language, completed)],
          [words.failed, (!is_before || failed > 0) && formatCount(language, failed)],
          [words.amount, money(({ amount }) => amount)],
          [words.fee, money(({ fee }) => fee)],
          [words.sum, money(({ amount, fee }) => amount + fee)],
          [words.balance_after, is_before && !lacks && money(left)],
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

function Items({ items, batch, left_out }: BatchState) {
  const { language } = useFrame();
  const words = WORDS[language];
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
        rows={items.slice(0, PAGE).map((item) => [
          String(item.index + 1),
          <>
            <bdi>{item.name}</bdi>{' '}
            <span class="hint">
              <Destination of={item} />
              {item.operator !== null && ` · ${operatorName(language, item.operator)}`}
            </span>
          </>,
          <Money minor={item.amount_minor} currency={item.currency} />,
          <>
            <bdi>{item.name_found}</bdi>{' '}
            {item.found && <Tag tone={CHECK_TONES[item.found]}>{words.checks[item.found]}</Tag>}
          </>,
          <ItemState
            of={item}
            waits={batch.status.startsWith('requires') && item.status === 'pending'}
            isOut={item.found !== null && left_out.includes(item.found)}
          />,
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

function ItemState({
  of: item,
  waits,
  isOut,
}: {
  readonly of: PayoutItemView;
  /** People have not decided yet. */
  readonly waits: boolean;
  readonly isOut: boolean;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  if (waits) {
    return isOut ? (
      <Tag tone="quiet">{words.errors.excluded}</Tag>
    ) : (
      <Tag tone="good">{words.ready}</Tag>
    );
  }
  const tone = { pending: 'quiet', completed: 'good', failed: 'bad' } as const;
  const state = <Tag tone={tone[item.status]}>{words.item_statuses[item.status]}</Tag>;
  return (
    <>
      {item.payout_id === null ? state : <Link to={`/payouts/${item.payout_id}`}>{state}</Link>}{' '}
      {item.status === 'failed' && <span class="hint">{whyFailed(language, item)}</span>}
    </>
  );
}
