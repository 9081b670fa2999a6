// A value as text, to search it for what must not be there.

/** Everything in it, bytes as text in the given encoding. */
export function textOf(
  value: unknown,
  encoding: 'utf8' | 'latin1' = 'utf8',
  seen = new Set<unknown>(),
): string {
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString(encoding);
  }
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`;
  if (seen.has(value)) return '';
  seen.add(value);
  return Object.entries(value)
    .map(([name, field]) => `${name} ${textOf(field, encoding, seen)}`)
    .join('\n');
}
