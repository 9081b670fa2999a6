// Sending all deliveries of a period again, such as after an outage of the receiver.

import { resendWebhooksBody } from '../../api/webhook-resends/schema';
import { EVENT_TYPES } from '../../domain/event';
import { parseInstant } from '../../domain/instant';
import { RESENT_STATUSES, resendRange, UNDELIVERED } from '../../use-cases/webhook-deliveries';
import { seeOther, ownerOf } from '../context';
import { formRoutes } from '../form-page';
import { findEndpoint } from './find';
import { WORDS } from './words';

const { status, type, created_from, created_to } = resendWebhooksBody.properties;
const RANGE = {
  type: 'object',
  required: ['statuses', 'types'],
  properties: {
    statuses: status.anyOf[1],
    types: { type: 'array', minItems: 1, items: type },
    created_from,
    created_to,
  },
} as const;

export const RESEND_ROUTES = formRoutes({
  path: '/webhooks/:id/resend',
  access: 'webhooks',
  action: 'webhooks.resend_range',
  find: findEndpoint,
  words: (language, { id }) => {
    const {
      resend_title: title,
      resend_lead: lead,
      resend_now: button,
      endpoint,
    } = WORDS[language];
    return { title, lead, button, links: [{ to: `/webhooks/${id}`, label: endpoint }] };
  },
  body: RANGE,
  fields: (_, { language }) => {
    const words = WORDS[language];
    const time = {
      type: 'datetime-local',
      autocomplete: 'off',
      fault: words.no_time,
      // The field knows no zone; it is in UTC.
      read: (text: string) => parseInstant(`${text}Z`),
    } as const;
    return {
      statuses: {
        label: words.statuses,
        options: RESENT_STATUSES.map((value) => ({
          value,
          label: words.delivery_statuses[value],
        })),
        value: UNDELIVERED,
      },
      types: {
        label: words.types,
        options: EVENT_TYPES.map((value) => ({ value, label: value })),
        value: EVENT_TYPES,
      },
      created_from: { ...time, label: words.from, 'data-local': words.from_local },
      created_to: { ...time, label: words.to, 'data-local': words.to_local },
    };
  },
  send: async (dependencies, visit, { found: { id }, body: range }) => {
    const words = WORDS[visit.language];
    const { created_from: from, created_to: to } = range;
    if (from && to && from >= to) return { faults: { created_to: words.empty_range } };
    const begun = await resendRange(dependencies.db, ownerOf(visit), id, range);
    if (begun.ok) {
      const subject = `webhook_resend/${begun.resend.id}`;
      return seeOther(`/webhooks/${id}`, { flash: { notice: words.resend_begun }, subject });
    }
    if (begun.error === 'endpoint_not_found') return undefined;
    const notice = begun.error === 'disabled' ? words.is_disabled : words.resend_waits;
    return seeOther(`/webhooks/${id}`, { flash: { notice, tone: 'bad' } });
  },
});
