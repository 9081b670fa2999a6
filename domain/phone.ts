// Phone numbers as people paste them: with marks of direction, no-break spaces and no-break
// hyphens.

const SPACE = '\\u00a0\\u2007\\u2009\\u202f';
const HYPHEN = '\\u2010-\\u2015\\u2212';
const UNSEEN = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff';
const BETWEEN = `[ ().${SPACE}${HYPHEN}${UNSEEN}-]*`;

/** A number has 7 to 15 digits (E.164), however they are grouped. */
export const PHONE_PATTERN = `^[ ${SPACE}${UNSEEN}]*\\+(?:${BETWEEN})[1-9](?:${BETWEEN}[0-9]){6,14}${BETWEEN}$`;

/**
 * Benin put 01 before its numbers of eight digits in November 2024; people and address books still write those. None of
 * them began with a zero: such a number is a new one that lacks two digits.
 */
const OLD_BENIN = /^\+229(?=[1-9][0-9]{7}$)/;

/**
 * The `+`, for which `00` may stand, and the digits of a number. Phones are compared, stored and shown in this form:
 * how often one was rung is counted by it, so that a phone must not have two.
 */
export function plainPhone(text: string): string {
  return text
    .replace(/[^+0-9]/g, '')
    .replace(/^00/, '+')
    .replace(OLD_BENIN, '+22901');
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
