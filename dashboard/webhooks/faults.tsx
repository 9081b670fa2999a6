// Faults of deliveries to an endpoint of the sandbox: ordered, and what is left of them.

import { MAX_FAULTS, type OrderedFault } from '../../db/sandbox/faults';
import type { EndpointView } from '../../db/webhooks/webhook-endpoints';
import type { WebhookFault } from '../../domain/fault';
import { dropEndpointFaults, orderEndpointFault } from '../../use-cases/sandbox/webhook-faults';
import { seeOther, type DashboardDependencies, type MemberVisit } from '../context';
import { actionRoute } from '../form-page';
import { ActionButton, Button, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { findEndpoint } from './find';
import { WORDS } from './words';

/** The API takes any number of seconds. */
const OFFERED = [
  'duplicate',
  'swap',
  'bad-signature',
  'late=3600',
  'late=86400',
] as const satisfies readonly WebhookFault[];
export type OfferedFault = (typeof OFFERED)[number];

/** The API takes any number up to a hundred. */
const TIMES = [1, 2, 3, 5, 7, 10];

export function Faults({
  of: { id },
  faults,
}: {
  readonly of: EndpointView;
  readonly faults: readonly OrderedFault[];
}) {
  const words = WORDS[useFrame().language];
  const path = `/webhooks/${id}/faults`;
  return (
    <>
      <h2>{words.faults}</h2>
      <p class="hint">{words.faults_lead}</p>
      {faults.length > 0 && (
        <>
          <ol>
            {faults.map(({ fault, left }) => (
              <li>
                {words.fault_names[fault as OfferedFault] ?? fault} ({words.attempts_left(left)})
              </li>
            ))}
          </ol>
          <ActionButton action={`${path}/delete`}>{words.delete_faults}</ActionButton>
        </>
      )}
      <Form action={path}>
        <Select
          name="fault"
          label={words.fault}
          options={OFFERED.map((value) => ({ value, label: words.fault_names[value] }))}
        />
        <Select
          name="times"
          label={words.fault_times}
          options={TIMES.map((times) => ({ value: String(times), label: String(times) }))}
        />
        <Button look="plain">{words.order_fault}</Button>
      </Form>
    </>
  );
}

const IN_SANDBOX = {
  access: 'webhooks',
  find: async (dependencies: DashboardDependencies, visit: MemberVisit) =>
    visit.session.environment === 'sandbox' ? findEndpoint(dependencies, visit) : undefined,
} as const;

export const FAULT_ROUTES = [
  actionRoute({
    ...IN_SANDBOX,
    path: '/webhooks/:id/faults',
    action: 'webhooks.order_fault',
    act: async ({ db }, { form, language, account }, { id }) => {
      const words = WORDS[language];
      const fault = OFFERED.find((one) => one === form.get('fault'));
      const times = TIMES.find((one) => String(one) === form.get('times'));
      if (fault === undefined || times === undefined) return undefined;
      const ordered = await orderEndpointFault(db, account.user_id, id, { fault, times });
      if (!ordered.ok && ordered.error === 'not_found') return undefined;
      const flash = ordered.ok
        ? { notice: words.fault_ordered }
        : { notice: words.too_many_faults(MAX_FAULTS), tone: 'bad' as const };
      return seeOther(`/webhooks/${id}`, { flash, subject: `webhook_endpoint/${id}` });
    },
  }),
  actionRoute({
    ...IN_SANDBOX,
    path: '/webhooks/:id/faults/delete',
    action: 'webhooks.delete_faults',
    act: async ({ db }, { account, language }, { id }) => {
      await dropEndpointFaults(db, account.user_id, id);
      const flash = { notice: WORDS[language].faults_deleted };
      return seeOther(`/webhooks/${id}`, { flash, subject: `webhook_endpoint/${id}` });
    },
  }),
];
