// One batch: how far it has come, what was refused, and what may be done with it.

import type { ComponentChildren } from 'preact';
import { exportItems } from '../../use-cases/transfer-batches/export';
import {
  findBatch,
  findSameBefore,
  listBatches,
  listItems,
  listNamedItems,
  listRepeatedRecipients,
  sumItems,
  type BatchRow,
  type ItemSum,
  type NamedItem,
  type RepeatedRecipient,
  type SameBefore,
  type ItemView,
} from '../../db/transfer-batches/transfer-batches';
import { SPREADSHEET_CSV } from '../../domain/csv';
import { formatCount } from '../../domain/language';
import type { BatchStatus, ItemStatus } from '../../domain/transfer-batch';
import { formatMoney } from '../../pages/formats';
import { page, ownerOf, pageRoute, type DashboardDependencies, type MemberVisit } from '../context';
import { download } from '../download';
import { ActionButton, Button, Form } from '../forms';
import { useFrame } from '../frame';
import { LiveNote } from '../live-note';
import { Download, Details, Link, Money, Notice, Table, Tag, Time, type Tone } from '../parts';
import { batchList, MOST_REPEATED, PAGE, readPlace, SameNotice } from './parts';
import { WORDS } from './words';

const SHOWN_REFUSED = 100;

const TONES: Readonly<Record<BatchStatus, Tone>> = {
  processing: 'warn',
  completed: 'good',
  failed: 'bad',
  canceled: 'quiet',
};

export const findOwn = (
  { db }: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
): Promise<BatchRow | undefined> => findBatch(db, ownerOf(visit), visit.params['id'] ?? '');

export const BATCH_LIST = batchList(
  (language) => ({
    path: '/batches',
    words: WORDS[language],
    links: <Link to="/transfers/new">{WORDS[language].single}</Link>,
  }),
  ({ db }, query) => listBatches(db, query),
  (language, batch) => (
    <>
      <StatusTag of={batch} /> {batch.dry_run ? WORDS[language].checked_batch : ''}
    </>
  ),
);

function StatusTag({ of: { status } }: { readonly of: BatchRow }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.statuses[status]}</Tag>;
}

interface BatchState {
  readonly batch: BatchRow;
  readonly sums: readonly ItemSum[];
  readonly refused: readonly ItemView[];
  /** Whom a check would pay more than once. */
  readonly repeated: readonly RepeatedRecipient[];
  readonly same: SameBefore | undefined;
}

async function readState({ db }: DashboardDependencies, batch: BatchRow): Promise<BatchState> {
  // A check that fits on a page shows each transfer below.
  const isListed = batch.failed > 0 && !(batch.dry_run && batch.total <= PAGE);
  const query = { batch_id: batch.id, status: 'failed', after: -1, limit: SHOWN_REFUSED } as const;
  const refused = isListed ? await listItems(db, query) : [];
  return {
    batch,
    sums: await sumItems(db, batch.id),
    refused,
    repeated: batch.dry_run ? await listRepeatedRecipients(db, batch.id, MOST_REPEATED) : [],
    same: batch.dry_run ? await findSameBefore(db, batch) : undefined,
  };
}

export const BATCH_PAGE = pageRoute('/batches/:id', 'read', async (dependencies, visit) => {
  const batch = await findOwn(dependencies, visit);
  if (!batch) return undefined;
  const words = WORDS[visit.language];
  const state = await readState(dependencies, batch);
  const path = `/batches/${batch.id}`;
  const after = readPlace(visit.query.get('after'));
  const isChecked = batch.dry_run && batch.status !== 'processing';
  const lines = isChecked
    ? await listNamedItems(dependencies.db, { batch_id: batch.id, after, limit: PAGE + 1 })
    : [];
  return page(
    batch.dry_run ? words.checked_batch : words.batch,
    <>
      <div data-live-part="batch">
        <Batch {...state} />
        <Actions of={batch} sums={state.sums} />
        {isChecked && (
          <>
            <h2>{words.lines}</h2>
            <Lines of={lines.slice(0, PAGE)} />
            <p class="pager">
              {after >= 0 && <Link to={path}>{words.first_lines}</Link>}{' '}
              {lines.length > PAGE && (
                <Link to={`${path}?after=${lines[PAGE - 1]!.index}`}>{words.next_lines}</Link>
              )}
            </p>
          </>
        )}
      </div>
      {batch.status === 'processing' && <LiveNote />}
      <p class="actions">
        <Download to={`/batches/${batch.id}/transfers.csv`}>{words.download}</Download>
        <Link to="/batches">{words.all_batches}</Link>
        <Link to="/batches/new">{words.new_batch}</Link>
      </p>
    </>,
  );
});

export const BATCH_FILE = pageRoute(
  '/batches/:id/transfers.csv',
  'export',
  async (dependencies, visit) => {
    const batch = await findOwn(dependencies, visit);
    if (!batch) return undefined;
    const query = { batch_id: batch.id, status: undefined, after: -1 };
    const form = SPREADSHEET_CSV[visit.language];
    return download(dependencies, visit, {
      name: `batch-${batch.id}.csv`,
      write: (onError) => exportItems(dependencies.db, query, { form, onError }),
    });
  },
);

