// The event that tells a merchant how an intent ended: rendered once, and signed and sent as these
// bytes.

import type { Environment } from './environment';
import { renderJson, type JsonValue } from './json';

export const EVENT_TYPES = ['payment.succeeded', 'payment.failed', 'payment.expired'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventContent {
  readonly id: string;
  readonly type: EventType;
  /** When the change happened. */
  readonly created_at: string;
  readonly environment: Environment;
  /** Without gaps per account and environment, in the order of the changes. */
  readonly sequence: bigint;
  /** For trying an endpoint: nothing has happened. Its sequence is 0. */
  readonly is_test?: boolean;
  /** The intent, as GET showed it at that moment. */
  readonly data: Readonly<Record<string, JsonValue>>;
}

export function renderEvent({
  id,
  type,
  created_at,
  environment,
  sequence,
  is_test = false,
  data,
}: EventContent): string {
  return renderJson({
    id,
    type,
    api_version: 'v1',
    created_at,
    environment,
    sequence: Number(sequence),
    test: is_test ? true : undefined,
    data,
  });
}
