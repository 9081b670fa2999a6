// The value of a Content-Type (RFC 9110, sections 5.6.6 and 8.3): parameters in any number, also
// empty ones.

const TOKEN = "[!#$%&'*+.^`|~\\w-]+";
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}`);
/**
 * The last group is the inside of a quoted text. A name without a value is what some clients send.
 */
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})(?:=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?)?`,
  'gy',
);
/** US-ASCII is a part of UTF-8. */
const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);

/** Whether it is this type, whatever its parameters, in a charset that is UTF-8. */
export function isUtf8Type(header: string, type: string): boolean {
  const [found = ''] = TYPE.exec(header) ?? [];
  if (found.toLowerCase() !== type) return false;
  const rest = header.slice(found.length).trimEnd();
  const parameters = [...rest.matchAll(PARAMETER)];
  const read = parameters.reduce((length, [text]) => length + text.length, 0);
  return (
    read === rest.length &&
    parameters.every(
      ([, name, token, quoted]) =>
        name?.toLowerCase() !== 'charset' ||
        UTF_8.has((token ?? quoted ?? '').replaceAll(/\\(.)/g, '$1').toLowerCase()),
    )
  );
}
