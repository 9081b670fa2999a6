// GET /health and GET /status (specification, section 4).

import { resource, response, timestamp } from '../schemas';

export const healthResponse = response({
  service: { type: 'string', maxLength: 64 },
  version: { type: 'string', const: 'v1' },
  time: timestamp,
});

const component = { type: 'string', enum: ['operational', 'degraded'] } as const;

export const statusResponse = response({
  status: component,
  components: resource({ postgres: component, temporal: component }),
});
