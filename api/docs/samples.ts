// A sample program in each language for every operation of the OpenAPI document, with its example as the
// body. Names in the path are those of the example of the resource itself.

import { writeSamples, type Sample } from '../../pages/samples';
import { examples } from '../openapi';
import type { Route } from '../route';
import { ROUTES } from '../routes';

/** The page that shows them puts in the address that it came from, and the key that it was given. */
const PLACES = { base_url: 'BASE_URL', key: 'pay_test_...' } as const;

/** Samples by method and path: `get /wallets`. */
const of: Readonly<Record<string, readonly Sample[]>> = Object.fromEntries(
  ROUTES.map((route) => [`${route.method.toLowerCase()} ${route.path}`, samplesOf(route)]),
);

export const SAMPLES = { places: PLACES, of };

function samplesOf(route: Route): readonly Sample[] {
  return writeSamples({
    method: route.method,
    url: PLACES.base_url + fillPath(route),
    key: route.rate ? PLACES.key : undefined,
    idempotency_key: route.idempotent && 'order-1001',
    body: examples[route.operation_id]?.request,
  });
}

function fillPath({ path, query }: Route): string {
  // `/refunds/{id}` of `/refunds/{id}/…`: a refund's own example has its id.
  const resource = path.slice(0, path.lastIndexOf('}') + 1);
  const shown = ROUTES.find((route) => route.method === 'GET' && route.path === resource);
  const known = (examples[shown?.operation_id ?? '']?.response ?? {}) as Record<string, string>;
  const valueOf = (name: string): string => encodeURIComponent(known[name] ?? known['id'] ?? '');
  const asked = (query?.required ?? []).map((name) => `${name}=${valueOf(name)}`).join('&');
  return path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name)) + (asked && `?${asked}`);
}
