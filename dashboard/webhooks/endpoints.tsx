// The endpoints of the environment that is shown, and adding one.

import type { JSX } from 'preact';
import { listWebhookEndpoints } from '../../db/webhooks/webhook-endpoints';
import { readEndpointHealth, type EndpointHealth } from '../../db/webhooks/webhook-health';
import { PAYMENT_EVENT_TYPES } from '../../domain/event';
import { mayDo } from '../../domain/members';
import { MAX_ENDPOINTS, type EndpointView } from '../../domain/webhook';
import { createEndpoint } from '../../use-cases/webhook-endpoints';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { useFrame } from '../frame';
import { Link, Notice, Table } from '../parts';
import { EndpointForm, readEndpoint, textOf, type EndpointFault } from './endpoint-form';
import { endpointTools, ownerOf } from './find';
import { EndpointStatusTag, Health } from './state';
import { WORDS } from './words';

export async function showEndpoints(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language } = visit;
  const { user_id, environment } = ownerOf(visit);
  const words = WORDS[language];
  const endpoints = await listWebhookEndpoints(db, user_id, environment);
  const health = await readEndpointHealth(
    db,
    endpoints.map(({ id }) => id),
  );
  const mayChange = mayDo(account.role, 'webhooks', session.environment);
  return page(
    words.webhooks,
    <>
      <p class="lead">{words.lead}</p>
      {mayChange && endpoints.length < MAX_ENDPOINTS && (
        <p>
          <Link to="/webhooks/new" class="button">
            {words.add}
          </Link>
        </p>
      )}
      <EndpointTable endpoints={endpoints} health={health} />
    </>,
  );
}

function EndpointTable({
  endpoints,
  health,
}: {
  readonly endpoints: readonly EndpointView[];
  readonly health: ReadonlyMap<string, EndpointHealth>;
}): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <Table
      caption={words.endpoints}
      columns={[words.endpoint, words.status, words.health]}
      rows={endpoints.map((endpoint) => [
        <span>
          <Link to={`/webhooks/${endpoint.id}`}>{endpoint.url}</Link>
          {endpoint.description && (
            <>
              <br />
              <span class="hint">{endpoint.description}</span>
            </>
          )}
        </span>,
        <EndpointStatusTag of={endpoint} />,
        <Health of={endpoint} health={health.get(endpoint.id)} />,
      ])}
    />
  );
}

export function showNewEndpoint(_: DashboardDependencies, visit: MemberVisit): Answer {
  return newEndpointPage(visit);
}

function newEndpointPage(visit: MemberVisit, fault?: EndpointFault): Answer {
  const { language, form, ctx } = visit;
  const words = WORDS[language];
  const text = textOf(form);
  const values = ctx.method === 'POST' ? text : { ...text, types: PAYMENT_EVENT_TYPES };
  return page(
    words.add,
    <EndpointForm
      action="/webhooks/new"
      back={{ to: '/webhooks', label: words.webhooks }}
      submit={words.add}
      values={values}
      fault={fault}
    />,
    fault ? 422 : 200,
  );
}

export async function submitNewEndpoint(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const words = WORDS[visit.language];
  const fields = readEndpoint(textOf(visit.form));
  if (typeof fields === 'string') return newEndpointPage(visit, fields);
  const created = await createEndpoint(endpointTools(dependencies), ownerOf(visit), fields);
  if (created.ok) {
    const { endpoint, secret } = created;
    return seeOther(`/webhooks/${endpoint.id}`, {
      flash: {
        notice: words.added,
        secret: { kind: 'secret', label: words.secret, value: secret },
      },
      subject: `webhook_endpoint/${endpoint.id}`,
    });
  }
  if (created.error === 'invalid_url') return newEndpointPage(visit, created.reason);
  return page(words.add, <LimitReached />, 422);
}

function LimitReached(): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <Notice tone="bad">
      <p>{words.limit(MAX_ENDPOINTS)}</p>
      <p>
        <Link to="/webhooks">{words.webhooks}</Link>
      </p>
    </Notice>
  );
}
