// Makes and changes an endpoint: its fields, its status, its secret, its end; and sends a test event.

import {
  changeEndpointBody,
  createEndpointBody,
  rotateSecretBody,
} from '../../api/webhook-endpoints/schema';
import type { EndpointView } from '../../db/webhooks/webhook-endpoints';
import { EVENT_TYPES, PAYMENT_EVENT_TYPES } from '../../domain/event';
import type { Language } from '../../domain/language';
import { ENDPOINT_STATUSES, MAX_ENDPOINTS } from '../../domain/webhook';
import {
  changeEndpoint,
  createEndpoint,
  DEFAULT_OVERLAP_SECONDS,
  deleteEndpoint,
  rotateSecret,
  sendTestEvent,
} from '../../use-cases/webhook-endpoints';
import { seeOther, ownerOf } from '../context';
import type { Shapes } from '../form-fields';
import { actionRoute, formRoutes } from '../form-page';
import { endpointTools, findEndpoint } from './find';
import { WORDS } from './words';

const ENDPOINT = { access: 'webhooks', confirmed: 'in_live', find: findEndpoint } as const;

const subjectOf = (id: string): string => `webhook_endpoint/${id}`;

const linksOf = (language: Language, { id }: EndpointView) => [
  { to: `/webhooks/${id}`, label: WORDS[language].endpoint },
];

function shapesOf(language: Language, endpoint?: EndpointView): Shapes {
  const words = WORDS[language];
  return {
    url: { label: words.url, hint: words.url_hint, type: 'url', value: endpoint?.url },
    types: {
      label: words.types,
      options: EVENT_TYPES.map((type) => ({ value: type, label: type })),
      value: endpoint?.types ?? PAYMENT_EVENT_TYPES,
    },
    description: {
      label: words.description,
      hint: words.description_hint,
      value: endpoint?.description ?? '',
    },
    max_per_second: {
      label: words.rate,
      hint: words.rate_hint,
      value: String(endpoint?.max_per_second ?? ''),
    },
  };
}

function Url({ of: { url } }: { readonly of: EndpointView }) {
  return (
    <p class="lead">
      <code>{url}</code>
    </p>
  );
}

export const NEW_ENDPOINT_ROUTES = formRoutes({
  path: '/webhooks/new',
  access: 'webhooks',
  confirmed: 'in_live',
  action: 'webhooks.create',
  words: (language) => {
    const { add, webhooks: label } = WORDS[language];
    return { title: add, button: add, links: [{ to: '/webhooks', label }] };
  },
  body: createEndpointBody,
  fields: (_, { language }) => shapesOf(language),
  send: async (dependencies, visit, { body }) => {
    const words = WORDS[visit.language];
    const created = await createEndpoint(endpointTools(dependencies), ownerOf(visit), body);
    if (!created.ok) {
      return created.error === 'invalid_url'
        ? { faults: { url: words.url_faults[created.reason] } }
        : { notice: words.limit(MAX_ENDPOINTS) };
    }
    const { endpoint, secret: value } = created;
    return seeOther(`/webhooks/${endpoint.id}`, {
      flash: { notice: words.added, secret: { kind: 'secret', label: words.secret, value } },
      subject: subjectOf(endpoint.id),
    });
  },
});

