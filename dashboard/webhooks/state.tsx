// How an endpoint is doing, in words.

import type { JSX } from 'preact';
import { MAX_COUNT, type EndpointHealth } from '../../db/webhook-health';
import type { Resend } from '../../db/webhook-resends';
import type { Language } from '../../domain/language';
import type { AttemptOutcome, DeliveryStatus, EndpointView } from '../../domain/webhook';
import { formatCount } from '../../pages/formats';
import { useFrame } from '../frame';
import { Tag, Time, type Tone } from '../parts';
import { WORDS, type WebhookWords } from './words';

export function EndpointStatusTag({ of }: { readonly of: EndpointView }): JSX.Element {
  const words = WORDS[useFrame().language];
  if (of.status === 'disabled') return <Tag tone="warn">{words.disabled}</Tag>;
  return <Tag tone="good">{words.enabled}</Tag>;
}

/** A sentence a line, the worst first. */
export function Health({
  of: endpoint,
  health,
}: {
  readonly of: EndpointView;
  readonly health: EndpointHealth | undefined;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const count = (number: number): string => {
    const text = formatCount(language, number);
    return number >= MAX_COUNT ? words.or_more(text) : text;
  };
  const { disabled_reason, failing_since, last_failure } = endpoint;
  return (
    <ul class="lines">
      {disabled_reason && <li>{words.disabled_because[disabled_reason]}</li>}
      {failing_since && (
        <li class="bad">
          {words.failing_since} <Time at={failing_since} exact />
        </li>
      )}
      {health?.paused_until && (
        <li>
          {words.paused_until} <Time at={health.paused_until} exact />
        </li>
      )}
      {health && health.pending > 0 && <li>{words.pending(count(health.pending))}</li>}
      {health && health.held > 0 && <li>{words.held(count(health.held))}</li>}
      {health && health.exhausted > 0 && <li>{words.exhausted(count(health.exhausted))}</li>}
      {health && <li>{recentText(words, language, health)}</li>}
      {last_failure && (
        <li class="hint">
          {words.last_failure} {describeOutcome(words, last_failure)},{' '}
          <Time at={last_failure.at} exact />
        </li>
      )}
    </ul>
  );
}

function recentText(
  words: WebhookWords,
  language: Language,
  { recent, recent_delivered }: EndpointHealth,
): string {
  if (recent === 0) return words.recent_none;
  const delivered = formatCount(language, recent_delivered);
  const all = formatCount(language, recent);
  return recent < MAX_COUNT ? words.recent(delivered, all) : words.recent_last(delivered, all);
}

export function describeOutcome(
  words: WebhookWords,
  { outcome, status }: { readonly outcome: AttemptOutcome; readonly status: number | null },
): string {
  const isAnswer = status !== null && (outcome === 'refused' || outcome === 'delivered');
  return isAnswer ? words.answered(status) : words.outcomes[outcome];
}

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'quiet',
  held: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  discarded: 'quiet',
};

export function DeliveryTag({ status }: { readonly status: DeliveryStatus }): JSX.Element {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.delivery_statuses[status]}</Tag>;
}

export function ResendState({ of }: { readonly of: Resend }): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const queued = formatCount(language, of.queued);
  return (
    <span>
      <Time at={of.created_at} exact />
      {': '}
      {of.status === 'running' ? words.resend_running(queued) : words.resend_done(queued)}
    </span>
  );
}
