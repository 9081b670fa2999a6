// Text of one line. Formats of operators and banks break on line breaks, and nobody sees what else steers a printer.

/** For schemas: no control characters. */
export const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const LINE = new RegExp(LINE_PATTERN);

export const isLine = (text: string): boolean => LINE.test(text);

/** Line breaks and tabs, which a cell of a spreadsheet may have, become blanks. */
export function onOneLine(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').trim();
}
