// Orders a payout, to a phone or to a bank account: a form, what the operator says of it, and the order, by the same path
// as POST /payouts.

import { createPayoutBody, destinationFields } from '../../api/payouts/schema';
import type { PayoutLimitName } from '../../db/payouts/payouts';
import { previewPayout, type PayoutPreview } from '../../db/payouts/settings';
import { readAccount } from '../../domain/bank-account';
import type { Currency } from '../../domain/currency';
import type { Decimal } from '../../domain/json';
import type { Language } from '../../domain/language';
import type { LimitName } from '../../domain/limits';
import { MAX_MINOR, type Minor } from '../../domain/money';
import { possibleOperators, type PayoutStatus } from '../../domain/payout';
import { callingCodeOf, formatPhone, isDecimal, readPhone } from '../../domain/phone';
import { Refusal } from '../../domain/refusal';
import { TEST_PHONES } from '../../domain/test-phones';
import { formatMoney } from '../../pages/formats';
import { phoneFaultText } from '../../pages/phone-faults';
import { checkDestination, type DestinationCheck } from '../../use-cases/payouts/check';
import {
  columnsOf,
  listOperators,
  readDestination,
  type DestinationFields,
} from '../../use-cases/payouts/destination';
import { orderPayout } from '../../use-cases/payouts/order';
import {
  seeOther,
  type DashboardDependencies,
  type MemberVisit,
  type Faults,
  ownerOf,
} from '../context';
import { draftOrder } from '../drafts';
import type { Read, Shape } from '../form-fields';
import { formRoutes } from '../form-page';
import { useFrame } from '../frame';
import { LIMIT_WORDS } from '../limits/words';
import { CURRENCY_OPTIONS } from '../links/new-link';
import { LIST_WORDS } from '../list-words';
import { Details, Link, Money, Notice, SameBefore, ownText } from '../parts';
import { troublePage } from '../trouble';
import { operatorName, operatorOptions } from './operator';
import { MEANING_WORDS, WORDS } from './words';

const { amount, currency, description } = createPayoutBody.properties;
const [toPhone, toBank] = destinationFields.oneOf;
const { account, bank_code, name } = toBank.properties;

/** The parts of the API's body by their names in the form. */
const PAYOUT = {
  type: 'object',
  required: ['type', 'amount', 'currency'],
  properties: {
    type: { type: 'string', enum: ['mobile_money', 'bank'] },
    // People leave the code of their country out.
    phone: { type: 'string', maxLength: 32 },
    operator: toPhone.properties.operator,
    account,
    bank_code,
    name,
    amount,
    currency,
    description,
  },
} as const;

const fieldsIn = ({ ctx, form, query }: MemberVisit) => (ctx.method === 'POST' ? form : query);
/** The order judges it: its provider may not tell its operators now. */
const chosenOperator = (visit: MemberVisit): readonly string[] =>
  [fieldsIn(visit).get('operator')?.trim() ?? ''].filter((name) => name !== '');
const isToBank = (visit: MemberVisit): boolean => fieldsIn(visit).get('type') === 'bank';

interface Order {
  readonly destination: DestinationFields;
  /** The name to compare with, where it is not the holder's. */
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly currency: Currency;
  readonly amount: Minor;
  readonly amount_text: string;
}

function orderOf(
  { language, account: { country } }: MemberVisit,
  { body, amounts, numbers }: Read<typeof PAYOUT>,
): Order | { readonly faults: Faults } {
  const words = WORDS[language].faults;
  const order = {
    description: body.description,
    currency: body.currency,
    amount: amounts['amount']!,
    amount_text: numbers.get('/amount')!,
  };
  if (body.type === 'bank') {
    const read = readAccount(body.account ?? '');
    const holder = body.name;
    const is_code_decimal = isDecimal(body.bank_code ?? '');
    if (read.ok && holder !== undefined && !is_code_decimal) {
      const { account: typed = '' } = body;
      const destination = {
        type: 'bank',
        account: typed,
        name: holder,
        bank_code: body.bank_code,
      } as const;
      return { ...order, destination, name: undefined };
    }
    const decimal = phoneFaultText(language, { fault: 'as_decimal' }, '');
    const fault = read.ok ? undefined : read.fault;
    return {
      faults: {
        ...(fault ? { account: fault === 'as_decimal' ? decimal : words[fault] } : {}),
        ...(is_code_decimal ? { bank_code: decimal } : {}),
        ...(holder === undefined ? { name: words.holder } : {}),
      },
    };
  }
  const number = readPhone(body.phone ?? '', callingCodeOf(country));
  if (!number.ok) return { faults: { phone: phoneFaultText(language, number, words.phone) } };
  const destination = {
    type: 'mobile_money',
    phone: number.phone,
    operator: body.operator,
  } as const;
  return { ...order, destination, name: body.name };
}

