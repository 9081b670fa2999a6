// The fields of a form. Their bounds are those of a body of the API, whose schema the form reads: what it does not
// allow is said beside the field, and what was typed stays.

import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { ComponentChildren } from 'preact';
import { FORMATS } from '../api/schemas';
import type { Currency } from '../domain/currency';
import type { Language } from '../domain/language';
import type { Minor } from '../domain/money';
import { readAmountField } from '../pages/amounts';
import { AmountField } from './amount-field';
import type { Faults } from './context';
import { FORM_WORDS } from './form-words';
import { Checkbox, Checkboxes, Field, Select, TextArea } from './forms';

/** The part of a schema that forms read. */
export interface BodySchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A field as its page shows it. The schema has its kind and its bounds. */
export interface Shape {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Stands before it, such as the heading of a part. */
  readonly before?: ComponentChildren;
  /** Stands in it before something else was typed; several where several boxes are ticked. */
  readonly value?: string | readonly string[] | undefined;
  readonly options?: Parameters<typeof Checkboxes>[0]['options'];
  /** The words for what is wrong, instead of those that all forms have. */
  readonly fault?: string;
  /** The most that an amount may be, with `currency` where the form has no field for it. */
  readonly most?: Minor | Readonly<Record<Currency, Minor>>;
  readonly currency?: Currency;
  /** The field has several lines. */
  readonly rows?: number;
  /** Undefined where the text has no meaning. */
  readonly read?: (text: string) => unknown;
  /** It is on the second screen. */
  readonly more?: true;
  readonly type?: 'url' | 'tel' | 'datetime-local' | 'hidden';
  readonly autocomplete?: string;
  readonly 'data-local'?: string;
}

export type Shapes = Readonly<Record<string, Shape>>;

export interface Read<S extends BodySchema> {
  readonly body: S extends JSONSchema ? FromSchema<S> : never;
  /** Source texts of the body's amounts, by JSON pointer, and what they come to, by name. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly amounts: Readonly<Record<string, Minor | undefined>>;
  /** The fields that the form of the next step carries on. */
  readonly texts: URLSearchParams;
}

type Kind = 'boxes' | 'box' | 'amount' | 'count' | 'text';

function kindOf({ type }: Readonly<Record<string, unknown>>): Kind {
  const [first] = [type].flat();
  if (first === 'array') return 'boxes';
  if (first === 'boolean') return 'box';
  if (first === 'number') return 'amount';
  return first === 'integer' ? 'count' : 'text';
}

export function readFields<S extends BodySchema>(
  language: Language,
  schema: S,
  shapes: Shapes,
  source: URLSearchParams,
): Read<S> | { readonly faults: Faults } {
  const faults: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  const amounts: Record<string, Minor> = {};
  const numbers = new Map<string, string>();
  const texts = new URLSearchParams();
  for (const [name, shape] of Object.entries(shapes)) {
    const property = schema.properties[name]!;
    const text = typedText(source.get(name), shape);
    const given = source.getAll(name);
    const kind = kindOf(property);
    if (kind === 'box') body[name] = given.length > 0;
    if (kind === 'boxes') {
      body[name] = shape.options!.map(({ value }) => value).filter((one) => given.includes(one));
    }
    if (kind === 'box' || kind === 'boxes') {
      for (const one of given) texts.append(name, one);
      continue;
    }
    texts.set(name, text);
    if (text === '') {
      if ([property['type']].flat().includes('null')) body[name] = null;
      continue;
    }
    if (shape.options && !shape.options.some(({ value }) => value === text)) {
      faults[name] = FORM_WORDS[language].wrong_choice;
    }
    if (kind !== 'amount') {
      body[name] = kind === 'count' ? countOf(text) : shape.read ? shape.read(text) : text;
      if (body[name] === undefined) faults[name] = shape.fault ?? FORM_WORDS[language].wrong;
      continue;
    }
    const currency = shape.currency ?? source.get('currency') ?? '';
    if (property['minimum'] === 0 && /^0+$/.test(text)) {
      [body[name], amounts[name]] = [0, 0n as Minor];
      continue;
    }
    const read = readAmountField(language, { amount: text, currency }, shape.most!);
    if (!read.ok) {
      faults[read.param === 'amount' ? name : 'currency'] = read.fault;
      continue;
    }
    body[name] = Number(read.text);
    amounts[name] = read.amount;
    numbers.set(`/${name}`, read.text);
    texts.set(name, read.text);
  }
  const isValid = validatorOf(schema);
  for (const error of isValid(body) ? [] : isValid.errors!) {
    const missing: unknown = error.params['missingProperty'];
    const name = error.instancePath.split('/')[1] ?? String(missing);
    faults[name] ??= faultText(language, error, shapes[name]!, schema.properties[name]!);
  }
  if (Object.keys(faults).length > 0) return { faults };
  return { body: body as Read<S>['body'], numbers, amounts, texts };
}

