// Payouts: a list with filters, and all that match as a file.

import type { JSX } from 'preact';
import { listPayouts, type PayoutView } from '../../db/payouts/payouts';
import { readToDo } from '../../db/people/attention';
import { SPREADSHEET_CSV } from '../../domain/csv';
import type { Language } from '../../domain/language';
import { mayDo } from '../../domain/members';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../domain/payout';
import { exportPayouts } from '../../use-cases/payouts/export';
import type { DashboardDependencies, MemberVisit } from '../context';
import { useFrame } from '../frame';
import {
  amount,
  at,
  CURRENCY,
  listRoutes,
  oneOf,
  PERIOD,
  REFERENCE,
  type ListColumn,
} from '../list-page';
import { LIST_WORDS } from '../list-words';
import { WORDS as OVERVIEW } from '../overview/words';
import { Link, Notice, Tag, usePhone, type Tone } from '../parts';
import { WORDS as FRAME_WORDS } from '../words';
import { STATUS_WORDS, WORDS } from './words';

async function above(
  { db }: DashboardDependencies,
  { account, session: { environment }, language }: MemberVisit,
): Promise<JSX.Element> {
  const words = WORDS[language];
  const waiting = await readToDo(db, account.user_id, environment);
  return (
    <>
      <p class="lead">{words.lead}</p>
      <p class="actions">
        {mayDo(account.role, 'money', environment) && (
          <Link to="/payouts/new" class="button">
            {words.make}
          </Link>
        )}
        <Link to="/payout-batches">{FRAME_WORDS[language].payout_batches}</Link>
        {mayDo(account.role, 'profile', environment) && (
          <Link to="/payouts/settings">{words.rules}</Link>
        )}
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
    </>
  );
}

function columns(language: Language): ListColumn<PayoutView>[] {
  const words = { ...LIST_WORDS[language], ...WORDS[language] };
  return [
    at(words.at),
    {
      label: words.recipient,
      as: 'what',
      cell: (row) => (
        <Link to={`/payouts/${row.reference}`}>
          <Destination of={row} />
        </Link>
      ),
    },
    {
      label: words.name,
      as: 'who',
      cell: ({ name, name_found }) => <bdi>{name ?? name_found ?? '—'}</bdi>,
    },
    amount(words.amount),
    { label: words.status, as: 'state', cell: (row) => <PayoutTag of={row} /> },
  ];
}

export const PAYOUT_LIST = listRoutes({
  path: '/payouts',
  words: (language) => ({ title: WORDS[language].payouts, caption: WORDS[language].caption }),
  filters: {
    status: oneOf('status', PAYOUT_STATUSES, STATUS_WORDS),
    currency: CURRENCY,
    ...PERIOD,
    reference: REFERENCE,
  },
  above,
  read: ({ db }, query) => listPayouts(db, query),
  columns,
  file: {
    name: 'payouts',
    write: ({ db }, query, { language, onError }) =>
      exportPayouts(db, query, { form: language && SPREADSHEET_CSV[language], onError }),
  },
});

/** A phone, or a bank account by its last four. */
export function Destination({
  of: { phone, account_end },
}: {
  readonly of: Pick<PayoutView, 'phone' | 'account_end'>;
}) {
  const shown = usePhone();
  return <bdi>{phone === null ? `…${account_end}` : shown(phone)}</bdi>;
}

const TONES: Readonly<Record<PayoutStatus, Tone>> = {
  held: 'warn',
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
}) {
  const words = STATUS_WORDS[useFrame().language];
  return stage === 'unknown' ? (
    <Tag tone="warn">{words.unknown}</Tag>
  ) : (
    <Tag tone={TONES[status]}>{words[status]}</Tag>
  );
}
