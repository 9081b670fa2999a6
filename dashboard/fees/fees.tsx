// The prices that hold for an account, and its invoices.

import { findFeeInvoice, listFeeInvoices, type FeeInvoice } from '../../db/ledger/fee-invoices';
import { listPrices, type FeeRule } from '../../db/ledger/fees';
import { parseInstant } from '../../domain/instant';
import { LOCALES, type Language } from '../../domain/language';
import { pageOf } from '../../domain/page';
import { formatMoney } from '../../pages/formats';
import { INVOICE_WORDS, writeFeeInvoicePdf } from '../../use-cases/fee-invoice-pdf';
import { ownerOf, page, pageRoute } from '../context';
import { download } from '../download';
import { useFrame } from '../frame';
import { Download, Money, Pager, Table, Time } from '../parts';
import { WORDS } from './words';

const PAGE_ROWS = 25;

export const FEE_ROUTES = [
  pageRoute('/fees', 'read', async ({ db }, visit) => {
    const { language, query } = visit;
    const cursor = query.get('cursor');
    const before = cursor === null ? undefined : parseInstant(cursor);
    if (cursor !== null && before === undefined) return undefined;
    const owner = ownerOf(visit);
    const [prices, found] = await Promise.all([
      listPrices(db, owner.user_id),
      listFeeInvoices(db, { ...owner, before, limit: PAGE_ROWS + 1 }),
    ]);
    const { rows, next_cursor } = pageOf(found, PAGE_ROWS, ({ created_at }) => created_at);
    const words = WORDS[language];
    return page(
      words.title,
      <>
        <p class="lead">{words.lead}</p>
        <Prices rules={prices} />
        <Invoices rows={rows} />
        <Pager path="/fees" query={query} next_cursor={next_cursor} />
      </>,
    );
  }),
  pageRoute('/fees/:file', 'export', async (dependencies, visit) => {
    const [, number] = /^(.*)\.pdf$/.exec(visit.params['file'] ?? '') ?? [];
    const invoice = number && (await findFeeInvoice(dependencies.db, ownerOf(visit), number));
    if (!invoice) return undefined;
    const { language } = visit;
    return download(dependencies, visit, {
      name: `${invoice.number}.pdf`,
      type: 'application/pdf',
      write: (onError) => writeFeeInvoicePdf(invoice, { language, onError }),
    });
  }),
];

function Prices({ rules }: { readonly rules: readonly FeeRule[] }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const { kinds } = INVOICE_WORDS[language];
  return (
    <Table
      caption={words.prices}
      columns={[words.movement, words.price, words.borne_by]}
      rows={rules.map((rule) => [
        [
          rule.tax ? words.tax_of(kinds[rule.kind]) : kinds[rule.kind],
          rule.currency,
          rule.method,
          ...bandOf(rule, language),
          rule.user !== null && words.yours,
        ]
          .filter(Boolean)
          .join(' · '),
        priceOf(rule, language),
        rule.bearer === null ? words.with_fee : words.bearers[rule.bearer],
      ])}
    />
  );
}

function bandOf({ amount_from, amount_below, currency }: FeeRule, language: Language): string[] {
  const words = WORDS[language];
  return [
    ...(amount_from === '0.00' ? [] : [words.from(money(amount_from, currency, language))]),
    ...(amount_below === null ? [] : [words.below(money(amount_below, currency, language))]),
  ];
}

function priceOf(rule: FeeRule, language: Language): string {
  const words = WORDS[language];
  const { percent, fixed, minimum, maximum, of, currency } = rule;
  const share = new Intl.NumberFormat(LOCALES[language], {
    style: 'percent',
    maximumFractionDigits: 4,
  }).format(Number(percent) / 100);
  const parts = [
    ...(percent === '0' ? [] : [of === 'fee' ? words.of_fee(share) : share]),
    ...(fixed === '0.00' ? [] : [money(fixed, currency, language)]),
  ];
  const bounds = [
    ...(minimum === null ? [] : [words.at_least(money(minimum, currency, language))]),
    ...(maximum === null ? [] : [words.at_most(money(maximum, currency, language))]),
  ];
  if (parts.length === 0 && bounds.length === 0) return words.nothing;
  return [parts.join(' + '), ...bounds].filter(Boolean).join(', ');
}

function money(decimal: string, currency: FeeRule['currency'], language: Language): string {
  return formatMoney(language, BigInt(decimal.replace('.', '')), currency);
}

function Invoices({ rows }: { readonly rows: readonly FeeInvoice[] }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const own = INVOICE_WORDS[language];
  return (
    <Table
      caption={words.invoices}
      columns={[words.number, words.period, own.fee, own.tax, words.file]}
      rows={rows.map(({ number, period_from, period_to, fee_minor, tax_minor, currency }) => [
        <code>{number}</code>,
        <>
          <Time at={period_from} /> – <Time at={period_to} />
        </>,
        <Money minor={fee_minor} currency={currency} />,
        <Money minor={tax_minor} currency={currency} />,
        <Download to={`/fees/${number}.pdf`} label={words.pdf_of(number)}>
          PDF
        </Download>,
      ])}
    />
  );
}
