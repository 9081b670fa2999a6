// What a merchant writes about an endpoint: read, checked and shown again.

import type { JSX } from 'preact';
import { EVENT_TYPES, type EventType } from '../../domain/event';
import type { EndpointFields, RefusedUrl } from '../../use-cases/webhook-endpoints';
import { Button, Checkboxes, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Link } from '../parts';
import { WORDS } from './words';

/** The fields as the merchant wrote them. */
export interface EndpointText {
  readonly url: string;
  readonly types: readonly string[];
  readonly description: string;
  readonly max_per_second: string;
}

export type EndpointFault = RefusedUrl['reason'] | 'no_type' | 'no_rate';

const MAX_URL = 2_048;
const MAX_DESCRIPTION = 500;
const MAX_PER_SECOND = 10_000;

export function textOf(form: URLSearchParams): EndpointText {
  const text = (name: string): string => (form.get(name) ?? '').trim();
  return {
    url: text('url'),
    types: form.getAll('types'),
    description: text('description').slice(0, MAX_DESCRIPTION),
    max_per_second: text('max_per_second'),
  };
}

/** Reads all fields. The policy for URLs is asked later. */
export function readEndpoint({
  url,
  types,
  description,
  max_per_second,
}: EndpointText): Required<EndpointFields> | 'no_type' | 'no_rate' {
  const chosen = EVENT_TYPES.filter((type) => types.includes(type));
  if (chosen.length === 0) return 'no_type';
  const rate = max_per_second === '' ? null : Number(max_per_second);
  if (rate !== null && !(Number.isInteger(rate) && rate >= 1 && rate <= MAX_PER_SECOND)) {
    return 'no_rate';
  }
  const named = description === '' ? null : description;
  return { url, types: chosen as EventType[], description: named, max_per_second: rate };
}

export function EndpointForm({
  action,
  back,
  submit,
  values,
  fault,
}: {
  readonly action: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly submit: string;
  readonly values: EndpointText;
  readonly fault?: EndpointFault | undefined;
}): JSX.Element {
  const words = WORDS[useFrame().language];
  const isUrlFault = fault !== undefined && fault !== 'no_type' && fault !== 'no_rate';
  return (
    <>
      <Form action={action} class="card">
        <Field
          name="url"
          type="url"
          label={words.url}
          hint={words.url_hint}
          value={values.url}
          fault={isUrlFault ? words.url_faults[fault] : undefined}
          maxLength={MAX_URL}
          required
        />
        <Checkboxes
          name="types"
          label={words.types}
          options={EVENT_TYPES.map((type) => ({ value: type, label: type }))}
          checked={values.types}
          fault={fault === 'no_type' ? words.no_type : undefined}
        />
        <Field
          name="description"
          label={words.description}
          hint={words.description_hint}
          value={values.description}
          maxLength={MAX_DESCRIPTION}
        />
        <Field
          name="max_per_second"
          label={words.rate}
          hint={words.rate_hint}
          inputmode="numeric"
          value={values.max_per_second}
          fault={fault === 'no_rate' ? words.no_rate : undefined}
          maxLength={5}
        />
        <Button>{submit}</Button>
      </Form>
      <p>
        <Link to={back.to}>{back.label}</Link>
      </p>
    </>
  );
}
