// How an endpoint is doing, in words.

import type { EndpointView } from '../../db/webhooks/webhook-endpoints';
import { MAX_COUNT, type EndpointHealth } from '../../db/webhooks/webhook-health';
import type { Resend } from '../../db/webhooks/webhook-resends';
import type { AttemptOutcome, DeliveryStatus } from '../../domain/webhook';
import { useFrame } from '../frame';
import { Tag, Time, type Tone } from '../parts';
import { WORDS, type WebhookWords } from './words';

export function EndpointStatusTag({ of }: { readonly of: EndpointView }) {
  const words = WORDS[useFrame().language];
  if (of.status === 'disabled') return <Tag tone="warn">{words.disabled}</Tag>;
  return <Tag tone="good">{words.enabled}</Tag>;
}

/** A list of sentences about the endpoint, the worst first. */
export function Health({
  of: endpoint,
  health,
}: {
  readonly of: EndpointView;
  readonly health: EndpointHealth | undefined;
}) {
  const words = WORDS[useFrame().language];
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
      {health && health.pending > 0 && <li>{words.pending(health.pending)}</li>}
      {health && health.held > 0 && <li>{words.held(health.held)}</li>}
      {health && health.exhausted > 0 && <li>{words.exhausted(health.exhausted)}</li>}
      {health && <li>{recentText(words, health)}</li>}
      {last_failure && (
        <li class="hint">
          {words.last_failure} {describeOutcome(words, last_failure)},{' '}
          <Time at={last_failure.at} exact />
        </li>
      )}
    </ul>
  );
}

function recentText(words: WebhookWords, { recent, recent_delivered }: EndpointHealth): string {
  if (recent === 0) return words.recent_none;
  const describe = recent < MAX_COUNT ? words.recent : words.recent_last;
  return describe(recent_delivered, recent);
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

export function DeliveryTag({ status }: { readonly status: DeliveryStatus }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={TONES[status]}>{words.delivery_statuses[status]}</Tag>;
}

export function ResendState({ of }: { readonly of: Resend }) {
  const words = WORDS[useFrame().language];
  return (
    <span>
      <Time at={of.created_at} exact />
      {': '}
      {of.status === 'running' ? words.resend_running(of.queued) : words.resend_done(of.queued)}
    </span>
  );
}
