// A statement as PDF, to print or to send to an accountant. The bytes depend on the statement and the language
// only: nothing is compressed, because another release of Node.js compresses differently, and the document's
// own time is the statement's.

import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/connect';
import { EXPONENTS, type Currency } from '../../domain/currency';
import { formatCount, LOCALES, type Language } from '../../domain/language';
import { createLimit } from '../../domain/limit';
import { formatAmount, SCALE } from '../../domain/money';
import { formatMoney, formatTime } from '../../pages/formats';
import { DIRECTION_WORDS, TYPE_WORDS } from '../transactions/words';
import { readLines, type RunningLine, type Statement, type Sums } from './months';
import { readWideFont } from './wide-font';
import { WORDS } from './words';

/** Some 350 pages, more than a person reads. */
export const MAX_PDF_LINES = 10_000;

export interface PdfOptions {
  readonly username: string;
  readonly language: Language;
  readonly onError: (error: Error) => void;
}

/** Each takes this process's only thread, so there is no gain in more. Accounts take turns. */
const WRITING = createLimit({ at_once: 1, each: 1 });

type Pdf = PDFKit.PDFDocument;

const MARGIN = 40;
export const ROW = 13;
/** The width of A4 without its margins, in points. */
export const WIDTH = 595.28 - 2 * MARGIN;
const FOOT = 841.89 - MARGIN - ROW;
/** Below it no line begins: it may take two rows. */
const BOTTOM = FOOT - 2 * ROW;

/** The width of the columns from the second to the last. */
const DETAIL = WIDTH - 88;

/** The place and width of each column; the last three have numbers. */
const COLUMNS = [
  { x: 0, width: 84 },
  { x: 88, width: 217 },
  { x: 309, width: 66 },
  { x: 379, width: 66 },
  { x: 449, width: 66 },
] as const;

/** An error breaks it off, so that it does not look complete. */
export async function writeStatementPdf(
  db: Db,
  statement: Statement,
  { username, language, onError }: PdfOptions,
): Promise<Readable> {
  const title = `${WORDS[language].title} ${statement.currency} ${statement.month}`;
  const pdf = await openPdf(language, title, statement.generated_at);
  const write = async (): Promise<void> => {
    const page = startPages(pdf, language);
    writeHead(page, statement, username);
    await writeLines(page, db, statement);
    pdf.end();
  };
  WRITING.run(write, statement.owner.user_id).catch((error: unknown) =>
    pdf.destroy(error as Error),
  );
  return pdf.on('error', onError);
}

export async function openPdf(language: Language, title: string, made_at: string): Promise<Pdf> {
  // Loaded by the first one: it takes 25 MB, which most processes never need.
  const { default: PdfDocument } = await import('pdfkit');
  const info = { Title: title, CreationDate: new Date(made_at) };
  return new PdfDocument({ size: 'A4', margin: MARGIN, compress: false, lang: language, info });
}

/** The document, and how far down its page is full. */
export interface Page {
  readonly pdf: Pdf;
  readonly language: Language;
  y: number;
  number: number;
  /** A letter could not be shown. */
  is_lossy: boolean;
}

export function startPages(pdf: Pdf, language: Language): Page {
  const page = { pdf, language, y: MARGIN, number: 1, is_lossy: false };
  writeFoot(page);
  return page;
}

export function nextRow(page: Page, height = ROW): void {
  page.y += height;
  if (page.y <= BOTTOM) return;
  page.pdf.addPage();
  page.y = MARGIN;
  page.number += 1;
  writeFoot(page);
  writeColumns(page);
}

function writeFoot(page: Page): void {
  const text = WORDS[page.language].page(page.number);
  write(page, text, { x: 0, y: FOOT, width: WIDTH, align: 'right', size: 7 });
}

function writeHead(page: Page, statement: Statement, username: string): void {
  const { language } = page;
  const words = WORDS[language];
  const { currency, owner, is_closed, starts_at, ends_at, generated_at, opening_minor } = statement;
  write(page, `${words.title} · ${currency}`, {
    x: 0,
    y: page.y,
    width: WIDTH,
    size: 16,
    bold: true,
  });
  page.y += 26;
  const day = new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' });
  const first = day.format(new Date(starts_at));
  const last = new Date(Date.parse(ends_at) - 1);
  const facts = [
    `${words.account} ${username}`,
    words.period(language === 'fr' ? first.replace(/^1 /, '1er ') : first, day.format(last)),
    ...(owner.environment === 'sandbox' ? [words.test] : []),
    ...(is_closed ? [] : [words.running(formatTime(language, generated_at))]),
    `${words.opening} ${formatMoney(language, opening_minor, currency)}`,
  ];
  for (const fact of facts) {
    write(page, fact, { x: 0, y: page.y, width: WIDTH, size: 9 });
    page.y += ROW;
  }
  page.y += ROW;
}

function writeColumns(page: Page): void {
  const { at, what, credit, debit, balance } = WORDS[page.language];
  writeRow(page, [at, what, credit, debit, balance], true);
  const { pdf } = page;
  pdf
    .moveTo(MARGIN, page.y + ROW - 3)
    .lineTo(MARGIN + WIDTH, page.y + ROW - 3)
    .lineWidth(0.5)
    .stroke();
  page.y += ROW + 2;
}

