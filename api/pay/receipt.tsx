// The receipt of a payment, for the customer to print and keep. Everyone who has the link can read it, so it shows nothing
// of the customer but the operator and the last two digits of the phone that paid.

import type { Payer } from '../../db/payment-attempts/payment-attempts';
import type { Currency } from '../../domain/currency';
import { labelled, type Language } from '../../domain/language';
import type { RefundStatus } from '../../domain/refund';
import { formatMoney, formatPayer } from '../../pages/formats';
import { renderDocument, Rows, type Row } from './document';
import { merchantRows, Monogram, payeeOf, time } from './parts';
import { amountOf, logoPath, ribbonOf, type PayPageOptions, type PayPageView } from './view';
import { WORDS } from './words';

export interface ReceiptRefund {
  readonly status: RefundStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  /** ISO 8601. */
  readonly created_at: string;
}

interface ReceiptOptions extends Pick<PayPageOptions, 'language' | 'is_chosen'> {
  /** The phone that paid. */
  readonly payer?: Payer | undefined;
}

/** The payment has succeeded. */
export function renderReceipt(
  view: PayPageView,
  refunds: readonly ReceiptRefund[] = [],
  { language = 'en', is_chosen = false, payer }: ReceiptOptions = {},
): string {
  const words = WORDS[language];
  const about = view.description;
  const page = `/p/${view.short_code}`;
  const kept = is_chosen ? `?lang=${language}&stay=1` : '?stay=1';
  return renderDocument({
    language,
    other_language: `${page}/receipt?lang=${language === 'en' ? 'fr' : 'en'}`,
    title: labelled(language, words.receipt, view.reference),
    ribbon: ribbonOf(view, language),
    has_script: true,
    content: (
      <>
        <Monogram view={view} logo={logoPath(view)} />
        <h1>
          <span class="payee">{words.receipt_of(payeeOf(view))}</span>{' '}
          <span class="amount">{amountOf(view, language)}</span>
        </h1>
        <p class="status">{words.receipt_text}</p>
        <Rows
          rows={[
            { term: words.date, detail: time(view.succeeded_at!, language) },
            { term: words.amount, detail: amountOf(view, language), is_strong: true },
            ...refundedRow(view, refunds, language),
            { term: words.to, detail: payeeOf(view) },
            ...(payer ? [{ term: words.paid_with, detail: formatPayer(payer) }] : []),
            ...(about === null ? [] : [{ term: words.for, detail: <bdi>{about}</bdi> }]),
            { term: words.reference, detail: view.reference },
            ...merchantRows(view, language),
          ]}
        />
        <p class="actions screen">
          <button class="button plain" type="button" data-print hidden>
            {words.print}
          </button>
        </p>
        <p class="way-back screen">
          <a href={page + kept}>{words.back_to_payment}</a>
        </p>
      </>
    ),
  });
}

/** The sum, and below it each with its time. */
function refundedRow(
  { refunded_minor, currency }: PayPageView,
  refunds: readonly ReceiptRefund[],
  language: Language,
): readonly Row[] {
  if (refunded_minor === 0n) return [];
  const words = WORDS[language];
  const parts = refunds.map(({ status, amount_minor, currency: own, created_at }) => {
    const amount = refunds.length > 1 ? `${formatMoney(language, amount_minor, own)}, ` : '';
    const pending = status === 'pending' ? ` (${words.refund_pending})` : '';
    return (
      <>
        {`\n${amount}`}
        {time(created_at, language)}
        {pending}
      </>
    );
  });
  const sum = formatMoney(language, refunded_minor, currency);
  return [{ term: words.refunded, detail: [sum, ...parts] }];
}