export const SEND_ROUTES = formRoutes({
  path: '/payouts/new',
  sent_to: '/payouts',
  access: 'money',
  action: 'payouts.send',
  confirmed: 'in_live',
  operation: 'payout',
  words: (language) => {
    const { make: title, once: note, list: label } = WORDS[language];
    return { title, button: title, note, links: [{ to: '/payouts', label }] };
  },
  above: (visit) => (
    <>
      <Kinds isBank={isToBank(visit)} />
      {visit.session.environment === 'sandbox' && <TestNumbers />}
    </>
  ),
  body: PAYOUT,
  fields: async (dependencies, visit, _, use) => {
    const { language, session, account: owner } = visit;
    const words = WORDS[language];
    const text = (label: string, hint?: string): Shape => ({ label, hint, autocomplete: 'off' });
    const isBank = isToBank(visit);
    const operators =
      isBank || use === 'read'
        ? chosenOperator(visit)
        : await listOperators(dependencies, session.environment);
    if (operators === 'not_configured') return words.not_configured;
    return {
      type: { label: '', type: 'hidden', value: isBank ? 'bank' : 'mobile_money' },
      ...(isBank
        ? {
            account: { ...text(words.account), fault: words.faults.account },
            bank_code: text(words.bank_code),
            name: text(words.holder, words.name_hint),
          }
        : {
            phone: {
              ...text(
                words.phone,
                callingCodeOf(owner.country) ? words.phone_hint : words.faults.phone,
              ),
              type: 'tel' as const,
            },
            operator: {
              label: words.operator,
              hint: words.operator_hint,
              options: [
                { value: '', label: words.by_number },
                ...operatorOptions(language, operators, owner.country),
              ],
            },
            name: text(words.name_optional, words.name_hint),
          }),
      amount: { label: LIST_WORDS[language].amount, most: MAX_MINOR },
      currency: { label: LIST_WORDS[language].currency, options: CURRENCY_OPTIONS, value: 'XOF' },
      description: text(words.description, words.description_hint),
    };
  },
  check: {
    path: '/payouts/check',
    show: async (dependencies, visit, read) => {
      const order = orderOf(visit, read);
      if ('faults' in order) return order;
      const caller = ownerOf(visit);
      const checked = await checkDestination(dependencies, caller, order, order.amount_text);
      const preview = await previewPayout(dependencies.db, {
        ...caller,
        currency: order.currency,
        amount_minor: order.amount.toString(),
        ...columnsOf(readDestination(order.destination)),
        operator: checked.operator,
      });
      if (preview.held_by === 'account_frozen') throw new Refusal('account_frozen');
      if (preview.held_by !== null) return troublePage(visit.language, { kind: 'identity_check' });
      const faults = {
        ...(await whichOperator(dependencies, visit, order, checked)),
        ...faultsOf(visit, order, checked, preview),
      };
      if (Object.keys(faults).length > 0) return { faults };
      return shownCheck(visit, order, checked, preview);
    },
  },
  send: async (dependencies, visit, read) => {
    const words = WORDS[visit.language];
    const order = orderOf(visit, read);
    if ('faults' in order) return order;
    const { amount_text, amount: _, ...body } = order;
    const response = await orderPayout(dependencies, {
      ...draftOrder(visit),
      // The person has seen the name.
      body: { ...body, name_check: 'warn', confirm: true, when_closed: 'queue' },
      numbers: new Map([['/amount', amount_text]]),
    });
    // It is stored for the key.
    if (response.status !== 201) return { faults: { amount: words.faults.insufficient_now } };
    const { reference, status } = JSON.parse(response.body) as {
      readonly reference: string;
      readonly status: PayoutStatus;
    };
    const notice =
      status === 'held'
        ? MEANING_WORDS[visit.language].held
        : status === 'requires_approval'
          ? words.ordered_to_approve
          : words.ordered;
    return seeOther(`/payouts/${reference}`, { flash: { notice }, subject: reference });
  },
  refused: ({ code, about, retry_after_seconds = 60 }, visit) => {
    const { language } = visit;
    const words = WORDS[language].faults;
    const field = isToBank(visit) ? 'account' : 'phone';
    const details = about.details as Readonly<Record<string, Decimal>>;
    const money = (of: string): string => {
      const { text } = details[of]!;
      const in_currency = fieldsIn(visit).get('currency') as Currency;
      return formatMoney(language, BigInt(text.replace('.', '')), in_currency);
    };
    switch (code) {
      case 'unsupported_destination':
        return { faults: { [field]: words.unsupported } };
      case 'amount_out_of_bounds':
        return { faults: { amount: words.bounds(money('minimum'), money('maximum')) } };
      case 'limit_exceeded': {
        const { limit } = about.details as { readonly limit: PayoutLimitName | 'key_daily' };
        return {
          faults: { amount: aboveLimit(language, limit, money('maximum'), money('used')) },
        };
      }
      case 'rate_limited': {
        const fault = words.unknown_limit(Math.ceil(retry_after_seconds / 60));
        return { faults: { [field]: fault }, status: 429 };
      }
      case 'unavailable':
        return { notice: words.no_answer, status: 503 };
      default:
        return undefined;
    }
  },
});

