// A sample program in each language for every operation of the OpenAPI document, with its example as the
// body. What stands in the path is that of the example of the resource itself.

import { PREFIX } from '../../http/prefix';
import { writeSamples, type Sample } from '../../pages/samples';
import { examples } from '../openapi';
import type { Route } from '../route';
import { ROUTES } from '../routes';

/** The reference puts in the service's address, and its script the key that it was given. */
export const PLACES = { service: 'SERVICE_URL', key: 'pay_test_...' } as const;

export function samplesOf(route: Route): readonly Sample[] {
  const fill = fillOf(route);
  return writeSamples({
    operation: route.operation_id,
    base_url: PLACES.service + PREFIX,
    key: PLACES.key,
    is_public: !route.rate,
    path: fill(Object.keys(route.path_parameters)),
    query: route.query?.required && queryOf(route, route.query.required),
    body: examples[route.operation_id]?.request,
    idempotency_key: route.idempotent && 'order-1001',
  });
}

/** The example's response says what was asked for. */
function queryOf(
  { operation_id }: Route,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const told = (examples[operation_id]?.response ?? {}) as Record<string, string | number>;
  return Object.fromEntries(names.map((name) => [name, String(told[name] ?? '')]));
}

/** The path as a program has it. */
export function shownPath(route: Route): string {
  const values = fillOf(route)(Object.keys(route.path_parameters));
  return PREFIX + route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The values of parameters, from the example of the resource that the path names. */
function fillOf(route: Route): (names: readonly string[]) => Readonly<Record<string, string>> {
  // `/refunds/{id}` of `/refunds/{id}/…`: a refund's own example has its id.
  const resource = route.path.slice(0, route.path.lastIndexOf('}') + 1);
  const shown = ROUTES.find(({ method, path }) => method === 'GET' && path === resource);
  const known = (examples[shown?.operation_id ?? '']?.response ?? {}) as Record<string, string>;
  return (names) =>
    Object.fromEntries(names.map((name) => [name, known[name] ?? known['id'] ?? '']));
}
