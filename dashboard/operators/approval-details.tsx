// A request for a second operator in words: its subject, and each argument of what will be done with a label.

import type { Approval } from '../../db/operators/approvals';
import type { JsonValue } from '../../domain/json';
import type { Language } from '../../domain/language';
import { Link, Money, type Detail } from '../parts';
import { APPROVAL_WORDS, SETTING_LABELS } from './approval-words';
import { PAYOUT_WORDS } from './payout-words';
import { WORDS } from './words';

/** The subject's name, or a link to its page. */
export function subjectRow(language: Language, approval: Approval): Detail {
  const words = WORDS[language];
  const { action, subject } = approval;
  const name = subject.slice(subject.indexOf('/') + 1);
  switch (action) {
    case 'wallets.credit':
      return [words.reference, name];
    case 'refunds.create':
      return [words.payment, name];
    case 'refunds.fail':
      return [words.refund, name];
    case 'payouts.settle':
      return [
        words.payout,
        <Link to={`/operators/payouts/${approval.arguments['payout'] as string}`}>{name}</Link>,
      ];
    case 'losses.settle':
      return [APPROVAL_WORDS[language].loss, name];
    default:
      // That of a setting is its name.
      if (!action.startsWith('suspense.')) return [words.subject, name];
      return [words.subject, <Link to={`/operators/${subject}`}>{words.suspense}</Link>];
  }
}

/** A credit's source, a closing's payment outside, what was seen at a gateway. */
export function argumentRows(language: Language, approval: Approval): Detail[] {
  const words = WORDS[language];
  const { action, arguments: given } = approval;
  const is_unmade = action === 'refunds.fail' || typeof given['unmade_order'] === 'number';
  return [
    ...Object.entries(given).map(([name, value]) => argumentRow(language, approval, name, value)),
    [
      words.gateway,
      is_unmade && typeof given['gateway_refund'] !== 'string' && words.gateway_made_none,
    ],
  ];
}

function argumentRow(
  language: Language,
  { action, currency, amount_minor }: Approval,
  name: string,
  value: JsonValue,
): Detail {
  const words = WORDS[language];
  const own = APPROVAL_WORDS[language];
  const payout = PAYOUT_WORDS[language];
  if (value === null) return [name, null];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  switch (name) {
    // The account, the money, the reason and the subject have rows of their own.
    case 'user_id':
    case 'environment':
    case 'currency':
    case 'reason':
    case 'failure':
    case 'item':
    case 'refund':
    case 'payout':
    case 'intent_id':
    // A refund's other arguments say no more, and an order is named by its refund.
    case 'id':
    case 'request_id':
    case 'fingerprint':
    case 'refusals':
    case 'metadata':
    case 'unmade_order':
    // Where an event's link leads.
    case 'pay_url_base':
    // The database has it sealed.
    case 'sealed_secret':
      return [name, null];
    case 'source':
      return [
        own.source,
        text === 'operator' || text === 'sandbox_source' ? own.sources[text] : text,
      ];
    case 'reference':
      return [words.refund, action === 'refunds.create' && text];
    case 'closes_intent':
      return [words.intent, value === true && own.closes_link];
    case 'payment_reference':
      return [own.paid_back, text];
    case 'gateway_refund':
      return [words.gateway, words.gateway_has(text)];
    case 'is_paid':
      return [words.outcome, value === true ? payout.paid : payout.not_paid];
    case 'provider_payment':
      return [payout.provider_payment, text];
    case 'idempotency_key':
      return [own.key, text];
    case 'amount_minor': {
      // A loss may be below zero, which the amount above does not show.
      const minor = BigInt(text);
      return [
        words.difference,
        minor !== amount_minor && currency && <Money minor={minor} currency={currency} />,
      ];
    }
    default:
      return [SETTING_LABELS[language][name] ?? name, text];
  }
}
