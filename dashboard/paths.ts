// The paths of pages, as links and redirects have them: below `/dashboard`.

import type { HttpContext } from '../http/context';
import { BASE_PATH } from './frame';

/** The path of this request with its query. */
export function pathHere(ctx: HttpContext): string {
  return (ctx.path.slice(BASE_PATH.length) || '/') + ctx.search;
}

/** The same page with other parameters; null takes one away. */
export function pathWith(path: string, params: Readonly<Record<string, string | null>>): string {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  for (const [name, value] of Object.entries(params)) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  const query = searchParams.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
