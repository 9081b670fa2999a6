// A credit of an account's wallet: filled in, looked at once more, and carried out, or left to a second operator.
// Its reference is in the URL, so that Back, a reload and a second press credit once (use-cases/wallet-credits.ts).

import { findUserByName } from '../../db/accounts/users';
import type { UserRow } from '../../db/accounts/users';
import { listApprovalLimits, type ApprovalLimit } from '../../db/operators/approvals';
import { CURRENCIES, isCurrency } from '../../domain/currency';
import { ENVIRONMENTS } from '../../domain/environment';
import { labelled } from '../../domain/language';
import { readTypedAmount } from '../../domain/typed-amount';
import { CURRENCY_LABELS, formatMoney } from '../../pages/formats';
import { newCreditReference, postCredit } from '../../use-cases/wallet-credits';
import { AmountField } from '../amount-field';
import {
  page,
  seeOther,
  type Answer,
  type Faults,
  type Flash,
  type SignedInVisit,
} from '../context';
import { Button, Form, Select, TextArea } from '../forms';
import { useFrame } from '../frame';
import {
  AccountLink,
  asOperator,
  areYouSure,
  MAX_REASON,
  operatorForm,
  operatorPage,
  readReason,
  type OperatorDependencies,
} from './frame';
import { Details, Money, type Detail } from '../parts';
import { WORDS } from './words';

const PATH = '/operators/accounts/:username/credits';

export const CREDIT_ROUTES = [
  operatorPage(`${PATH}/new`, async ({ operator_db }, { params }) => {
    const user = await findUserByName(operator_db, params['username'] ?? '');
    if (!user) return undefined;
    return seeOther(`/operators/accounts/${user.username}/credits/${newCreditReference()}`);
  }),
  operatorPage(`${PATH}/:reference`, creditPage),
  operatorForm(`${PATH}/:reference`, async (dependencies, visit) => {
    const { form, params, language } = visit;
    const words = WORDS[language];
    const { operator_db: db } = dependencies;
    const user = await findUserByName(db, params['username'] ?? '');
    if (!user) return undefined;
    const environment = ENVIRONMENTS.find((one) => one === form.get('environment'));
    const currency = form.get('currency') ?? '';
    if (!isCurrency(currency) || environment === undefined) {
      return creditPage(dependencies, visit, { currency: words.wrong_choice });
    }
    const amount = readTypedAmount(form.get('amount') ?? '', currency, language);
    const reason = readReason(visit);
    if (!amount.ok || reason === undefined) {
      return creditPage(dependencies, visit, {
        ...(amount.ok ? {} : { amount: words.credit_amount_wrong }),
        ...(reason === undefined ? { reason: words.reason_missing } : {}),
      });
    }
    const money = formatMoney(language, amount.amount, currency);
    const reference = params['reference'] ?? '';
    const here = `/operators/accounts/${user.username}/credits/${reference}`;
    if (!form.has('sure')) {
      const limit = (await listApprovalLimits(db)).find((one) => one.currency === currency);
      const above = limit?.above_minor ?? null;
      return areYouSure(visit, {
        title: words.credit_sure(money, user.username),
        lead: above !== null && amount.amount > above ? words.credit_waits : words.credit_at_once,
        button: words.credit_do(money),
        back: here,
      });
    }
    const posted = await postCredit(asOperator(dependencies, visit), {
      reference,
      user_id: user.id,
      environment,
      currency,
      source: 'operator',
      amount_minor: amount.amount,
      reason,
    });
    if (posted.ok) {
      const notice = posted.is_repeat ? words.credit_repeated : words.credited(money);
      return seeOther(`/operators/accounts/${user.username}`, { flash: { notice } });
    }
    if ('approval' in posted) {
      const flash: Flash = { notice: words.awaits, tone: 'quiet' };
      return seeOther(`/operators/approvals/${posted.approval}`, { flash });
    }
    const flash: Flash = { notice: words.credit_refused[posted.error], tone: 'bad' };
    return seeOther(`/operators/accounts/${user.username}`, { flash });
  }),
];

async function creditPage(
  { operator_db: db }: OperatorDependencies,
  { params, language }: SignedInVisit,
  faults: Faults = {},
): Promise<Answer | undefined> {
  const words = WORDS[language];
  const user = await findUserByName(db, params['username'] ?? '');
  if (!user) return undefined;
  const limits = await listApprovalLimits(db);
  return page(
    labelled(language, words.credit, user.username),
    <>
      <CreditForm user={user} reference={params['reference'] ?? ''} />
      <h2>{words.approvals}</h2>
      <ApprovalLimits limits={limits} />
    </>,
    faults,
  );
}

function CreditForm({
  user: { username },
  reference,
}: {
  readonly user: UserRow;
  readonly reference: string;
}) {
  const words = WORDS[useFrame().language];
  return (
    <Form action={`/operators/accounts/${username}/credits/${reference}`} class="card">
      <Details
        rows={[
          [words.account, <AccountLink username={username} />],
          [words.reference, <code>{reference}</code>],
        ]}
      />
      <Select
        name="environment"
        label={words.environment}
        options={ENVIRONMENTS.map((value) => ({ value, label: words[value] }))}
      />
      <Select
        name="currency"
        label={words.currency}
        options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
      />
      <AmountField label={words.amount} />
      <TextArea
        name="reason"
        label={words.reason}
        hint={words.reason_hint}
        maxLength={MAX_REASON}
        required
      />
      <Button>{words.go_on}</Button>
    </Form>
  );
}

/** Which amounts one operator decides about alone. */
export function ApprovalLimits({ limits }: { readonly limits: readonly ApprovalLimit[] }) {
  const words = WORDS[useFrame().language];
  return (
    <>
      <p>{words.limits_lead}</p>
      <Details
        rows={limits.map(({ currency, above_minor }): Detail => [
          currency,
          above_minor === null ? (
            words.no_limit
          ) : (
            <>
              {words.above} <Money minor={above_minor} currency={currency} />
            </>
          ),
        ])}
      />
    </>
  );
}
