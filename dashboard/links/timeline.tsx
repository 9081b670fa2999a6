// A payment link's history, in words.

import type { Currency } from '../../domain/currency';
import type { TimelineEntry } from '../../domain/intent';
import type { Language } from '../../domain/language';
import { translateFailure } from '../../pages/failures';
import { formatMoney } from '../../pages/formats';
import { useFrame } from '../frame';
import { Time } from '../parts';
import { EVENT_WORDS } from './words';

export function Timeline({
  entries,
  currency,
}: {
  readonly entries: readonly TimelineEntry[];
  readonly currency: Currency;
}) {
  const { language, session } = useFrame();
  // Those who have no endpoint have nothing to read about events.
  const shown = entries.filter(({ kind }) => kind !== 'event' || session?.account?.has_endpoint);
  return (
    <ol class="timeline">
      {shown.map((entry) => (
        <li>
          <Time at={entry.at} /> <span>{describeEntry(language, entry, currency)}</span>
        </li>
      ))}
    </ol>
  );
}

/** An entry without words here keeps the API's name. */
export function describeEntry(
  language: Language,
  { source, kind, detail }: TimelineEntry,
  currency: Currency,
): string {
  const words = EVENT_WORDS[language];
  const text = (name: string): string => String(detail[name] ?? '');
  const money = (name: string): string => {
    const own = (detail['currency'] ?? currency) as Currency;
    return formatMoney(language, BigInt(text(name) || '0'), own);
  };
  const named = (names: Readonly<Record<string, string>>, name: string): string =>
    Object.hasOwn(names, name) ? names[name]! : name;
  switch (kind) {
    case 'requested':
    case 'requested_again':
    case 'checkout_opened':
    case 'abandoned':
    case 'expired':
    case 'canceled':
    case 'suspense_accepted':
    case 'suspense_refunded':
    case 'suspense_refund_failed':
    case 'suspense_closed':
    case 'held':
      return words[kind];
    case 'posted':
      return words.posted(money('amount_minor'), money('fee_minor'));
    case 'held_in_suspense':
    case 'dispute_opened':
    case 'dispute_won':
    case 'dispute_lost':
    case 'refund_requested':
    case 'refund_succeeded':
    case 'refund_failed':
      return words[kind](money('amount_minor'));
    case 'attempt_begun':
    case 'attempt_succeeded':
      return words[kind](text('operator'), text('phone_end'));
    case 'attempt_failed': {
      const code = text('code');
      return words.attempt_failed(
        text('operator'),
        translateFailure(language, { code, message: code }),
      );
    }
    case 'notified':
      return named(words.notified, text('outcome'));
    case 'event':
      return words.event(text('type'));
    case 'attempt': {
      if (text('outcome') === 'delivered') return words.delivered(text('number'));
      const status = text('status');
      const why = named(words.outcomes, text('outcome')) + (status === '' ? '' : ` (${status})`);
      return words.not_delivered(text('number'), why);
    }
    default:
      return `${source}: ${kind}`;
  }
}
