// One transfer, as its sender or its recipient sees it.

import { listReversals, type ReversalRow } from '../../db/transfers/reversals';
import type { TransferView } from '../../db/transfers/transfers';
import { mayDo } from '../../domain/members';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice, Reference, Tag, Time, ownText, type Detail } from '../parts';
import { findNamed, leftOf, Reversals } from './reversal';
import { REVERSAL_WORDS } from './reversal-words';
import { WORDS } from './words';

/** A recipient who gives money back in more parts finds all of them in the history. */
const SHOWN_REVERSALS = 50;

export const TRANSFER_PAGE = pageRoute('/transfers/:reference', 'read', async ({ db }, visit) => {
  const { account, session, language } = visit;
  const row = await findNamed({ db }, visit);
  if (!row) return undefined;
  const reversals =
    row.reversed_minor > 0n ? await listReversals(db, row.reference, SHOWN_REVERSALS) : [];
  const is_reversible = leftOf(row) > 0n && mayDo(account.role, 'money', session.environment);
  return page(
    WORDS[language].transfer,
    <Transfer row={row} reversals={reversals} is_reversible={is_reversible} />,
  );
});

function Transfer({
  row,
  reversals,
  is_reversible,
}: {
  readonly row: TransferView;
  readonly reversals: readonly ReversalRow[];
  readonly is_reversible: boolean;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  const of_reversal = REVERSAL_WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={row.currency} />;
  const isOut = row.direction === 'out';
  // A fee of the sender's is none of the recipient's.
  const isBorne = isOut || row.fee_bearer === 'recipient';
  const total = row.amount_minor + (row.fee_bearer === 'payer' ? row.fee_minor : 0n);
  const party = (username: string, is_you: boolean) => (
    <>
      <bdi>{username}</bdi>
      {is_you ? ` (${words.you})` : ''}
    </>
  );
  const status = row.status as 'completed' | 'reversed' | 'simulated' | 'held' | 'refused';
  return (
    <>
      <p class="big">{money(row.amount_minor)}</p>
      {status === 'held' && <Notice>{words.is_held}</Notice>}
      {row.simulated && <Notice>{words.simulated_note}</Notice>}
      <Details
        rows={[
          [
            words.status,
            <Tag tone={status === 'completed' ? 'good' : 'quiet'}>{words[status]}</Tag>,
          ],
          [words.from, party(row.from_username, isOut)],
          [words.recipient, party(row.to_username, !isOut)],
          [words.fee, money(isBorne ? row.fee_minor : 0n)],
          [words.tax, isBorne && row.tax_minor > 0n && money(row.tax_minor)],
          [words.total, isOut && total > row.amount_minor && money(total)],
          [words.recipient_gets, money(total - row.fee_minor)],
          [of_reversal.reversed, row.reversed_minor > 0n && money(row.reversed_minor)],
          [words.description, ownText(row.description)],
          // Only the sender's row has metadata.
          ...Object.entries(row.metadata ?? {}).map(([name, value]): Detail => [
            name,
            <bdi>{String(value)}</bdi>,
          ]),
          [words.at, <Time at={row.created_at} />],
          [words.reference, <Reference value={row.reference} label={words.reference} />],
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
