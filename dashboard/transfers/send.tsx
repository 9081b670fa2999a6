// Sending money: a form, what the transfer would come to, and the order, by the same path as POST /transfers.

import { createTransferBody } from '../../api/transfers/schema';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import {
  previewTransfer,
  type TransferPreview,
  type TransferView,
} from '../../db/transfers/transfers';
import type { Currency } from '../../domain/currency';
import type { Language } from '../../domain/language';
import type { Minor } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { normalUsername } from '../../domain/username';
import { formatMoney } from '../../pages/formats';
import { sendTransfer } from '../../use-cases/transfers/send';
import { seeOther, ownerOf, type MemberVisit } from '../context';
import { draftOrder } from '../drafts';
import { formRoutes, type Faulty } from '../form-page';
import { useFrame } from '../frame';
import { aboveLimit } from '../limits/words';
import { CURRENCY_OPTIONS } from '../links/new-link';
import { Details, Money, Notice, SameBefore } from '../parts';
import { troublePage } from '../trouble';
import { WORDS } from './words';

const Simulated = ({ visit: { session, language } }: { readonly visit: MemberVisit }) =>
  session.environment === 'sandbox' ? <Notice>{WORDS[language].sandbox}</Notice> : null;

export const SEND_ROUTES = formRoutes({
  path: '/transfers/new',
  sent_to: '/transfers',
  access: 'money',
  action: 'transfers.send',
  confirmed: 'in_live',
  operation: 'transfer',
  words: (language) => {
    const { send, lead, once, many, history } = WORDS[language];
    const links = [
      { to: '/batches/new', label: many },
      { to: '/transactions?type=transfer_out', label: history },
    ];
    return { title: send, lead, button: send, note: once, links };
  },
  above: (visit) => <Simulated visit={visit} />,
  body: createTransferBody,
  fields: ({ config }, { language }) => {
    const words = WORDS[language];
    return {
      to_username: {
        label: words.to,
        fault: words.missing_recipient,
        autocomplete: 'off',
        // People write an @ before names of accounts.
        read: (text) => normalUsername(text).replace(/^@/, ''),
      },
      amount: { label: words.amount, most: config.max_transfer },
      currency: { label: words.currency, options: CURRENCY_OPTIONS, value: 'XOF' },
    };
  },
  check: {
    path: '/transfers/preview',
    show: async ({ db }, visit, { body: { to_username, currency }, amounts }) => {
      const { language } = visit;
      const words = WORDS[language];
      const owner = ownerOf(visit);
      const retry_after_seconds = await waitBeforeNaming(db, owner, [to_username]);
      if (retry_after_seconds !== undefined)
        throw new Refusal('rate_limited', { retry_after_seconds });
      const amount = amounts['amount']!;
      const preview = await previewTransfer(db, {
        sender_id: owner.user_id,
        environment: owner.environment,
        to_username,
        currency,
        amount_minor: amount,
      });
      if (preview.outcome === 'kyc_required') {
        return troublePage(language, { kind: 'identity_check' });
      }
      if (preview.outcome !== 'possible') return faultOf(language, currency, preview);
      return {
        title: words.preview,
        content: (
          <>
            <Simulated visit={visit} />
            <Preview {...{ to_username, currency, amount, preview }} />
          </>
        ),
        button: words.send_now(formatMoney(language, amount, currency)),
      };
    },
  },
  send: async (dependencies, visit, { body: { to_username, currency }, numbers }) => {
    const words = WORDS[visit.language];
    const { status, body } = await sendTransfer(dependencies, {
      ...draftOrder(visit),
      to_username,
      currency,
      amount_text: numbers.get('/amount')!,
    });
    // The response is stored for the key.
    if (status === 402) return { faults: { amount: words.insufficient_now } };
    if (status === 404) return { faults: { to_username: words.unknown_recipient } };
    const { reference, simulated } = JSON.parse(body) as TransferView;
    const notice = status === 202 ? words.is_held : simulated ? words.sent_simulated : words.sent;
    return seeOther(`/transfers/${reference}`, { flash: { notice }, subject: reference });
  },
  refused: ({ code, about, retry_after_seconds = 60 }, { language }) => {
    const words = WORDS[language];
    if (code === 'rate_limited') {
      const fault = words.unknown_limit(Math.ceil(retry_after_seconds / 60));
      return { faults: { to_username: fault }, status: 429 };
    }
    if (code === 'limit_exceeded') return { faults: { amount: aboveLimit(language, about) } };
    if (code !== 'invalid_request' || about.param !== 'to_username') return undefined;
    return { faults: { to_username: words.self } };
  },
});

function faultOf(
  language: Language,
  currency: Currency,
  { outcome, balance_minor }: TransferPreview,
): Faulty {
  const words = WORDS[language];
  switch (outcome) {
    case 'recipient_not_found':
      return { faults: { to_username: words.unknown_recipient } };
    case 'self_transfer':
      return { faults: { to_username: words.self } };
    case 'insufficient_funds': {
      const balance = formatMoney(language, balance_minor, currency);
      return { faults: { amount: words.insufficient(balance) } };
    }
    default:
      return { notice: words.frozen, status: 403 };
  }
}

function Preview({
  to_username,
  currency,
  amount,
  preview: { fee_minor, tax_minor, bearer, balance_minor, same_reference, same_at },
}: {
  readonly to_username: string;
  readonly currency: Currency;
  readonly amount: Minor;
  readonly preview: TransferPreview;
}) {
  const { language, session } = useFrame();
  const words = WORDS[language];
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const isSimulated = session?.environment === 'sandbox';
  const total = bearer === 'payer' ? amount + fee_minor : amount;
  return (
    <>
      <SameBefore reference={same_reference} at={same_at} path="/transfers" />
      <Details
        rows={[
          [words.recipient, <bdi>{to_username}</bdi>],
          [words.amount, money(amount)],
          [words.fee, money(fee_minor)],
          [words.tax, tax_minor > 0n && money(tax_minor)],
          [words.total, total > amount && money(total)],
          [words.recipient_gets, money(total - fee_minor)],
          [words.balance_now, money(balance_minor)],
          [words.balance_after, isSimulated ? words.unchanged : money(balance_minor - total)],
        ]}
      />
    </>
  );
}
