// One delivery: every attempt with what the receiver answered, and the body that is sent.

import { findEvent } from '../../db/webhooks/events';
import { listAttempts, type AttemptView } from '../../db/webhooks/webhook-attempts';
import { findDelivery, type DeliveryView } from '../../db/webhooks/webhook-deliveries';
import { findWebhookEndpoint, type EndpointView } from '../../db/webhooks/webhook-endpoints';
import { indentJson } from '../../domain/indented-json';
import { formatCount } from '../../domain/language';
import { resendDelivery } from '../../use-cases/webhook-deliveries';
import { page, seeOther, ownerOf, pageRoute } from '../context';
import { actionRoute } from '../form-page';
import { ActionButton } from '../forms';
import { useFrame } from '../frame';
import { LiveNote } from '../live-note';
import { Details, Link, Snippet, Time } from '../parts';
import { idOf } from './find';
import { DeliveryTag, describeOutcome } from './state';
import { WORDS } from './words';

/** The schedule and some resends make fewer. */
const MAX_ATTEMPTS = 50;

export const DELIVERY_PAGE = pageRoute('/deliveries/:id', 'webhooks', async ({ db }, visit) => {
  const { language } = visit;
  const words = WORDS[language];
  const { user_id, environment } = ownerOf(visit);
  const id = idOf(visit);
  const delivery = id === undefined ? undefined : await findDelivery(db, user_id, environment, id);
  if (!delivery) return undefined;
  const [endpoint, event, attempts] = await Promise.all([
    findWebhookEndpoint(db, user_id, environment, delivery.endpoint_id),
    findEvent(db, user_id, environment, delivery.event_id),
    listAttempts(db, { delivery_id: delivery.id, before: undefined, limit: MAX_ATTEMPTS }),
  ]);
  const path = `/deliveries/${delivery.id}`;
  return page(
    words.delivery,
    <>
      <LiveNote />
      <div data-live-part="delivery">
        <DeliveryDetails of={delivery} endpoint={endpoint} isTest={event?.sequence === 0n} />
      </div>
      {endpoint?.status === 'enabled' && (
        <p>
          <ActionButton action={`${path}/resend`}>{words.resend}</ActionButton>
        </p>
      )}
      <h2>{words.attempts}</h2>
      <div data-live-part="attempts">
        <Attempts of={attempts} made={delivery.attempts} />
      </div>
      <h2>{words.body}</h2>
      {event && <Snippet text={indentJson(event.body)} copied={event.body} label={words.body} />}
    </>,
  );
});

function DeliveryDetails({
  of: delivery,
  endpoint,
  isTest,
}: {
  readonly of: DeliveryView;
  readonly endpoint: EndpointView | undefined;
  readonly isTest: boolean;
}) {
  const words = WORDS[useFrame().language];
  const { next_attempt_at, delivered_at, status } = delivery;
  return (
    <Details
      rows={[
        [words.status, <DeliveryTag status={status} />],
        [
          words.type,
          <>
            <code>{delivery.type}</code> {isTest && <span class="hint">({words.test_event})</span>}
          </>,
        ],
        [
          words.endpoint,
          endpoint ? <Link to={`/webhooks/${endpoint.id}`}>{endpoint.url}</Link> : words.gone,
        ],
        [words.event, <code>{delivery.event_id}</code>],
        [words.created, <Time at={delivery.created_at} exact />],
        [words.attempts, String(delivery.attempts)],
        [
          words.next_attempt,
          next_attempt_at && status === 'pending' && <Time at={next_attempt_at} exact />,
        ],
        [words.delivered_at, delivered_at && <Time at={delivered_at} exact />],
      ]}
    />
  );
}

/** The attempts, newest first. Attempts of months that were dropped are only counted. */
function Attempts({
  of: attempts,
  made,
}: {
  readonly of: readonly AttemptView[];
  readonly made: number;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  if (attempts.length === 0) {
    return <p class="empty">{made === 0 ? words.no_attempts : words.attempts_dropped(made)}</p>;
  }
  return (
    <>
      {attempts.map((attempt) => (
        <section class="card">
          <h3>{words.attempt(attempt.number)}</h3>
          <Details
            rows={[
              [words.at, <Time at={attempt.started_at} exact />],
              [words.outcome, describeOutcome(words, attempt)],
              [words.duration, `${formatCount(language, attempt.duration_ms)} ms`],
              [words.trigger, words.triggers[attempt.trigger]],
              [words.sent_to, <code>{attempt.url}</code>],
            ]}
          />
          {attempt.status !== null && <Response of={attempt} />}
        </section>
      ))}
      {attempts.length === MAX_ATTEMPTS && <p class="hint">{words.older_attempts}</p>}
    </>
  );
}

function Response({
  of: { number, response_body, response_truncated },
}: {
  readonly of: AttemptView;
}) {
  const words = WORDS[useFrame().language];
  if (!response_body) return <p class="hint">{words.no_response}</p>;
  return (
    <details>
      <summary>{words.response}</summary>
      <pre tabIndex={0} role="region" aria-label={`${words.response} ${number}`}>
        {response_body}
      </pre>
      {response_truncated && <p class="hint">{words.truncated}</p>}
    </details>
  );
}

export const RESENT_ROUTE = actionRoute({
  path: '/deliveries/:id/resend',
  access: 'webhooks',
  action: 'webhooks.resend',
  find: async (_, visit) => idOf(visit),
  act: async (dependencies, visit, id) => {
    const words = WORDS[visit.language];
    const resent = await resendDelivery(dependencies.db, ownerOf(visit), id);
    if (resent.ok) {
      const subject = `webhook_delivery/${resent.delivery.id}`;
      return seeOther(`/deliveries/${id}`, { flash: { notice: words.resent }, subject });
    }
    if (resent.error === 'not_found') return undefined;
    const notice = resent.error === 'disabled' ? words.is_disabled : words.gone;
    return seeOther(`/deliveries/${id}`, { flash: { notice, tone: 'bad' } });
  },
});
