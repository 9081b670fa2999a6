// Disputes of payments, which the gateway opens and ends: how they are shown, and those of one on its link's page.

import { listDisputes, type DisputeView } from '../../db/disputes/disputes';
import type { DisputeStatus } from '../../domain/dispute';
import type { Language } from '../../domain/language';
import { formatMoney } from '../../pages/formats';
import { type DashboardDependencies, type MemberVisit, ownerOf } from '../context';
import { useFrame } from '../frame';
import { Rows, type ListColumn } from '../list-page';
import { Money, Tag, Time, type Tone } from '../parts';
import { DISPUTE_STATUS_WORDS, DISPUTE_WORDS, reasonWords } from './dispute-words';

const TONES: Readonly<Record<DisputeStatus, Tone>> = { open: 'warn', won: 'good', lost: 'bad' };

export function DisputeTag({ of: { status } }: { readonly of: DisputeView }) {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{DISPUTE_STATUS_WORDS[language][status]}</Tag>;
}

/** How it stands, what it cost, and what the wallet still lacks. */
export function DisputeState({ of: dispute }: { readonly of: DisputeView }) {
  const { language } = useFrame();
  const words = DISPUTE_WORDS[language];
  const money = (minor: bigint): string => formatMoney(language, minor, dispute.currency);
  return (
    <>
      <DisputeTag of={dispute} />
      {dispute.fee_minor > 0n && <p class="hint">{words.fee(money(dispute.fee_minor))}</p>}
      {dispute.owed_minor > 0n && <p class="hint">{words.owed_hint(money(dispute.owed_minor))}</p>}
    </>
  );
}

/** A dispute that has ended takes no evidence. */
export function EvidenceDue({ of: { status, evidence_due_by } }: { readonly of: DisputeView }) {
  return status === 'open' && evidence_due_by !== null ? <Time at={evidence_due_by} /> : <>—</>;
}

export function disputeColumns(language: Language): ListColumn<DisputeView>[] {
  const words = DISPUTE_WORDS[language];
  return [
    {
      label: words.at,
      cell: (row) => (
        <>
          <Time at={row.created_at} /> <code>{row.reference}</code>
        </>
      ),
    },
    {
      label: words.amount,
      as: 'number',
      cell: (row) => <Money minor={row.amount_minor} currency={row.currency} />,
    },
    { label: words.reason, cell: ({ reason }) => reasonWords(language, reason) },
    { label: words.due, cell: (row) => <EvidenceDue of={row} /> },
    { label: words.status, cell: (row) => <DisputeState of={row} /> },
  ];
}

/** The disputes of a payment, on its link's page. */
export function Disputes({ rows }: { readonly rows: readonly DisputeView[] }) {
  const { language } = useFrame();
  const words = DISPUTE_WORDS[language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.disputes}</h2>
      {rows.some(({ status }) => status === 'open') && <p>{words.lead}</p>}
      <Rows caption={words.of_payment} columns={disputeColumns(language)} rows={rows} />
    </section>
  );
}

/** A payment has few. */
const OF_PAYMENT = 50;

export function readDisputes(
  { db }: Pick<DashboardDependencies, 'db'>,
  visit: MemberVisit,
  payment_intent_id: string,
): Promise<DisputeView[]> {
  return listDisputes(db, {
    ...ownerOf(visit),
    before: undefined,
    limit: OF_PAYMENT,
    filters: { payment_intent_id },
  });
}