function Actions({
  of: { id, dry_run, status, completed, failed },
  sums,
}: {
  readonly of: BatchRow;
  readonly sums: readonly ItemSum[];
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  if (dry_run && status === 'completed' && completed > 0) {
    const amounts = sums
      .filter((sum) => sum.status === 'completed')
      .map(({ amount_minor, currency }) => formatMoney(language, amount_minor, currency));
    return (
      <>
        <Form action={`/batches/${id}/send`} class="inline">
          <Button>{words.send(amounts.join(' + '), sums[0]!.recipients)}</Button>
        </Form>
        <p class="hint">
          {failed > 0 && `${words.without_refused} `}
          {words.once}
        </p>
      </>
    );
  }
  if (dry_run || status !== 'processing') return null;
  return (
    <ActionButton action={`/batches/${id}/cancel`} look="danger">
      {words.cancel}
    </ActionButton>
  );
}

function Batch({ batch, sums, refused, repeated, same }: BatchState) {
  const { language } = useFrame();
  const words = WORDS[language];
  const { status, dry_run, total, completed, failed, held } = batch;
  const done = completed + failed + held;
  const names = repeated.map(
    ({ to_username, times }) => `${to_username} (× ${formatCount(language, times)})`,
  );
  const isSandbox = batch.environment === 'sandbox';
  const sumOf = (wanted: ItemStatus): ComponentChildren => {
    const found = sums.filter((sum) => sum.status === wanted);
    if (found.length === 0) return formatCount(language, 0);
    return found.map(({ currency, amount_minor, count }) => (
      <span class="sum">
        {`${formatCount(language, count)} · `}
        <Money minor={amount_minor} currency={currency} />{' '}
      </span>
    ));
  };
  return (
    <>
      {dry_run && status !== 'processing' && <Notice>{words.dry}</Notice>}
      {repeated.length > 0 && <Notice tone="warn">{words.repeated(names.join(', '))}</Notice>}
      {same && (
        <SameNotice said={words.same_before(same.count)} to={`/batches/${same.id}`} at={same.at} />
      )}
      {isSandbox && <Notice>{words.simulated}</Notice>}
      {status === 'failed' && <Notice tone="bad">{words.atomic_refused}</Notice>}
      <p>
        <StatusTag of={batch} />{' '}
        {status === 'processing' && (
          <progress value={done} max={total}>
            {words.progress(done, total)}
          </progress>
        )}{' '}
        {words.progress(done, total)}
      </p>
      <Details
        rows={[
          [dry_run ? words.would_succeed : words.succeeded, sumOf('completed')],
          [dry_run ? words.would_fail : words.failed, sumOf('failed')],
          [words.held, held > 0 && sumOf('held')],
          [words.pending, sumOf('pending')],
          [words.created, <Time at={batch.created_at} exact />],
          [words.finished, batch.finished_at !== null && <Time at={batch.finished_at} exact />],
        ]}
      />
      {refused.length > 0 && <Refused of={refused} failed={failed} />}
    </>
  );
}

function Lines({ of }: { readonly of: readonly NamedItem[] }) {
  const words = WORDS[useFrame().language];
  return (
    <Table
      caption={words.lines}
      columns={[
        words.place,
        { label: words.recipient, as: 'what' },
        { label: words.amount, as: 'amount' },
        { label: words.description, as: 'who' },
        { label: words.status, as: 'state' },
      ]}
      rows={of.map((item) => [
        String(item.index + 1),
        <>
          {item.name !== null && item.name !== item.to_username && (
            <>
              <bdi>{item.name}</bdi>{' '}
            </>
          )}
          <bdi class="hint">{item.to_username}</bdi>
        </>,
        <Money minor={item.amount_minor} currency={item.currency} />,
        <bdi>{item.description ?? ''}</bdi>,
        item.status === 'held' ? (
          <Tag tone="warn">{words.held}</Tag>
        ) : item.refusal === null ? (
          <Tag tone="good">{words.possible}</Tag>
        ) : (
          <Tag tone="bad">{words.refusals[item.refusal]}</Tag>
        ),
      ])}
    />
  );
}

function Refused({ of, failed }: { readonly of: readonly ItemView[]; readonly failed: number }) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <h2>{words.refused_list}</h2>
      {failed > of.length && <p class="hint">{words.first_refused(of.length)}</p>}
      <Table
        caption={words.refused_list}
        columns={[
          words.place,
          { label: words.recipient, as: 'what' },
          { label: words.amount, as: 'amount' },
          { label: words.reason, as: 'state' },
        ]}
        rows={of.map((item) => [
          String(item.index + 1),
          <bdi>{item.to_username}</bdi>,
          <Money minor={item.amount_minor} currency={item.currency} />,
          item.refusal === null ? '' : words.refusals[item.refusal],
        ])}
      />
    </>
  );
}
