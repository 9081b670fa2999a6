// The button that sends: an order with its idempotency key.

import type { JSX } from 'preact';
import { Button, Form } from '../forms';
import type { Order } from './order';

export function SendForm({
  order: { to_username, currency, amount_text },
  idempotency_key,
  label,
}: {
  readonly order: Order;
  readonly idempotency_key: string;
  readonly label: string;
}): JSX.Element {
  return (
    <Form action="/transfers">
      <input type="hidden" name="to_username" value={to_username} />
      <input type="hidden" name="currency" value={currency} />
      <input type="hidden" name="amount" value={amount_text} />
      <input type="hidden" name="key" value={idempotency_key} />
      <Button>{label}</Button>
    </Form>
  );
}
