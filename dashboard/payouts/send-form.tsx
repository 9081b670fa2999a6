// The button that sends: an order with its idempotency key.

import type { JSX } from 'preact';
import { Button, Form } from '../forms';
import type { Fields } from './order';

export function SendForm({
  fields,
  idempotency_key,
  label,
  look,
}: {
  readonly fields: Fields;
  readonly idempotency_key: string;
  readonly label: string;
  readonly look?: 'danger' | undefined;
}): JSX.Element {
  return (
    <Form action="/payouts">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name="key" value={idempotency_key} />
      <Button look={look}>{label}</Button>
    </Form>
  );
}
