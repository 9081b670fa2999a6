// The one place that reads a URL that may be none. `URL.canParse` is refused by the linter: Node 20
// and 22 answer `false` for every address with a letter like é once V8 has optimized its callers.

/** Returns `undefined` when it is no absolute URL. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // It is no URL.
    return undefined;
  }
}

/** Names of this machine, as `URL` spells them. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads a URL that a browser or an HTTP client can open: `http:` or `https:`, and no other scheme.
 */
export function parseWebUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