/** A browser sends one line, and no other character that steers a printer. */
function typedText(text: string | null, { rows }: Shape): string {
  return (rows ? (text ?? '') : (text ?? '').replace(/\p{Cc}+/gu, ' ')).trim();
}

/** A text that is no count is refused as one. */
function countOf(text: string): number | string {
  const digits = text.replace(/\s/g, '');
  return /^\d{1,9}$/.test(digits) ? Number(digits) : text;
}

const ajv = new Ajv2020({
  allErrors: true,
  useDefaults: true,
  strict: true,
  allowUnionTypes: true,
  formats: {
    uuid: true,
    'idn-email': FORMATS['idn-email'].is,
    'country-code': FORMATS['country-code'].is,
  },
});
const compiled = new WeakMap<BodySchema, ValidateFunction>();

function validatorOf(schema: BodySchema): ValidateFunction {
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  return known;
}

function faultText(
  language: Language,
  { keyword, params }: ErrorObject,
  { fault, options }: Shape,
  property: Readonly<Record<string, unknown>>,
): string {
  const words = FORM_WORDS[language];
  if (fault !== undefined) return fault;
  const kind = kindOf(property);
  if (kind === 'boxes') return words.none_chosen;
  if (options) return words.wrong_choice;
  if (keyword === 'maxLength') return words.too_long(Number(params['limit']));
  if (keyword === 'required' || keyword === 'minLength') return words.missing;
  if (kind === 'count') {
    return words.no_count(Number(property['minimum']), Number(property['maximum']));
  }
  if (keyword === 'format') return words.no_email;
  return keyword === 'pattern' ? words.no_phone : words.wrong;
}

interface ControlsProps {
  readonly schema: BodySchema;
  readonly shapes: Shapes;
  readonly source: URLSearchParams;
  /** The form was sent: a field that is not in `source` was left empty. */
  readonly is_sent: boolean;
  readonly faults: Faults;
  /** Opens the fields of the second screen. */
  readonly more: string;
}

export function Controls({ shapes, faults, more, ...rest }: ControlsProps) {
  const second = Object.keys(shapes).filter((name) => shapes[name]!.more);
  const control = (name: string) => (
    <Control {...rest} name={name} shape={shapes[name]!} fault={faults[name]} />
  );
  return (
    <>
      {Object.keys(shapes)
        .filter((name) => !second.includes(name))
        .map(control)}
      {second.length > 0 && (
        <details open={second.some((name) => faults[name] !== undefined)}>
          <summary>{more}</summary>
          {second.map(control)}
        </details>
      )}
    </>
  );
}

function Control({
  schema: { properties, required = [] },
  source,
  is_sent,
  name,
  shape: { before, value: preset, most: _most, read: _read, more: _more, ...shown },
  fault,
}: Omit<ControlsProps, 'shapes' | 'faults' | 'more'> & {
  readonly name: string;
  readonly shape: Shape;
  readonly fault: string | undefined;
}) {
  const property = properties[name]!;
  const kind = kindOf(property);
  const given = is_sent || source.has(name) ? source.getAll(name) : [preset ?? []].flat();
  const value = given[0] ?? '';
  const { options, rows, currency, fault: _fault, ...control } = shown;
  const about = { ...control, name, value, fault, required: required.includes(name) };
  if (control.type === 'hidden') return <input type="hidden" name={name} value={value} />;
  const maxLength = property['maxLength'] as number | undefined;
  return (
    <>
      {before}
      {kind === 'boxes' ? (
        <Checkboxes {...about} options={options!} checked={given} />
      ) : kind === 'box' ? (
        <Checkbox
          name={name}
          label={control.label}
          hint={control.hint}
          checked={given.length > 0}
        />
      ) : kind === 'amount' ? (
        <AmountField {...about} {...(currency ? { currency } : {})} />
      ) : options ? (
        <Select
          name={name}
          label={control.label}
          hint={control.hint}
          {...{ value, fault, options }}
        />
      ) : rows ? (
        <TextArea {...about} rows={rows} maxLength={maxLength!} />
      ) : (
        <Field
          {...about}
          {...(property['format'] === 'idn-email' ? { type: 'email' } : {})}
          {...(kind === 'count' ? { inputmode: 'numeric', autocomplete: 'off' } : {})}
          maxLength={kind === 'count' ? 9 : maxLength!}
        />
      )}
    </>
  );
}
