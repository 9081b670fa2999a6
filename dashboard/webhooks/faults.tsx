// Faults of deliveries to an endpoint of the sandbox: ordered, and what is left of them.

import type { JSX } from 'preact';
import { MAX_FAULTS, type OrderedFault } from '../../db/sandbox/faults';
import type { WebhookFault } from '../../domain/fault';
import type { EndpointView } from '../../domain/webhook';
import { dropEndpointFaults, orderEndpointFault } from '../../use-cases/sandbox/webhook-faults';
import { seeOther, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { ActionButton, Button, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { troublePage } from '../trouble';
import { idOf, ownerOf } from './find';
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
}): JSX.Element {
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

export async function submitFault(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { form, language } = visit;
  const words = WORDS[language];
  const id = idOf(visit);
  const fault = OFFERED.find((one) => one === form.get('fault'));
  const times = TIMES.find((one) => String(one) === form.get('times'));
  const { user_id, environment } = ownerOf(visit);
  const isComplete = id !== undefined && fault !== undefined && times !== undefined;
  if (!isComplete || environment !== 'sandbox') return troublePage(language, { kind: 'unknown' });
  const ordered = await orderEndpointFault(db, user_id, id, { fault, times });
  if (!ordered.ok && ordered.error === 'not_found') {
    return troublePage(language, { kind: 'unknown' });
  }
  const flash = ordered.ok
    ? { notice: words.fault_ordered }
    : { notice: words.too_many_faults(MAX_FAULTS), tone: 'bad' as const };
  return seeOther(`/webhooks/${id}`, { flash, subject: `webhook_endpoint/${id}` });
}

export async function submitDeleteFaults(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { language } = visit;
  const id = idOf(visit);
  const { user_id, environment } = ownerOf(visit);
  const dropped =
    id !== undefined && environment === 'sandbox'
      ? await dropEndpointFaults(db, user_id, id)
      : undefined;
  if (!dropped?.ok) return troublePage(language, { kind: 'unknown' });
  const flash = { notice: WORDS[language].faults_deleted };
  return seeOther(`/webhooks/${id}`, { flash, subject: `webhook_endpoint/${id}` });
}
