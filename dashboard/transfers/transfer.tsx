// One transfer, as its sender or its recipient sees it.

import type { JSX } from 'preact';
import { findTransfer } from '../../db/transfers';
import { TRANSFER_REFERENCE_PATTERN } from '../../domain/ids';
import type { TransferView } from '../../domain/transfer';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice, Tag, Time } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

const REFERENCE = new RegExp(TRANSFER_REFERENCE_PATTERN);

export async function showTransfer(
  { db }: DashboardDependencies,
  { account, session, language, params }: MemberVisit,
): Promise<Answer> {
  const reference = params['reference'] ?? '';
  const row = REFERENCE.test(reference)
    ? await findTransfer(db, account.user_id, session.environment, reference)
    : undefined;
  if (!row) return troublePage(language, { kind: 'unknown' });
  return page(WORDS[language].transfer, <Transfer row={row} />);
}

function Transfer({ row }: { readonly row: TransferView }): JSX.Element {
  const words = WORDS[useFrame().language];
  const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
  const isOut = row.direction === 'out';
  const party = (username: string, is_you: boolean) => (
    <>
      <bdi>{username}</bdi>
      {is_you ? ` (${words.you})` : ''}
    </>
  );
  const status = row.status as 'completed' | 'reversed' | 'simulated';
  return (
    <>
      <p class="big">{money(row.amount_minor)}</p>
      {row.simulated && <Notice>{words.simulated_note}</Notice>}
      <Details
        rows={[
          {
            term: words.status,
            value: <Tag tone={status === 'completed' ? 'good' : 'quiet'}>{words[status]}</Tag>,
          },
          { term: words.from, value: party(row.from_username, isOut) },
          { term: words.recipient, value: party(row.to_username, !isOut) },
          { term: words.fee, value: money(row.fee_minor) },
          { term: words.recipient_gets, value: money(row.amount_minor - row.fee_minor) },
          ...(row.description === null
            ? []
            : [{ term: words.description, value: <bdi>{row.description}</bdi> }]),
          // The sender's own: a recipient has none to see.
          ...Object.entries(row.metadata ?? {}).map(([name, value]) => ({
            term: name,
            value: <bdi>{String(value)}</bdi>,
          })),
          { term: words.at, value: <Time at={row.created_at} /> },
          { term: words.reference, value: <code>{row.reference}</code> },
        ]}
      />
      <p class="actions">
        <Link to="/transactions">{words.history}</Link>
        <Link to="/transfers/new">{words.another}</Link>
      </p>
    </>
  );
}
