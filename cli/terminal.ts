// Writes to a terminal. Texts from outside (names, descriptions, a receiver's response) must not steer it, fake a line,
// or show in another order than they are.

// Control characters (C0 and C1: U+009B begins an escape sequence in some terminals), line
// separators, and those that change the direction of text.
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes a text one line that cannot steer the terminal. */
export function printable(text: string): string {
  return text.replace(STEERING, '�');
}

/** Keeps the lines of a text that the command has put together itself. */
export function printableLines(text: string): string {
  return text.replace(STEERING, (character) => (character === '\n' ? character : '�'));
}

/**
 * JSON has the same value afterwards: such characters are only in its texts, where they are
 * escaped.
 */
export function printableJson(json: string): string {
  return json.replace(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