function Kinds({ isBank }: { readonly isBank: boolean }) {
  const words = WORDS[useFrame().language];
  return (
    <nav class="tabs" aria-label={words.recipient}>
      <Link to="/payouts/new" current={!isBank}>
        {words.to_phone}
      </Link>
      <Link to="/payouts/new?type=bank" current={isBank}>
        {words.to_bank}
      </Link>
    </nav>
  );
}

function TestNumbers() {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <details>
      <summary>{words.test_numbers}</summary>
      <p>{words.test_numbers_text}</p>
      <ul>
        {TEST_PHONES.map((one) => (
          <li>
            <code>…{one.digits}</code> {one[language]}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The person says it where the number's prefix does not. */
async function whichOperator(
  dependencies: DashboardDependencies,
  { language, session }: MemberVisit,
  { destination: to }: Order,
  { operator }: DestinationCheck,
): Promise<Faults | undefined> {
  if (to.type === 'bank' || to.operator !== undefined || operator === null) return undefined;
  const all = await listOperators(dependencies, session.environment);
  const possible = all === 'not_configured' ? [] : possibleOperators(operator, all);
  const [one = '', other] = possible.map((code) => operatorName(language, code).replace(/,.*/, ''));
  return other === undefined ? undefined : { operator: WORDS[language].faults.which(one, other) };
}

function faultsOf(
  visit: MemberVisit,
  { currency: of, amount: minor }: Order,
  { payable }: DestinationCheck,
  { balance_minor, fee_minor, limit_name, maximum_minor, used_minor }: PayoutPreview,
): Faults | undefined {
  const words = WORDS[visit.language].faults;
  const money = (one: bigint): string => formatMoney(visit.language, one, of);
  if (!payable) return { [isToBank(visit) ? 'account' : 'phone']: words.unpayable };
  if (limit_name !== null) {
    return {
      amount: aboveLimit(visit.language, limit_name, money(maximum_minor!), money(used_minor!)),
    };
  }
  const total = minor + fee_minor;
  return total > balance_minor
    ? { amount: words.insufficient(money(total), money(balance_minor)) }
    : undefined;
}

/** The limit is one of the owners for payouts, of the account, or of a key. */
function aboveLimit(
  language: Language,
  limit: PayoutLimitName | 'key_daily',
  maximum: string,
  used: string,
): string {
  const of_owners = WORDS[language].faults.limit;
  const words = LIMIT_WORDS[language];
  if (limit === 'key_daily') return words.above_key;
  return limit in of_owners
    ? of_owners[limit as keyof typeof of_owners](maximum, used)
    : words.above(words.names[limit as LimitName], used, maximum);
}

const NAME_TONES = { match: 'good', close: 'warn', no_match: 'bad', unavailable: 'quiet' } as const;

function shownCheck(
  { language, account: owner }: MemberVisit,
  { destination: to, name: given, description: reason, currency: of, amount: minor }: Order,
  { operator, name_found, name_match, bounds, state }: DestinationCheck,
  { balance_minor, fee_minor, tax_minor, approvals_needed, same_reference, same_at }: PayoutPreview,
) {
  const words = WORDS[language];
  const money = (one: bigint) => <Money minor={one} currency={of} />;
  const text = (one: bigint): string => formatMoney(language, one, of);
  const total = minor + fee_minor;
  const isBank = to.type === 'bank';
  const isOther = name_match === 'no_match' || name_match === 'close';
  const label = approvals_needed > 0 ? words.ask_for : isOther ? words.send_anyway : words.send_now;
  return {
    title: words.check,
    button: label(text(minor)),
    look: name_match === 'no_match' ? ('danger' as const) : undefined,
    content: (
      <>
        <SameBefore reference={same_reference} at={same_at} path="/payouts" />
        {state !== 'open' && <Notice tone="warn">{words.states[state]}</Notice>}
        {name_match !== null && (
          <Notice tone={NAME_TONES[name_match]}>{words.names[name_match]}</Notice>
        )}
        {approvals_needed > 0 && <Notice>{words.needs_approval(approvals_needed)}</Notice>}
        <Details
          rows={[
            [words.recipient, ownText(isBank ? to.account : formatPhone(to.phone, owner.country))],
            [words.operator, ownText(operator && operatorName(language, operator))],
            [words.bank_code_shown, ownText(isBank ? to.bank_code : null)],
            [words.name_given, ownText(isBank ? to.name : given)],
            [words.name_found, ownText(name_found)],
            [words.gets, money(minor)],
            [words.fee, money(fee_minor)],
            [words.tax, tax_minor > 0n && money(tax_minor)],
            [words.total, <strong>{money(total)}</strong>],
            [words.balance_after, money(balance_minor - total)],
            [words.description_shown, ownText(reason)],
            [words.bounds, words.between(text(bounds.minimum), text(bounds.maximum))],
          ]}
        />
      </>
    ),
  };
}
