// The note that a page updates by itself. Without a script it has a link to load the page again.

import type { JSX } from 'preact';
import { href, useFrame } from './frame';
import { Link } from './parts';

/** The path of the stream that updates the page at `path` with this query. */
export function livePath(path: string, query: URLSearchParams): string {
  return `${path}/live${queryText(query)}`;
}

export function LiveNote({
  source,
  version,
  path,
  query,
}: {
  /** The stream's path in the dashboard. */
  readonly source: string;
  /** The version of the state that the page shows. */
  readonly version: string;
  readonly path: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const { words } = useFrame();
  return (
    <p class="hint" data-live={href(source)} data-version={version}>
      <span data-live-on hidden>
        {words.updates}
      </span>
      <span data-live-off>
        <Link to={`${path}${queryText(query)}`}>{words.reload}</Link>
      </span>
    </p>
  );
}

function queryText(query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
