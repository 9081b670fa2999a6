// Disputes of payments, which the gateway opens and ends: how they are shown, and those of one on its link's page.

import type { ComponentChildren, JSX } from 'preact';
import { listDisputes } from '../../db/disputes/disputes';
import type { DisputeStatus, DisputeView } from '../../domain/dispute';
import { formatMoney } from '../../pages/formats';
import type { DashboardDependencies, MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Money, Table, Tag, Time, type Column, type Tone } from '../parts';
import { DISPUTE_STATUS_WORDS, DISPUTE_WORDS, reasonWords } from './dispute-words';

const TONES: Readonly<Record<DisputeStatus, Tone>> = { open: 'warn', won: 'good', lost: 'bad' };

export function DisputeTag({ of: { status } }: { readonly of: DisputeView }): JSX.Element {
  const { language } = useFrame();
  return <Tag tone={TONES[status]}>{DISPUTE_STATUS_WORDS[language][status]}</Tag>;
}

/** How it stands, what it cost, and what the wallet still lacks. */
export function DisputeState({ of: dispute }: { readonly of: DisputeView }): JSX.Element {
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

/** Nobody sends evidence for what has ended. */
export function EvidenceDue({
  of: { status, evidence_due_by },
}: {
  readonly of: DisputeView;
}): JSX.Element {
  return status === 'open' && evidence_due_by !== null ? <Time at={evidence_due_by} /> : <>—</>;
}

export function DisputeTable({
  rows,
  caption,
  last,
}: {
  readonly rows: readonly DisputeView[];
  readonly caption: string;
  readonly last: {
    readonly column: Column;
    readonly cell: (row: DisputeView) => ComponentChildren;
  };
}): JSX.Element {
  const { language } = useFrame();
  const words = DISPUTE_WORDS[language];
  return (
    <Table
      caption={caption}
      columns={[
        words.at,
        { label: words.amount, as: 'number' },
        words.reason,
        words.due,
        words.status,
        last.column,
      ]}
      rows={rows.map((row) => [
        <Time at={row.created_at} />,
        <Money minor={row.amount_minor} currency={row.currency} />,
        reasonWords(language, row.reason),
        <EvidenceDue of={row} />,
        <DisputeState of={row} />,
        last.cell(row),
      ])}
    />
  );
}

/** The disputes of a payment, on its link's page. */
export function Disputes({ rows }: { readonly rows: readonly DisputeView[] }): JSX.Element | null {
  const words = DISPUTE_WORDS[useFrame().language];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{words.disputes}</h2>
      {rows.some(({ status }) => status === 'open') && <p>{words.lead}</p>}
      <DisputeTable
        rows={rows}
        caption={words.of_payment}
        last={{ column: words.reference, cell: ({ reference }) => <code>{reference}</code> }}
      />
    </section>
  );
}

/** A payment has few. */
const OF_PAYMENT = 50;

export function readDisputes(
  { db }: Pick<DashboardDependencies, 'db'>,
  { account, session }: Pick<MemberVisit, 'account' | 'session'>,
  payment_intent_id: string,
): Promise<DisputeView[]> {
  return listDisputes(db, {
    user_id: account.user_id,
    environment: session.environment,
    before: undefined,
    limit: OF_PAYMENT,
    filters: { payment_intent_id },
  });
}
