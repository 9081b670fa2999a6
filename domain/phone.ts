// Phone numbers as people paste them: with marks of direction, no-break spaces and no-break
// hyphens.

const SPACE = '\\u00a0\\u2007\\u2009\\u202f';
const HYPHEN = '\\u2010-\\u2015\\u2212';
const UNSEEN = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff';
const BETWEEN = `[ ().${SPACE}${HYPHEN}${UNSEEN}-]*`;

/** A number has 7 to 15 digits (E.164), however they are grouped. */
export const PHONE_PATTERN = `^[ ${SPACE}${UNSEEN}]*\\+(?:${BETWEEN})[1-9](?:${BETWEEN}[0-9]){6,14}${BETWEEN}$`;

/** The `+` and the digits of a number, without what groups them. */
export function plainPhone(text: string): string {
  return text.replace(/[^+0-9]/g, '');
}

/**
 * Writes a number of that pattern in the same groups, with plain spaces and hyphens and nothing
 * unseen.
 */
export function cleanPhone(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .trim();
}
