// Customers see this of a merchant: a name, and how to reach them. Both are written by the merchant
// and shown to people who are about to pay, so nothing in them may look like something else.

export const MAX_DISPLAY_NAME = 100;
export const MAX_CONTACT = 200;

/** The most bytes of a logo, both as it is sent and as it is kept. */
export const MAX_LOGO_BYTES = 200 * 1_024;

// Control characters, characters that change the direction of what follows, and unseen ones would
// make different names look alike. The last two are a letter and a symbol that are blank.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u3164\u2800]/u;
/** More marks on one letter than any script has cover the lines above and below. */
const STACKED = /\p{M}{4}/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Whole emoji: within one, a joiner or a variation selector is part of its picture. */
const EMOJI = new RegExp('\\p{RGI_Emoji}', 'gv');

/** Returns the name without spaces around it; undefined when it is none. */
export function readDisplayName(text: string): string | undefined {
  return readLine(text, MAX_DISPLAY_NAME);
}

/** Returns an address, a number, or both, for people to read; undefined when it is none. */
export function readContact(text: string): string | undefined {
  return readLine(text, MAX_CONTACT);
}

function readLine(text: string, limit: number): string | undefined {
  // Spaces around it, and accents of their own. The normal form of a longer text would take seconds.
  if (text.length > 8 * limit) return undefined;
  const line = text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
  const text_alone = line.replace(EMOJI, ' ');
  if (line.length > limit || !LETTER.test(text_alone)) return undefined;
  return INVISIBLE.test(text_alone) || STACKED.test(text_alone) ? undefined : line;
}