async function writeLines(page: Page, db: Db, statement: Statement): Promise<void> {
  const { currency } = statement;
  const words = WORDS[page.language];
  const lines = readLines(db, statement);
  let count = 0;
  writeColumns(page);
  for (;;) {
    const { done, value } = await lines.next();
    if (done) {
      if (count === 0) writeRow(page, ['', words.none, '', '', ''], false);
      if (count > MAX_PDF_LINES) writeNote(page, words.too_many(MAX_PDF_LINES));
      if (page.is_lossy) writeNote(page, words.lossy);
      writeSums(page, value, currency);
      return;
    }
    const room = Math.max(0, MAX_PDF_LINES - count);
    for (const line of value.slice(0, room)) {
      writeRow(page, cellsOf(line, currency, page.language), false);
      writeDetail(page, line);
      nextRow(page, 2 * ROW);
      // Some milliseconds at worst: then other requests have their turn.
      await setImmediate();
      // The reader has gone.
      if (page.pdf.destroyed) return;
    }
    count += value.length;
  }
}

/** Writes what only this line has, below the row that says what it is. */
function writeDetail(page: Page, { line }: RunningLine): void {
  const text = [line.description, line.reference].filter(Boolean).join(' · ');
  write(page, text, { x: COLUMNS[1].x, y: page.y + 10, width: DETAIL, size: 7 });
}

function writeNote(page: Page, text: string): void {
  nextRow(page);
  write(page, text, { x: 0, y: page.y, width: WIDTH, size: 8 });
  nextRow(page);
}

function writeSums(page: Page, { closing_minor, totals }: Sums, currency: Currency): void {
  const { language } = page;
  const words = WORDS[language];
  nextRow(page);
  writeRow(page, ['', words.closing, '', '', figure(closing_minor, currency, language)], true);
  if (totals.length === 0) return;
  nextRow(page, 2 * ROW);
  writeRow(page, [words.totals, '', words.amount, words.fee, words.tax], true);
  for (const { type, direction, count, amount_minor, fee_minor, tax_minor } of totals) {
    nextRow(page);
    const name = `${formatCount(language, count)} × ${TYPE_WORDS[language][type]} · ${DIRECTION_WORDS[language][direction]}`;
    const amounts = [amount_minor, fee_minor, tax_minor].map((minor) =>
      figure(minor, currency, language),
    );
    writeRow(page, ['', name, ...amounts], false);
  }
}

function cellsOf(
  { line, moved_minor, balance_minor }: RunningLine,
  currency: Currency,
  language: Language,
): string[] {
  const moved = figure(moved_minor < 0n ? -moved_minor : moved_minor, currency, language);
  return [
    line.created_at.slice(0, 16).replace('T', ' '),
    [TYPE_WORDS[language][line.type], line.counterparty].filter(Boolean).join(' · '),
    moved_minor < 0n ? '' : moved,
    moved_minor < 0n ? moved : '',
    figure(balance_minor, currency, language),
  ];
}

export function writeRow(page: Page, cells: readonly string[], bold: boolean): void {
  COLUMNS.forEach(({ x, width }, index) => {
    const text = cells[index] ?? '';
    if (text === '') return;
    const align = index < 2 ? 'left' : 'right';
    write(page, text, { x, y: page.y, width, align, size: 8, bold });
  });
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly align?: 'left' | 'right';
  readonly size: number;
  readonly bold?: boolean;
}

/** One line; what does not fit ends with an ellipsis. */
export function write(
  page: Page,
  text: string,
  { x, y, width, align = 'left', size, bold }: Place,
): void {
  const { pdf } = page;
  const plain = text.normalize('NFC').replaceAll(/[\u202f\u2009]/g, '\u00a0');
  let isWide = false;
  const printable = plain.replaceAll(UNPRINTABLE, (letter) => {
    const isKnown = WIDE.test(letter);
    isWide ||= isKnown;
    page.is_lossy ||= !isKnown;
    return isKnown ? letter : '?';
  });
  if (isWide) pdf.registerFont('wide', readWideFont()).font('wide');
  else pdf.font(bold ? 'Helvetica-Bold' : 'Helvetica');
  pdf.fontSize(size);
  const shown = shorten(pdf, printable, width);
  const left = align === 'left' ? x : x + width - pdf.widthOfString(shown);
  pdf.text(shown, MARGIN + left, y, { lineBreak: false });
}

/** Searches by halves: each measuring looks at the whole text. */
function shorten(pdf: Pdf, text: string, width: number): string {
  if (pdf.widthOfString(text) <= width) return text;
  let [fits, room] = [1, text.length];
  while (room - fits > 1) {
    const length = Math.floor((fits + room) / 2);
    if (pdf.widthOfString(`${text.slice(0, length)}…`) > width) room = length;
    else fits = length;
  }
  return `${text.slice(0, fits)}…`;
}

/** Characters that the fonts of every PDF reader lack. */
const UNPRINTABLE = /[^ -~\u00a0-ÿ€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu;
/** The wide font has these: no script that is written from the right, whose letters `pdfkit` would not order. */
const WIDE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}]/u;

const FIGURES = new Map<string, Intl.NumberFormat>();

/** A number without its currency, which the page names once. */
export function figure(minor: bigint, currency: Currency, language: Language): string {
  const name = `${language} ${currency}`;
  const format =
    FIGURES.get(name) ??
    new Intl.NumberFormat(LOCALES[language], {
      minimumFractionDigits: EXPONENTS[currency],
      maximumFractionDigits: SCALE,
    });
  FIGURES.set(name, format);
  return format.format(formatAmount(minor) as `${number}`);
}
