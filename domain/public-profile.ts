// What customers see of a merchant: a name, and how to reach them. Both are written by the merchant and
// shown to people who are about to pay, so nothing in them may look like something else.

export const MAX_DISPLAY_NAME = 100;
export const MAX_CONTACT = 200;

/** Bytes of a logo, as it is sent and as it is kept. */
export const MAX_LOGO_BYTES = 200 * 1_024;

// Control characters, those that change the direction of what follows, and those that are not seen: names that
// look alike would be different ones. The last two are a letter and a symbol that are blank.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u3164\u2800]/u;
/** More marks on one letter than any script has cover the lines above and below. */
const STACKED = /\p{M}{4}/u;
const LETTER = /[\p{L}\p{N}]/u;

/** As it is stored: without spaces around it. Undefined when it is no name. */
export function readDisplayName(text: string): string | undefined {
  return readLine(text, MAX_DISPLAY_NAME);
}

/** An address, a number, or both; for people to read. */
export function readContact(text: string): string | undefined {
  return readLine(text, MAX_CONTACT);
}

function readLine(text: string, limit: number): string | undefined {
  const line = text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
  if (line.length > limit || !LETTER.test(line)) return undefined;
  return INVISIBLE.test(line) || STACKED.test(line) ? undefined : line;
}
