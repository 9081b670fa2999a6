// Sending all deliveries of a period again, such as after an outage of the receiver.

import { EVENT_TYPES, type EventType } from '../../domain/event';
import { parseInstant } from '../../domain/instant';
import type { DeliveryStatus } from '../../domain/webhook';
import {
  RESENT_STATUSES,
  resendRange,
  UNDELIVERED,
  type ResendRange,
} from '../../use-cases/webhook-deliveries';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Checkboxes, Field, Form } from '../forms';
import { Link } from '../parts';
import { troublePage } from '../trouble';
import { findEndpoint, idOf, ownerOf } from './find';
import { WORDS } from './words';

type Faults = {
  readonly [field in 'statuses' | 'types' | 'created_from' | 'created_to']?:
    'no_status' | 'no_type' | 'no_time' | 'empty_range';
};

export async function showResend(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const endpoint = await findEndpoint(dependencies, visit);
  if (!endpoint) return troublePage(visit.language, { kind: 'unknown' });
  return resendPage(visit, endpoint.id, {});
}

function resendPage(visit: MemberVisit, id: string, faults: Faults): Answer {
  const { language, form, ctx } = visit;
  const words = WORDS[language];
  const isSent = ctx.method === 'POST';
  const say = (name: keyof Faults): string | undefined => faults[name] && words[faults[name]];
  const content = (
    <>
      <p class="lead">{words.resend_lead}</p>
      <Form action={`/webhooks/${id}/resend`} class="card">
        <Checkboxes
          name="statuses"
          label={words.statuses}
          options={RESENT_STATUSES.map((value) => ({
            value,
            label: words.delivery_statuses[value],
          }))}
          checked={isSent ? form.getAll('statuses') : UNDELIVERED}
          fault={say('statuses')}
        />
        <Checkboxes
          name="types"
          label={words.types}
          options={EVENT_TYPES.map((value) => ({ value, label: value }))}
          checked={isSent ? form.getAll('types') : EVENT_TYPES}
          fault={say('types')}
        />
        {(['created_from', 'created_to'] as const).map((name) => (
          <Field
            name={name}
            type="datetime-local"
            label={name === 'created_from' ? words.from : words.to}
            data-local={name === 'created_from' ? words.from_local : words.to_local}
            autocomplete="off"
            value={form.get(name) ?? ''}
            fault={say(name)}
          />
        ))}
        <Button>{words.resend_now}</Button>
      </Form>
      <p>
        <Link to={`/webhooks/${id}`}>{words.endpoint}</Link>
      </p>
    </>
  );
  return page(words.resend_title, content, Object.keys(faults).length > 0 ? 422 : 200);
}

/** Returns the range that the form asks for, or what is wrong with it. */
function readRange(form: URLSearchParams): ResendRange | { readonly faults: Faults } {
  const statuses = chosen<DeliveryStatus>(form, 'statuses', RESENT_STATUSES);
  const types = chosen<EventType>(form, 'types', EVENT_TYPES);
  const created_from = instantOf(form.get('created_from'));
  const created_to = instantOf(form.get('created_to'));
  const isEmpty = created_from && created_to && created_from >= created_to;
  const faults: Faults = {
    ...(statuses.length === 0 ? { statuses: 'no_status' } : {}),
    ...(types.length === 0 ? { types: 'no_type' } : {}),
    ...(created_from === null ? { created_from: 'no_time' } : {}),
    ...(created_to === null ? { created_to: 'no_time' } : {}),
    ...(isEmpty ? { created_to: 'empty_range' } : {}),
  };
  if (created_from === null || created_to === null || Object.keys(faults).length > 0) {
    return { faults };
  }
  return { statuses, types, created_from, created_to };
}

function chosen<T extends string>(form: URLSearchParams, name: string, of: readonly T[]): T[] {
  const sent = form.getAll(name);
  return of.filter((one) => sent.includes(one));
}

/**
 * Reads a field `datetime-local`, which knows no zone, as UTC. Returns undefined when it is empty,
 * null when wrong.
 */
function instantOf(text: string | null): string | undefined | null {
  if (text === null || text.trim() === '') return undefined;
  return parseInstant(`${text.trim()}Z`) ?? null;
}

export async function submitResendRange(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { language, form } = visit;
  const words = WORDS[language];
  const id = idOf(visit);
  if (id === undefined) return troublePage(language, { kind: 'unknown' });
  const range = readRange(form);
  if ('faults' in range) {
    const endpoint = await findEndpoint(dependencies, visit);
    if (!endpoint) return troublePage(language, { kind: 'unknown' });
    return resendPage(visit, id, range.faults);
  }
  const begun = await resendRange(dependencies, ownerOf(visit), id, range);
  if (begun.ok) {
    const subject = `webhook_resend/${begun.resend.id}`;
    return seeOther(`/webhooks/${id}`, { flash: { notice: words.resend_begun }, subject });
  }
  if (begun.error === 'disabled' || begun.error === 'running') {
    const notice = begun.error === 'disabled' ? words.is_disabled : words.resend_waits;
    return seeOther(`/webhooks/${id}`, { flash: { notice, tone: 'bad' } });
  }
  return troublePage(language, { kind: 'unknown' });
}
