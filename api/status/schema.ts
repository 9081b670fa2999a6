// GET /health and GET /status (specification, section 4).

import { part, response, timestamp } from '../schemas';

export const healthResponse = response('Health', {
  service: { type: 'string', maxLength: 64 },
  version: { type: 'string', const: 'v1' },
  time: timestamp,
});

const component = {
  title: 'ComponentStatus',
  type: 'string',
  enum: ['operational', 'degraded'],
} as const;

export const statusResponse = response('ServiceStatus', {
  status: component,
  components: part('Components', { postgres: component, temporal: component }),
});
