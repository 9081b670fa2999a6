// One endpoint: how it is doing, its deliveries, and what can be done with it.

import { listFaults, operationOfEndpoint } from '../../db/sandbox/faults';
import type { EndpointView } from '../../db/webhooks/webhook-endpoints';
import { readEndpointHealth, type EndpointHealth } from '../../db/webhooks/webhook-health';
import { findLastResend, type Resend } from '../../db/webhooks/webhook-resends';
import { EVENT_TYPES } from '../../domain/event';
import { page, ownerOf, pageRoute } from '../context';
import { ActionButton, Button, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { LiveNote } from '../live-note';
import { Details, Link, Time } from '../parts';
import { DeliveryFilters, DeliveryList, deliveryQuery, readDeliveryPage } from './deliveries';
import { Faults } from './faults';
import { findEndpoint } from './find';
import { EndpointStatusTag, Health, ResendState } from './state';
import { WORDS } from './words';

export const ENDPOINT_PAGE = pageRoute('/webhooks/:id', 'webhooks', async ({ db }, visit) => {
  const { language, query, session } = visit;
  const endpoint = await findEndpoint({ db }, visit);
  if (!endpoint) return undefined;
  const owner = ownerOf(visit);
  const [deliveries, health, resend, faults] = await Promise.all([
    readDeliveryPage(db, deliveryQuery(owner, endpoint.id, query)),
    readEndpointHealth(db, [endpoint.id]),
    findLastResend(db, owner.user_id, owner.environment, endpoint.id),
    session.environment === 'sandbox'
      ? listFaults(db, owner.user_id, operationOfEndpoint(endpoint.id))
      : null,
  ]);
  const words = WORDS[language];
  const path = `/webhooks/${endpoint.id}`;
  return page(
    words.endpoint,
    <>
      <p class="lead">
        <code>{endpoint.url}</code>
      </p>
      <Actions of={endpoint} />
      <div data-live-part="health">
        <EndpointDetails of={endpoint} health={health.get(endpoint.id)} resend={resend} />
      </div>
      {endpoint.status === 'enabled' && <TestForm of={endpoint} />}
      {faults && <Faults of={endpoint} faults={faults} />}
      <h2>{words.deliveries}</h2>
      <DeliveryFilters path={path} query={query} />
      <LiveNote />
      <div data-live-part="deliveries">
        <DeliveryList path={path} query={query} deliveries={deliveries} />
      </div>
      <p>
        <Link to="/webhooks">{words.webhooks}</Link>
      </p>
    </>,
  );
});

function Actions({ of: { id, status } }: { readonly of: EndpointView }) {
  const words = WORDS[useFrame().language];
  const path = `/webhooks/${id}`;
  return (
    <div class="actions">
      <Link to={`${path}/edit`} class="button plain small">
        {words.edit}
      </Link>
      <ActionButton
        action={`${path}/status`}
        fields={{ status: status === 'enabled' ? 'disabled' : 'enabled' }}
      >
        {status === 'enabled' ? words.disable : words.enable}
      </ActionButton>
      <Link to={`${path}/secret`} class="button plain small">
        {words.rotate}
      </Link>
      {status === 'enabled' && (
        <Link to={`${path}/resend`} class="button plain small">
          {words.resend_range}
        </Link>
      )}
      <Link to={`${path}/delete`} class="button danger small">
        {words.remove}
      </Link>
    </div>
  );
}

function EndpointDetails({
  of: endpoint,
  health,
  resend,
}: {
  readonly of: EndpointView;
  readonly health: EndpointHealth | undefined;
  readonly resend: Resend | undefined;
}) {
  const words = WORDS[useFrame().language];
  const { types, description, max_per_second, previous_secret_until } = endpoint;
  const isAll = types.length === EVENT_TYPES.length;
  return (
    <Details
      rows={[
        [words.status, <EndpointStatusTag of={endpoint} />],
        [words.health, <Health of={endpoint} health={health} />],
        [words.last_resend, resend && <ResendState of={resend} />],
        [words.old_secret_until, previous_secret_until && <Time at={previous_secret_until} />],
        [words.types, isAll ? words.all_types : types.join(', ')],
        [words.description, description],
        [
          words.rate_limit,
          max_per_second === null ? words.unlimited : words.a_second(max_per_second),
        ],
        [words.created, <Time at={endpoint.created_at} />],
      ]}
    />
  );
}

function TestForm({ of: { id } }: { readonly of: EndpointView }) {
  const words = WORDS[useFrame().language];
  return (
    <Form action={`/webhooks/${id}/test`}>
      <Select
        name="event_type"
        label={words.test_type}
        options={EVENT_TYPES.map((type) => ({ value: type, label: type }))}
      />
      <Button look="plain">{words.test}</Button>
    </Form>
  );
}