export const CHANGE_ROUTES = [
  ...formRoutes({
    ...ENDPOINT,
    path: '/webhooks/:id/edit',
    action: 'webhooks.change',
    words: (language, endpoint) => {
      const { edit_title: title, save: button } = WORDS[language];
      return { title, button, links: linksOf(language, endpoint) };
    },
    body: changeEndpointBody,
    fields: (_, { language }, endpoint) => shapesOf(language, endpoint),
    send: async (dependencies, visit, { found: { id }, body }) => {
      const words = WORDS[visit.language];
      const tools = endpointTools(dependencies);
      const changed = await changeEndpoint(tools, ownerOf(visit), id, body);
      if (!changed.ok) {
        return changed.error === 'invalid_url'
          ? { faults: { url: words.url_faults[changed.reason] } }
          : undefined;
      }
      return seeOther(`/webhooks/${id}`, {
        flash: { notice: words.saved },
        subject: subjectOf(id),
      });
    },
  }),
  actionRoute({
    ...ENDPOINT,
    path: '/webhooks/:id/status',
    action: 'webhooks.status',
    act: async (dependencies, visit, { id }) => {
      const words = WORDS[visit.language];
      const status = ENDPOINT_STATUSES.find((one) => one === visit.form.get('status'));
      if (status === undefined) return undefined;
      const tools = endpointTools(dependencies);
      const changed = await changeEndpoint(tools, ownerOf(visit), id, { status });
      if (!changed.ok) return undefined;
      const notice = status === 'enabled' ? words.now_enabled : words.now_disabled;
      const subject = `${subjectOf(id)} ${status}`;
      return seeOther(`/webhooks/${id}`, { flash: { notice }, subject });
    },
  }),
  ...formRoutes({
    ...ENDPOINT,
    path: '/webhooks/:id/delete',
    action: 'webhooks.delete',
    words: (language, endpoint) => {
      const { remove_title: title, remove_now: button } = WORDS[language];
      return { title, button, look: 'danger', links: linksOf(language, endpoint) };
    },
    above: ({ language }, endpoint) => (
      <>
        <Url of={endpoint} />
        <p>{WORDS[language].remove_text}</p>
      </>
    ),
    send: async (dependencies, visit, { found: { id } }) => {
      const deleted = await deleteEndpoint(dependencies, ownerOf(visit), id);
      if (!deleted.ok) return undefined;
      const notice = WORDS[visit.language].removed;
      return seeOther('/webhooks', { flash: { notice }, subject: subjectOf(id) });
    },
  }),
  ...formRoutes({
    ...ENDPOINT,
    path: '/webhooks/:id/secret',
    action: 'webhooks.rotate_secret',
    words: (language, endpoint) => {
      const { rotate_title: title } = WORDS[language];
      return { title, button: title, links: linksOf(language, endpoint) };
    },
    above: ({ language }, endpoint) => (
      <>
        <Url of={endpoint} />
        <p>{WORDS[language].rotate_text}</p>
      </>
    ),
    body: rotateSecretBody,
    fields: (_, { language }) => {
      const { overlap: label, overlaps } = WORDS[language];
      const options = Object.entries(overlaps).map(([value, text]) => ({ value, label: text }));
      return { overlap_seconds: { label, options, value: String(DEFAULT_OVERLAP_SECONDS) } };
    },
    send: async (dependencies, visit, { found: { id }, body: { overlap_seconds } }) => {
      const words = WORDS[visit.language];
      const rotated = await rotateSecret(dependencies, ownerOf(visit), id, overlap_seconds);
      if (!rotated.ok) return undefined;
      const secret = { kind: 'secret', label: words.secret, value: rotated.secret } as const;
      const flash = { notice: words.rotated, secret };
      return seeOther(`/webhooks/${id}`, { flash, subject: subjectOf(id) });
    },
  }),
  actionRoute({
    path: '/webhooks/:id/test',
    access: 'webhooks',
    action: 'webhooks.test',
    find: findEndpoint,
    act: async ({ db, config: { pay_url_base } }, visit, { id }) => {
      const words = WORDS[visit.language];
      const type = EVENT_TYPES.find((one) => one === visit.form.get('event_type'));
      if (type === undefined) return undefined;
      const sent = await sendTestEvent({ db, pay_url_base }, ownerOf(visit), id, type);
      if (!sent.ok && sent.error === 'not_found') return undefined;
      if (!sent.ok) {
        return seeOther(`/webhooks/${id}`, { flash: { notice: words.is_disabled, tone: 'bad' } });
      }
      const { delivery_id } = sent;
      const subject = `webhook_delivery/${delivery_id}`;
      return seeOther(`/deliveries/${delivery_id}`, { flash: { notice: words.tested }, subject });
    },
  }),
];
