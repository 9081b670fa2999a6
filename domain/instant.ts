// ISO 8601 instants with microseconds, which the cursor needs: a `Date` has milliseconds only.

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+\- ])(\d\d):?(\d\d)))?$/;

/**
 * Normalises an ISO instant (or a date, meaning its first moment in UTC) to
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Digits finer than a microsecond round up, so that "before this
 * instant" keeps its meaning. Undefined when the text is no instant of the years 1 to 9999.
 */
export function parseInstant(text: string): string | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = ''] = match;
  const [, , , , , , , , sign, offsetHours = '00', offsetMinutes = '00'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  const at = Date.parse(local);
  // Date.parse rolls 31 February over to March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== local.slice(0, 10)) {
    return undefined;
  }
  // An unescaped "+" in a query string arrives as a space.
  const direction = sign === '-' ? 1 : -1;
  const offset = direction * (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const micros = Math.ceil(Number(fraction.padEnd(9, '0')) / 1000);
  const carried = at + offset + Math.floor(micros / 1_000_000) * 1000;
  const result = new Date(carried).toISOString();
  if (!/^\d{4}-/.test(result) || result < '0001') return undefined;
  return `${result.slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** The instant so many whole seconds later, with all its digits. */
export function laterBy(at: string, seconds: number): string {
  const [second, rest] = [at.slice(0, 19), at.slice(19)];
  return new Date(Date.parse(`${second}Z`) + seconds * 1_000).toISOString().slice(0, 19) + rest;
}

/**
 * Returns the first instant that one with lost digits of its fraction cannot have been: for that of
 * a `Date`, a millisecond later. Returns undefined when no digit is missing, and for a date.
 */
export function endOfTruncated(text: string): string | undefined {
  const second = INSTANT.exec(text)?.[6];
  const fraction = INSTANT.exec(text)?.[7] ?? '';
  if (second === undefined || fraction.length >= 6) return undefined;
  const at = 'YYYY-MM-DDTHH:MM:SS'.length;
  const zone = text.slice(at).replace(/^[.,]\d+/, '');
  return parseInstant(`${text.slice(0, at)}.${fraction.padEnd(9, '9')}${zone}`);
}
