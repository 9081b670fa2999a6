// What changes an endpoint: its fields, its status, its secret, its end, and a test event.

import type { JSX } from 'preact';
import { EVENT_TYPES } from '../../domain/event';
import { ENDPOINT_STATUSES, type EndpointView } from '../../domain/webhook';
import {
  changeEndpoint,
  DEFAULT_OVERLAP_SECONDS,
  deleteEndpoint,
  rotateSecret,
  sendTestEvent,
} from '../../use-cases/webhook-endpoints';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Link } from '../parts';
import { troublePage } from '../trouble';
import {
  EndpointForm,
  readEndpoint,
  textOf,
  type EndpointFault,
  type EndpointText,
} from './endpoint-form';
import { endpointTools, findEndpoint, idOf, ownerOf } from './find';
import { WORDS } from './words';

const unknown = ({ language }: MemberVisit): Answer => troublePage(language, { kind: 'unknown' });
const subjectOf = (id: string): string => `webhook_endpoint/${id}`;

export async function showEdit(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const endpoint = await findEndpoint(dependencies, visit);
  if (!endpoint) return unknown(visit);
  const { url, types, description, max_per_second } = endpoint;
  const rate = max_per_second === null ? '' : String(max_per_second);
  const values = { url, types, description: description ?? '', max_per_second: rate };
  return editPage(visit, endpoint.id, values);
}

function editPage(
  { language }: MemberVisit,
  id: string,
  values: EndpointText,
  fault?: EndpointFault,
): Answer {
  const words = WORDS[language];
  return page(
    words.edit_title,
    <EndpointForm
      action={`/webhooks/${id}/edit`}
      back={{ to: `/webhooks/${id}`, label: words.endpoint }}
      submit={words.save}
      values={values}
      fault={fault}
    />,
    fault ? 422 : 200,
  );
}

export async function submitEdit(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined) return unknown(visit);
  const text = textOf(visit.form);
  const fields = readEndpoint(text);
  if (typeof fields === 'string') {
    return (await findEndpoint(dependencies, visit))
      ? editPage(visit, id, text, fields)
      : unknown(visit);
  }
  const changed = await changeEndpoint(endpointTools(dependencies), ownerOf(visit), id, fields);
  if (!changed.ok) {
    return changed.error === 'invalid_url'
      ? editPage(visit, id, text, changed.reason)
      : unknown(visit);
  }
  dependencies.waker.wake(changed.wake);
  const notice = WORDS[visit.language].saved;
  return seeOther(`/webhooks/${id}`, { flash: { notice }, subject: subjectOf(id) });
}

export async function submitStatus(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { form, language } = visit;
  const words = WORDS[language];
  const status = ENDPOINT_STATUSES.find((one) => one === form.get('status'));
  const id = idOf(visit);
  if (id === undefined || status === undefined) return unknown(visit);
  const tools = endpointTools(dependencies);
  const changed = await changeEndpoint(tools, ownerOf(visit), id, { status });
  if (!changed.ok) return unknown(visit);
  dependencies.waker.wake(changed.wake);
  const notice = status === 'enabled' ? words.now_enabled : words.now_disabled;
  return seeOther(`/webhooks/${id}`, { flash: { notice }, subject: `${subjectOf(id)} ${status}` });
}

export async function confirmDelete(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const endpoint = await findEndpoint(dependencies, visit);
  if (!endpoint) return unknown(visit);
  const words = WORDS[visit.language];
  return page(
    words.remove_title,
    <>
      <Url of={endpoint} />
      <p>{words.remove_text}</p>
      <Form action={`/webhooks/${endpoint.id}/delete`}>
        <p class="actions">
          <Button look="danger">{words.remove_now}</Button>
          <Link to={`/webhooks/${endpoint.id}`}>{words.endpoint}</Link>
        </p>
      </Form>
    </>,
  );
}

function Url({ of: { url } }: { readonly of: EndpointView }): JSX.Element {
  return (
    <p class="lead">
      <code>{url}</code>
    </p>
  );
}

export async function submitDelete(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined) return unknown(visit);
  const deleted = await deleteEndpoint(dependencies, ownerOf(visit), id);
  if (!deleted.ok) return unknown(visit);
  dependencies.waker.wake(deleted.wake);
  const notice = WORDS[visit.language].removed;
  return seeOther('/webhooks', { flash: { notice }, subject: subjectOf(id) });
}

export async function showRotate(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const endpoint = await findEndpoint(dependencies, visit);
  if (!endpoint) return unknown(visit);
  return page(WORDS[visit.language].rotate_title, <RotateForm of={endpoint} />);
}

function RotateForm({ of }: { readonly of: EndpointView }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <>
      <Url of={of} />
      <p>{words.rotate_text}</p>
      <Form action={`/webhooks/${of.id}/secret`} class="card">
        <Select
          name="overlap"
          label={words.overlap}
          value={String(DEFAULT_OVERLAP_SECONDS)}
          options={Object.entries(words.overlaps).map(([value, label]) => ({ value, label }))}
        />
        <Button>{words.rotate_title}</Button>
      </Form>
      <p>
        <Link to={`/webhooks/${of.id}`}>{words.endpoint}</Link>
      </p>
    </>
  );
}

export async function submitRotate(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { form, language } = visit;
  const words = WORDS[language];
  const id = idOf(visit);
  const overlap = form.get('overlap') ?? '';
  if (id === undefined || !Object.hasOwn(words.overlaps, overlap)) return unknown(visit);
  const rotated = await rotateSecret(dependencies, ownerOf(visit), id, Number(overlap));
  if (!rotated.ok) return unknown(visit);
  const secret = { kind: 'secret', label: words.secret, value: rotated.secret } as const;
  return seeOther(`/webhooks/${id}`, {
    flash: { notice: words.rotated, secret },
    subject: subjectOf(id),
  });
}

export async function submitTest(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { form, language } = visit;
  const words = WORDS[language];
  const id = idOf(visit);
  const type = EVENT_TYPES.find((one) => one === form.get('event_type'));
  if (id === undefined || type === undefined) return unknown(visit);
  const { db, config, waker } = dependencies;
  const tools = { db, pay_url_base: config.pay_url_base };
  const sent = await sendTestEvent(tools, ownerOf(visit), id, type);
  if (!sent.ok && sent.error === 'not_found') return unknown(visit);
  if (!sent.ok) {
    return seeOther(`/webhooks/${id}`, { flash: { notice: words.is_disabled, tone: 'bad' } });
  }
  waker.wake(sent.wake);
  const subject = `webhook_delivery/${sent.delivery_id}`;
  return seeOther(`/deliveries/${sent.delivery_id}`, { flash: { notice: words.tested }, subject });
}
