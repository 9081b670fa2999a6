// What the operator says of a payout, before it is sent. The idempotency key is made here and carried in the form,
// so that a second click, a reload and "ask again" are the same payout.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { previewPayout, type PayoutPreview } from '../../db/payouts/settings';
import { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';
import { checkDestination, type DestinationCheck } from '../../use-cases/payouts/check';
import { columnsOf, readDestination } from '../../use-cases/payouts/destination';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice } from '../parts';
import { troublePage } from '../trouble';
import { formPage, frozenPage } from './form';
import { operatorName } from './operator';
import { readFields, readOrder, type Faults, type Order } from './order';
import { SendForm } from './send-form';
import { WORDS } from './words';

/** It counts recipients that do not exist, which a link on another site must not: so it takes POST. */
export async function check(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language } = visit;
  if (account.is_frozen) return frozenPage(visit);
  const fields = readFields(visit.form);
  const read = readOrder(visit, fields);
  if (!read.ok) return formPage(dependencies, visit, { fields, faults: read.faults });
  const { order } = read;
  const { user_id } = account;
  const { environment } = session;
  let checked: DestinationCheck;
  try {
    checked = await checkDestination(
      dependencies,
      { user_id, environment },
      order,
      order.amount_text,
    );
  } catch (error) {
    return afterCheckError(dependencies, visit, order, error);
  }
  const preview = await previewPayout(dependencies.db, {
    user_id,
    environment,
    currency: order.currency,
    amount_minor: order.amount.toString(),
    ...columnsOf(readDestination(order.destination)),
  });
  if (preview.held_by === 'account_frozen') return frozenPage(visit);
  if (preview.held_by !== null) return troublePage(language, { kind: 'identity_check' });
  const faults = faultsOf(visit, order, checked, preview);
  if (faults) return formPage(dependencies, visit, { fields, faults });
  return page(
    WORDS[language].check,
    <Checked order={order} checked={checked} preview={preview} idempotency_key={randomUUID()} />,
  );
}

/** Where the destination is typed. */
export function destinationField({ fields }: Order): 'phone' | 'account' {
  return fields.type === 'bank' ? 'account' : 'phone';
}

/** What the operator or the service says of the order, beside its field. @throws what is no such answer */
export async function afterCheckError(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  order: Order,
  error: unknown,
): Promise<Answer> {
  const { language, ctx } = visit;
  const words = WORDS[language].faults;
  const { fields, currency } = order;
  const wrong = (faults: Faults, status = 422): Promise<Answer> =>
    formPage(dependencies, visit, { fields, faults, status });
  if (!(error instanceof Refusal)) throw error;
  const money = (text: unknown): string =>
    formatMoney(language, BigInt(String(text).replace('.', '')), currency);
  switch (error.code) {
    case 'payouts_not_configured':
      return formPage(dependencies, visit, { fields, faults: {}, status: 503 });
    case 'unsupported_destination':
      return wrong({ [destinationField(order)]: words.unsupported });
    case 'amount_out_of_bounds': {
      const { minimum, maximum } = error.about.details as Readonly<Record<string, string>>;
      return wrong({ amount: words.bounds(money(minimum), money(maximum)) });
    }
    case 'limit_exceeded': {
      const { limit, maximum, used } = error.about.details as Readonly<Record<string, string>>;
      const word = words.limit[limit as keyof typeof words.limit];
      return wrong({ amount: word(money(maximum), money(used)) });
    }
    case 'rate_limited': {
      const seconds = error.retry_after_seconds ?? 60;
      ctx.set('Retry-After', String(seconds));
      const fault = words.unknown_limit(Math.ceil(seconds / 60));
      return wrong({ [destinationField(order)]: fault }, 429);
    }
    case 'unavailable':
      ctx.set('Retry-After', '1');
      return formPage(dependencies, visit, {
        fields,
        faults: {},
        notice: words.no_answer,
        status: 503,
      });
    default:
      throw error;
  }
}

function faultsOf(
  { language }: MemberVisit,
  order: Order,
  { payable }: DestinationCheck,
  { balance_minor, fee_minor, limit_name, maximum_minor, used_minor }: PayoutPreview,
): Faults | undefined {
  const words = WORDS[language].faults;
  const money = (minor: bigint): string => formatMoney(language, minor, order.currency);
  if (!payable) return { [destinationField(order)]: words.unpayable };
  if (limit_name !== null) {
    return { amount: words.limit[limit_name](money(maximum_minor!), money(used_minor!)) };
  }
  const total = order.amount + fee_minor;
  return total > balance_minor
    ? { amount: words.insufficient(money(total), money(balance_minor)) }
    : undefined;
}

/** Where it goes, as the form has it. */
export function recipientText({ fields, destination }: Order): string {
  return destination.type === 'bank' ? fields.account : destination.phone;
}

function Checked({
  order,
  checked,
  preview: { balance_minor, fee_minor, approvals_needed },
  idempotency_key,
}: {
  readonly order: Order;
  readonly checked: DestinationCheck;
  readonly preview: PayoutPreview;
  readonly idempotency_key: string;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  const { fields, currency, amount } = order;
  const { operator, name_found, name_match, bounds, state } = checked;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const text = (minor: bigint): string => formatMoney(language, minor, currency);
  const total = amount + fee_minor;
  const isOther = name_match === 'no_match' || name_match === 'close';
  const label = approvals_needed > 0 ? words.ask_for : isOther ? words.send_anyway : words.send_now;
  return (
    <>
      {state !== 'open' && <Notice tone="warn">{words.states[state]}</Notice>}
      {name_match !== null && (
        <Notice tone={NAME_TONES[name_match]}>{words.names[name_match]}</Notice>
      )}
      {approvals_needed > 0 && <Notice>{words.needs_approval(approvals_needed)}</Notice>}
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{recipientText(order)}</bdi> },
          ...(operator === null
            ? []
            : [{ term: words.operator, value: operatorName(language, operator) }]),
          ...(fields.bank_code === ''
            ? []
            : [{ term: words.bank_code_shown, value: <bdi>{fields.bank_code}</bdi> }]),
          ...(fields.name === ''
            ? []
            : [{ term: words.name_given, value: <bdi>{fields.name}</bdi> }]),
          ...(name_found === null
            ? []
            : [{ term: words.name_found, value: <bdi>{name_found}</bdi> }]),
          { term: words.gets, value: money(amount) },
          { term: words.fee, value: money(fee_minor) },
          { term: words.total, value: <strong>{money(total)}</strong> },
          { term: words.balance_after, value: money(balance_minor - total) },
          {
            term: words.bounds,
            value: words.between(text(bounds.minimum), text(bounds.maximum)),
          },
        ]}
      />
      <SendForm
        fields={fields}
        idempotency_key={idempotency_key}
        label={label(text(amount))}
        look={name_match === 'no_match' ? 'danger' : undefined}
      />
      <p class="hint">{words.once}</p>
      <p>
        <Link to={`/payouts/new?${new URLSearchParams(fields)}`}>{words.change}</Link>
      </p>
    </>
  );
}

const NAME_TONES = { match: 'good', close: 'warn', no_match: 'bad', unavailable: 'quiet' } as const;
