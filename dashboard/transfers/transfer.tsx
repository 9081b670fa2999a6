// One transfer, as its sender or its recipient sees it.

import type { JSX } from 'preact';
import { listReversals, type ReversalRow } from '../../db/transfers/reversals';
import type { TransferView } from '../../db/transfers/transfers';
import { mayDo } from '../../domain/members';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice, Reference, Tag, Time } from '../parts';
import { troublePage } from '../trouble';
import { findNamed, leftOf, Reversals } from './reversal';
import { REVERSAL_WORDS } from './reversal-words';
import { WORDS } from './words';

/** A recipient who gives money back in more parts finds all of them in the history. */
const SHOWN_REVERSALS = 50;

export async function showTransfer(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language } = visit;
  const row = await findNamed({ db }, visit);
  if (!row) return troublePage(language, { kind: 'unknown' });
  const reversals =
    row.reversed_minor > 0n ? await listReversals(db, row.reference, SHOWN_REVERSALS) : [];
  const is_reversible = leftOf(row) > 0n && mayDo(account.role, 'money', session.environment);
  return page(
    WORDS[language].transfer,
    <Transfer row={row} reversals={reversals} is_reversible={is_reversible} />,
  );
}

function Transfer({
  row,
  reversals,
  is_reversible,
}: {
  readonly row: TransferView;
  readonly reversals: readonly ReversalRow[];
  readonly is_reversible: boolean;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const of_reversal = REVERSAL_WORDS[language];
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
          ...(row.reversed_minor > 0n
            ? [{ term: of_reversal.reversed, value: money(row.reversed_minor) }]
            : []),
          ...(row.description === null
            ? []
            : [{ term: words.description, value: <bdi>{row.description}</bdi> }]),
          // Only the sender's row has metadata.
          ...Object.entries(row.metadata ?? {}).map(([name, value]) => ({
            term: name,
            value: <bdi>{String(value)}</bdi>,
          })),
          { term: words.at, value: <Time at={row.created_at} /> },
          {
            term: words.reference,
            value: <Reference value={row.reference} label={words.reference} />,
          },
        ]}
      />
      {is_reversible && (
        <p class="screen">
          <Link to={`/transfers/${row.reference}/reversal`} class="button">
            {of_reversal.reverse}
          </Link>
        </p>
      )}
      <Reversals rows={reversals} />
      <p class="actions">
        <Link to="/transactions">{words.history}</Link>
        <Link to="/transfers/new">{words.another}</Link>
      </p>
    </>
  );
}
