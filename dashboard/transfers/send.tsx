// Sends a transfer by the same path as POST /transfers, with the key that its preview made.

import { Refusal } from '../../domain/refusal';
import { sendTransfer } from '../../use-cases/transfers/send';
import { isDatabaseUnavailable } from '../../db/errors';
import { readBeforeOperation } from '../../db/requests/idempotency';
import type { TransferView } from '../../domain/transfer';
import { isUuid } from '../../domain/ids';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Details, Link, Money, Notice } from '../parts';
import { troublePage } from '../trouble';
import { formPage, frozenPage } from './form';
import { isOrder, readFields, readOrder, type Fields, type Order } from './order';
import { SendForm } from './send-form';
import { WORDS } from './words';

export async function send(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, form, ctx } = visit;
  const fields = readFields(form);
  const key = form.get('key') ?? '';
  const order = readOrder(dependencies, visit, fields);
  if (!isUuid(key)) return troublePage(language, { kind: 'form' });
  if (!isOrder(order)) return formPage(visit, fields, order, { status: 422 });
  const { user_id, username } = account;
  const { environment } = session;
  try {
    const scope = { user_id, environment, operation: 'transfer', key } as const;
    const before = await readBeforeOperation(dependencies.db, scope);
    const { status, body } = await sendTransfer(dependencies, {
      sender: { user_id, username, environment, ...before },
      ...order,
      key,
      has_own_key: true,
      request_id: ctx.state.request_id,
    });
    return afterResponse(visit, fields, status, body);
  } catch (error) {
    return afterError(visit, { fields, order, key }, error);
  }
}

/** Shows the response that is stored for the key, the same each time the form is sent. */
function afterResponse(visit: MemberVisit, fields: Fields, status: number, body: string): Answer {
  const words = WORDS[visit.language];
  if (status === 200) {
    const { reference, simulated } = JSON.parse(body) as Pick<
      TransferView,
      'reference' | 'simulated'
    >;
    const notice = simulated ? words.sent_simulated : words.sent;
    return seeOther(`/transfers/${reference}`, { flash: { notice }, subject: reference });
  }
  const faults =
    status === 402 ? { amount: words.insufficient_now } : { to_username: words.unknown_recipient };
  return formPage(visit, fields, faults, { status: 422 });
}

interface SentForm {
  readonly fields: Fields;
  readonly order: Order;
  readonly key: string;
}

/** Shows an outcome that is not stored. An unknown one is asked for again with the same key. */
function afterError(visit: MemberVisit, { fields, order, key }: SentForm, error: unknown): Answer {
  const words = WORDS[visit.language];
  const code = error instanceof Refusal ? error.code : undefined;
  switch (code) {
    case 'account_frozen':
      return frozenPage(visit.language);
    case 'idempotency_key_reuse':
      return formPage(visit, fields, {}, { status: 422, notice: words.reused });
    case 'invalid_request':
      return (error as Refusal).about.param === 'to_username'
        ? formPage(visit, fields, { to_username: words.self }, { status: 422 })
        : formPage(visit, fields, { amount: words.recipient_full }, { status: 422 });
    case 'rate_limited': {
      const seconds = (error as Refusal).retry_after_seconds ?? 60;
      visit.ctx.set('Retry-After', String(seconds));
      const minutes = Math.ceil(seconds / 60);
      const fault = words.unknown_limit(minutes);
      return formPage(visit, fields, { to_username: fault }, { status: 429 });
    }
    case 'unavailable':
    case 'idempotency_in_progress':
      return unknownPage(visit, order, key);
    default:
      if (isDatabaseUnavailable(error)) return unknownPage(visit, order, key);
      throw error;
  }
}

function unknownPage({ language, ctx }: MemberVisit, order: Order, key: string): Answer {
  const words = WORDS[language];
  ctx.set('Retry-After', '1');
  const { to_username, currency, amount } = order;
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{to_username}</bdi> },
          { term: words.amount, value: <Money minor={amount} currency={currency} /> },
        ]}
      />
      <SendForm order={order} idempotency_key={key} label={words.ask_again} />
      <p>
        <Link to="/transactions?type=transfer_out">{words.history}</Link>
      </p>
    </>,
    503,
  );
}
