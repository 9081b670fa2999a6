// What a transfer would come to, before it is sent. The idempotency key is made here and carried in
// the form, so that a second click, a reload and "ask again" are the same transfer.

import { randomUUID } from 'node:crypto';
import type { JSX } from 'preact';
import { waitBeforeNaming } from '../../db/transfers/recipients';
import { previewTransfer, type TransferPreview } from '../../db/transfers/transfers';
import type { Currency } from '../../domain/currency';
import { formatMoney } from '../../pages/formats';
import { page, type Answer, type DashboardDependencies, type MemberVisit } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Money, Notice } from '../parts';
import { formPage, frozenPage } from './form';
import { isOrder, readFields, readOrder, type Faults, type Fields, type Order } from './order';
import { SendForm } from './send-form';
import { troublePage } from '../trouble';
import { WORDS } from './words';

/**
 * The preview counts unknown usernames, which a link on another site must not: so it takes POST.
 */
export async function preview(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language, ctx } = visit;
  const fields = readFields(visit.form);
  const order = readOrder(dependencies, visit, fields);
  if (!isOrder(order)) return formPage(visit, fields, order, { status: 422 });
  const owner = { user_id: account.user_id, environment: session.environment };
  const wait = await waitBeforeNaming(dependencies.db, owner, [order.to_username]);
  if (wait !== undefined) {
    ctx.set('Retry-After', String(wait));
    const fault = WORDS[language].unknown_limit(Math.ceil(wait / 60));
    return formPage(visit, fields, { to_username: fault }, { status: 429 });
  }
  const found = await previewTransfer(dependencies.db, {
    sender_id: account.user_id,
    environment: session.environment,
    to_username: order.to_username,
    currency: order.currency,
    amount_minor: order.amount,
  });
  if (found.outcome === 'possible') {
    return page(
      WORDS[language].preview,
      <Preview order={order} preview={found} idempotency_key={randomUUID()} />,
    );
  }
  return refuse(visit, fields, found);
}

function refuse(
  visit: MemberVisit,
  fields: Fields,
  { outcome, balance_minor }: TransferPreview,
): Answer {
  const { language } = visit;
  const words = WORDS[language];
  const wrong = (faults: Faults) => formPage(visit, fields, faults, { status: 422 });
  switch (outcome) {
    case 'recipient_not_found':
      return wrong({ to_username: words.unknown_recipient });
    case 'self_transfer':
      return wrong({ to_username: words.self });
    case 'insufficient_funds': {
      const balance = formatMoney(language, balance_minor, fields.currency as Currency);
      return wrong({ amount: words.insufficient(balance) });
    }
    case 'kyc_required':
      return troublePage(language, { kind: 'identity_check' });
    case 'possible':
    case 'account_frozen':
      return frozenPage(language);
  }
}

function Preview({
  order,
  preview: { fee_minor, balance_minor },
  idempotency_key,
}: {
  readonly order: Order;
  readonly preview: TransferPreview;
  readonly idempotency_key: string;
}): JSX.Element {
  const { language, session } = useFrame();
  const words = WORDS[language];
  const { to_username, currency, amount, amount_text } = order;
  const money = (minor: bigint) => <Money minor={minor} currency={currency} />;
  const isSimulated = session?.environment === 'sandbox';
  const change = new URLSearchParams({ to_username, currency, amount: amount_text });
  return (
    <>
      {isSimulated && <Notice>{words.sandbox}</Notice>}
      <Details
        rows={[
          { term: words.recipient, value: <bdi>{to_username}</bdi> },
          { term: words.amount, value: money(amount) },
          { term: words.fee, value: money(fee_minor) },
          { term: words.recipient_gets, value: money(amount - fee_minor) },
          { term: words.balance_now, value: money(balance_minor) },
          {
            term: words.balance_after,
            value: isSimulated ? words.unchanged : money(balance_minor - amount),
          },
        ]}
      />
      <SendForm
        order={order}
        idempotency_key={idempotency_key}
        label={words.send_now(formatMoney(language, amount, currency))}
      />
      <p class="hint">{words.once}</p>
      <p>
        <Link to={`/transfers/new?${change}`}>{words.change}</Link>
      </p>
    </>
  );
}
