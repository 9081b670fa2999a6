// GET /health and GET /status (specification, section 4).

import { ok, timestamp } from '../schemas';

export const healthResponse = {
  type: 'object',
  required: ['ok', 'service', 'version', 'time'],
  additionalProperties: false,
  properties: {
    ok,
    service: { type: 'string', maxLength: 64 },
    version: { type: 'string', const: 'v1' },
    time: timestamp,
  },
} as const;

const component = { type: 'string', enum: ['operational', 'degraded'] } as const;

export const statusResponse = {
  type: 'object',
  required: ['ok', 'status', 'components'],
  additionalProperties: false,
  properties: {
    ok,
    status: component,
    components: {
      type: 'object',
      required: ['postgres', 'temporal'],
      additionalProperties: false,
      properties: { postgres: component, temporal: component },
    },
  },
} as const;
