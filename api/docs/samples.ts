// A sample program in each language for every operation of the OpenAPI document, with its example as the
// body. What stands in the path is that of the example of the resource itself.

import { PREFIX } from '../../http/prefix';
import { writeSamples, type Sample } from '../../pages/samples';
import { examples } from '../openapi';
import type { Route } from '../route';
import { ROUTES } from '../routes';

/** The page that shows them puts in the origin that it came from, and the key that it was given. */
const PLACES = { service: 'SERVICE_URL', key: 'pay_test_...' } as const;

/** Samples by method and path: `get /wallets`. */
const of: Readonly<Record<string, readonly Sample[]>> = Object.fromEntries(
  ROUTES.map((route) => [`${route.method.toLowerCase()} ${route.path}`, samplesOf(route)]),
);

export const SAMPLES = { places: PLACES, of };

function samplesOf(route: Route): readonly Sample[] {
  // `/refunds/{id}` of `/refunds/{id}/…`: a refund's own example has its id.
  const resource = route.path.slice(0, route.path.lastIndexOf('}') + 1);
  const shown = ROUTES.find(({ method, path }) => method === 'GET' && path === resource);
  const known = (examples[shown?.operation_id ?? '']?.response ?? {}) as Record<string, string>;
  const fill = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((name) => [name, known[name] ?? known['id'] ?? '']));
  return writeSamples({
    operation: route.operation_id,
    base_url: PLACES.service + PREFIX,
    key: PLACES.key,
    is_public: !route.rate,
    path: fill(Object.keys(route.path_parameters)),
    query: route.query?.required && fill(route.query.required),
    body: examples[route.operation_id]?.request,
    idempotency_key: route.idempotent && 'order-1001',
  });
}
