// An invoice of fees as PDF. The bytes depend on the invoice and the language only.

import type { Readable } from 'node:stream';
import type { FeeInvoice, FeeInvoiceBody } from '../db/ledger/fee-invoices';
import { formatCount, translate, type Language } from '../domain/language';
import { VOCABULARY } from '../domain/vocabulary';
import { formatTime } from '../pages/formats';
import {
  figure,
  nextRow,
  openPdf,
  ROW,
  startPages,
  WIDTH,
  write,
  writeRow,
} from './statements/pdf';

export const INVOICE_WORDS = translate({
  ...VOCABULARY,
  invoice: ['Invoice of fees', 'Facture de frais'],
  issued: [(at: string) => `Issued ${at}`, (at) => `Émise le ${at}`],
  by: [(issuer: string) => `By ${issuer}`, (issuer) => `Par ${issuer}`],
  to: [(name: string) => `To ${name}`, (name) => `À ${name}`],
  period: [
    (from: string, to: string) => `From ${from} to ${to}`,
    (from, to) => `Du ${from} au ${to}`,
  ],
  test: ['Test mode: no real money', 'Mode test : aucun argent réel'],
  volume: ['Volume', 'Volume'],
  all: ['In all', 'En tout'],
  settled: [
    'Settled: the fees were taken when they arose.',
    'Acquittée : les frais ont été prélevés au fur et à mesure.',
  ],
  kinds: {
    transfer: ['Transfers', 'Transferts'],
    payment_intent: ['Payments', 'Paiements'],
    payout: ['Payouts', 'Envois'],
  },
});

export async function writeFeeInvoicePdf(
  { number, environment, currency, period_from, period_to, fee_minor, tax_minor, json }: FeeInvoice,
  { language, onError }: { readonly language: Language; readonly onError: (error: Error) => void },
): Promise<Readable> {
  const words = INVOICE_WORDS[language];
  const { issuer, issued_at, account, lines } = JSON.parse(json) as FeeInvoiceBody;
  const pdf = (await openPdf(language, `${words.invoice} ${number}`, issued_at)).on(
    'error',
    onError,
  );
  const page = startPages(pdf, language);
  const at = (instant: string) => formatTime(language, instant);
  write(page, `${words.invoice} ${number}`, {
    x: 0,
    y: page.y,
    width: WIDTH,
    size: 16,
    bold: true,
  });
  page.y += 26;
  const { username, display_name, country } = account;
  const facts = [
    words.by(issuer),
    words.to(`${[display_name, username].filter(Boolean).join(' · ')} (${country})`),
    words.period(at(period_from), at(period_to)),
    words.issued(at(issued_at)),
    ...(environment === 'sandbox' ? [words.test] : []),
  ];
  for (const fact of facts) {
    write(page, fact, { x: 0, y: page.y, width: WIDTH, size: 9 });
    page.y += ROW;
  }
  page.y += ROW;
  const money = (minor: bigint) => figure(minor, currency, language);
  // Amounts of an invoice are sums: they may have more digits than a number keeps cents of.
  const read = (amount: number) => money(BigInt(Math.round(amount * 100)));
  writeRow(page, [currency, '', words.volume, words.fee, words.tax], true);
  for (const { kind, method, count, volume, fee, tax } of lines) {
    nextRow(page);
    const name = [words.kinds[kind], method].filter(Boolean).join(' · ');
    const cells = [volume, fee, tax].map(read);
    writeRow(page, ['', `${formatCount(language, count)} × ${name}`, ...cells], false);
  }
  nextRow(page, 2 * ROW);
  writeRow(page, [words.all, '', '', money(fee_minor), money(tax_minor)], true);
  nextRow(page, 2 * ROW);
  write(page, words.settled, { x: 0, y: page.y, width: WIDTH, size: 9 });
  pdf.end();
  return pdf;
}
