// Lines of CSV files (RFC 4180) that a spreadsheet shows and does not run.

export type Cell = string | number | null;

/** One line with its end. Null is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\n`;
}

/**
 * A cell that begins with = + - @ would be a formula in a spreadsheet, also behind white space: it gets a
 * leading apostrophe.
 */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  const safe = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
