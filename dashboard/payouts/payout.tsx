// One payout: how it stands in plain words, what was found of the recipient, and what happened. It updates by itself.

import type { TimelineEntry } from '../../domain/intent';
import type { Currency } from '../../domain/currency';
import { labelled, type Language } from '../../domain/language';
import { formatMoney } from '../../pages/formats';
import { page, pageRoute } from '../context';
import { useFrame } from '../frame';
import { describeEntry } from '../links/timeline';
import { LiveNote } from '../live-note';
import { Details, Link, Money, Notice, Reference, Tag, Time, ownText } from '../parts';
import { WORDS as TRANSACTIONS } from '../transactions/words';
import { operatorName } from './operator';
import { Destination, PayoutTag } from './payouts';
import { payoutProps, readPayout, type PayoutProps } from './read';
import {
  DECISION_WORDS,
  EVENT_WORDS,
  FAILURE_WORDS,
  MATCH_WORDS,
  MEANING_WORDS,
  WORDS,
} from './words';

export const PAYOUT_PAGE = pageRoute('/payouts/:reference', 'read', async (dependencies, visit) => {
  const view = await readPayout(dependencies, visit);
  if (!view) return undefined;
  const props = await payoutProps(dependencies, visit, view);
  const words = WORDS[visit.language];
  return page(
    words.payout,
    <>
      {/* Said aloud when it changes: the recipient has the money. */}
      <div role="status" data-live-part="state">
        <PayoutState {...props} />
      </div>
      <div data-live-part="payout">
        <PayoutPart {...props} />
      </div>
      <LiveNote />
      <p class="actions">
        <Link to="/payouts">{words.list}</Link>
      </p>
    </>,
  );
});

function PayoutState({ view }: PayoutProps) {
  const { language } = useFrame();
  const { status, stage, failure } = view;
  const meaning = MEANING_WORDS[language][status === 'pending' ? stage! : status];
  return (
    <>
      <p class="big">
        <Money minor={view.amount_minor} currency={view.currency} /> <PayoutTag of={view} />
      </p>
      {failure !== null && <Notice tone="bad">{FAILURE_WORDS[language][failure.code]}</Notice>}
      <p>{meaning}</p>
    </>
  );
}

const LOOKS = {
  approve: 'button',
  confirm: 'button',
  reject: 'button danger',
  cancel: 'button danger',
} as const;

function PayoutPart({ view, approval, entries, decisions, is_own }: PayoutProps) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <>
      {is_own && <Notice>{words.yours}</Notice>}
      {decisions.length > 0 && (
        <p class="actions">
          {decisions.map((decision) => (
            <Link to={`/payouts/${view.reference}/${decision}`} class={LOOKS[decision]}>
              {DECISION_WORDS[language][decision].link}
            </Link>
          ))}
        </p>
      )}
      <PayoutDetails view={view} approval={approval} />
      <section>
        <h2>{words.timeline}</h2>
        <ol class="timeline">
          {entries.map((entry) => (
            <li>
              <Time at={entry.at} /> <span>{describePayout(language, entry, view.currency)}</span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

/** Where it goes and what it comes to: on its page, and before a decision about it. */
export function PayoutDetails({ view, approval }: Pick<PayoutProps, 'view' | 'approval'>) {
  const { language } = useFrame();
  const words = WORDS[language];
  const shared = TRANSACTIONS[language];
  const { amount_minor, fee_minor, tax_minor, failure } = view;
  const money = (minor: bigint) => <Money minor={minor} currency={view.currency} />;
  const time = (at: string | null) => at !== null && <Time at={at} />;
  return (
    <Details
      rows={[
        [words.recipient, <Destination of={view} />],
        [words.operator, ownText(view.operator && operatorName(language, view.operator))],
        [words.bank_code_shown, ownText(view.bank_code)],
        [words.name_given, ownText(view.name)],
        [
          words.name_found,
          view.name_match !== null && (
            <>
              {view.name_found !== null && <bdi>{view.name_found}</bdi>}{' '}
              <Tag tone={view.name_match === 'match' ? 'good' : 'warn'}>
                {MATCH_WORDS[language][view.name_match]}
              </Tag>
            </>
          ),
        ],
        [words.gets, money(amount_minor)],
        [words.fee, money(fee_minor)],
        [words.tax, tax_minor > 0n && money(tax_minor)],
        [words.total, money(amount_minor + fee_minor)],
        [words.returned, view.returned_minor > 0n && money(view.returned_minor)],
        [
          words.approvals,
          approval !== null &&
            [
              words.approvals_of(approval.given.length, approval.needed),
              ...approval.given.map(({ by }) => by),
            ].join(' · '),
        ],
        [words.provider_code, ownText(failure && failure.provider_code)],
        [words.description_shown, ownText(view.description)],
        [shared.at, time(view.created_at)],
        [words.completed, time(view.completed_at)],
        [words.until, time(expiryOf(view))],
        [shared.reference, <Reference value={view.reference} label={shared.reference} />],
      ]}
    />
  );
}

/** A payout that an operator was asked to make does not expire. */
function expiryOf({ completed_at, stage, expires_at }: PayoutProps['view']): string | null {
  const waits = completed_at === null && (stage === null || stage === 'queued');
  return waits ? expires_at : null;
}

/** A line of a payout's timeline, with the reason that a person gave for it. */
export function describePayout(
  language: Language,
  entry: TimelineEntry,
  currency: Currency,
): string {
  const { returned, ...others } = EVENT_WORDS[language];
  const { kind, detail } = entry;
  if (kind === 'returned') {
    return returned(formatMoney(language, BigInt(String(detail['amount_minor'])), currency));
  }
  const known: Readonly<Record<string, string>> = others;
  if (!Object.hasOwn(known, kind)) return describeEntry(language, entry, currency);
  const { reason } = detail;
  return typeof reason === 'string' ? labelled(language, known[kind]!, reason) : known[kind]!;
}
