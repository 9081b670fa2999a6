// Orders a payout by the same path as POST /payouts, with the key that its check made.

import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/requests/idempotency';
import { isUuid } from '../../domain/ids';
import type { PayoutStatus } from '../../domain/payout';
import { Refusal } from '../../domain/refusal';
import { orderPayout } from '../../use-cases/payouts/order';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Details, Link, Money, Notice } from '../parts';
import { WORDS as TRANSACTIONS } from '../transactions/words';
import { troublePage } from '../trouble';
import { afterCheckError, recipientText } from './check';
import { formPage, frozenPage } from './form';
import { readFields, readOrder, type Order } from './order';
import { SendForm } from './send-form';
import { WORDS } from './words';

export async function send(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const key = form.get('key') ?? '';
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  const fields = readFields(form);
  const read = readOrder(visit, fields);
  if (!read.ok) return formPage(dependencies, visit, { fields, faults: read.faults });
  const { order } = read;
  const { user_id } = account;
  const { environment, login_id } = session;
  try {
    const scope = { user_id, environment, operation: 'payout', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { destination, currency, name, description, amount_text } = order;
    const { status, body } = await orderPayout(dependencies, {
      caller: { user_id, environment, ...before },
      by: { ordered_by: login_id },
      body: {
        destination,
        currency,
        name,
        description,
        // The person has seen the name.
        name_check: 'warn',
        confirm: false,
        when_closed: 'queue',
      },
      numbers: new Map([['/amount', amount_text]]),
      key,
      request_id: ctx.state.request_id,
    });
    return afterResponse(dependencies, visit, order, { status, body });
  } catch (error) {
    return afterError(dependencies, visit, { order, key }, error);
  }
}

/** Shows the response that is stored for the key, the same each time the form is sent. */
function afterResponse(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  { fields }: Order,
  response: { readonly status: number; readonly body: string },
): Answer | Promise<Answer> {
  const words = WORDS[visit.language];
  if (response.status !== 201) {
    const faults = { amount: words.faults.insufficient_now };
    return formPage(dependencies, visit, { fields, faults });
  }
  const { reference, status } = JSON.parse(response.body) as {
    readonly reference: string;
    readonly status: PayoutStatus;
  };
  const notice = status === 'requires_approval' ? words.ordered_to_approve : words.ordered;
  return seeOther(`/payouts/${reference}`, { flash: { notice }, subject: reference });
}

/** Shows an outcome that is not stored. An unknown one is asked for again with the same key. */
async function afterError(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
  { order, key }: { readonly order: Order; readonly key: string },
  error: unknown,
): Promise<Answer> {
  const { fields } = order;
  switch (error instanceof Refusal ? error.code : undefined) {
    case 'account_frozen':
      return frozenPage(visit);
    case 'idempotency_key_reuse': {
      const notice = WORDS[visit.language].reused;
      return formPage(dependencies, visit, { fields, faults: {}, notice });
    }
    case 'unavailable':
    case 'idempotency_in_progress':
      return unknownPage(visit, order, key);
    default:
      if (isDatabaseUnavailable(error)) return unknownPage(visit, order, key);
      return afterCheckError(dependencies, visit, order, error);
  }
}

function unknownPage({ language, ctx }: MemberVisit, order: Order, key: string): Answer {
  const words = WORDS[language];
  ctx.set('Retry-After', '1');
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{recipientText(order)}</bdi> },
          {
            term: TRANSACTIONS[language].amount,
            value: <Money minor={order.amount} currency={order.currency} />,
          },
        ]}
      />
      <SendForm fields={order.fields} idempotency_key={key} label={words.ask_again} />
      <p>
        <Link to="/payouts">{words.list}</Link>
      </p>
    </>,
    503,
  );
}
