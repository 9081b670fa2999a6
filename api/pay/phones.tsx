// Paying by phone on the pay page: the form, and what a customer does while an attempt waits. Works without scripts.

import type { ComponentChildren } from 'preact';
import type { AttemptView } from '../../db/payment-attempts/payment-attempts';
import type { Language } from '../../domain/language';
import type { NextStep, PaymentMethod } from '../../domain/payment-attempt';
import { exampleAtHome } from '../../domain/phone';
import { formatCountry } from '../../pages/formats';
import { Badge, TextField } from './document';
import { allOf, type PhoneFields, type PhoneMethods } from './phone-form';
import { WORDS } from './words';

/** Every visitor who has the link sees it: nothing in it tells whose phone it is. */
export interface PayAttempt extends Pick<
  AttemptView,
  'id' | 'status' | 'operator_name' | 'next_step' | 'expires_at'
> {
  /** The last two digits. */
  readonly phone_end: string;
}

export interface PhonePart {
  readonly methods: PhoneMethods;
  /** The latest of the link. */
  readonly attempt: PayAttempt | undefined;
  /** One form makes one attempt, in however many tabs it is sent. */
  readonly form_id: string;
  readonly fields: PhoneFields;
  readonly faults: Readonly<Partial<Record<'phone' | 'operator' | 'otp' | 'form', string>>>;
}

interface FormProps {
  readonly part: PhonePart;
  readonly language: Language;
  readonly action: string;
  readonly heading: string;
  readonly label: string;
  readonly look: string;
}

export function PhoneForm({ part, language, action, heading, label, look }: FormProps) {
  const words = WORDS[language];
  const { methods, form_id, fields, faults } = part;
  const [beginning = ''] = methods.near.flatMap(({ prefixes }) => prefixes);
  const example = exampleAtHome(beginning);
  const is_open = allOf(methods).some(({ state }) => state !== 'closed');
  return (
    <section class="phones" aria-labelledby="phones">
      <h2 id="phones">{heading}</h2>
      {faults.form !== undefined && <Notice>{faults.form}</Notice>}
      {!is_open && <Notice>{words.all_closed}</Notice>}
      {is_open && (
        <form method="post" action={action} noValidate>
          <input type="hidden" name="form_id" value={form_id} />
          <Operators {...{ part, language }} />
          <TextField
            name="phone"
            label={words.phone}
            hint={words.phone_hint(example)}
            value={fields.phone}
            fault={faults.phone}
            type="tel"
            inputmode="tel"
            autocomplete="tel"
            autofocus={faults.phone !== undefined}
          />
          <button class={`button ${look}`.trim()} type="submit" data-busy={words.busy}>
            {label}
          </button>
        </form>
      )}
    </section>
  );
}

function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice warn" role="alert">
      {children}
    </p>
  );
}

function Operators({ part, language }: Pick<FormProps, 'part' | 'language'>) {
  const words = WORDS[language];
  const { methods, fields, faults } = part;
  const { near, far } = methods;
  const isChosen = ({ operator }: PaymentMethod) => operator === fields.operator;
  const choices = (some: readonly PaymentMethod[]) =>
    some.map((method) => <Operator {...{ method, language }} is_chosen={isChosen(method)} />);
  const note = faults.operator === undefined ? undefined : 'operator-note';
  const others = Array.from(far, ([country, some]) => (
    <fieldset class="choices" aria-describedby={note}>
      <legend>{words.operator_in(formatCountry(language, country))}</legend>
      {choices(some)}
    </fieldset>
  ));
  return (
    <div class="operators">
      {near.length > 0 && (
        <fieldset class="choices" aria-describedby={note}>
          <legend>{words.operator}</legend>
          {choices(near)}
        </fieldset>
      )}
      {near.length === 0 && others}
      {near.length > 0 && far.size > 0 && (
        <details open={Array.from(far.values()).flat().some(isChosen)}>
          <summary>{words.other_countries}</summary>
          {others}
        </details>
      )}
      {note !== undefined && (
        <p id={note} class="note fault">
          {faults.operator}
        </p>
      )}
    </div>
  );
}

interface OperatorProps {
  readonly method: PaymentMethod;
  readonly language: Language;
  readonly is_chosen: boolean;
}

function Operator({ method, language, is_chosen }: OperatorProps) {
  const { operator, name, prefixes, state } = method;
  const is_closed = state === 'closed';
  return (
    <label>
      <input
        type="radio"
        name="operator"
        value={operator}
        data-prefixes={prefixes.join(' ')}
        checked={is_chosen && !is_closed}
        disabled={is_closed}
      />{' '}
      <span>
        {name}
        {state !== 'open' && <small> {WORDS[language][`operator_${state}`]}</small>}
      </span>
    </label>
  );
}

interface StepProps {
  readonly attempt: PayAttempt;
  readonly language: Language;
  /** Where the one-time code is sent. */
  readonly action: string;
  readonly faults: PhonePart['faults'];
}

/** The customer's next step, if the operator waits for any. */
export function PhoneStep({ attempt, language, action, faults }: StepProps) {
  const words = WORDS[language];
  const { operator_name, next_step } = attempt;
  return (
    <>
      <Badge icon="busy" tone="busy" />
      <h1>{next_step ? words[`step_${next_step.kind}`] : words.processing}</h1>
      <p class="status" role="status">
        {next_step?.kind === 'otp'
          ? words.waiting_for_code(operator_name)
          : words.waiting_for(operator_name)}
      </p>
      {faults.form !== undefined && <Notice>{faults.form}</Notice>}
      {next_step && <Instructions step={next_step} {...{ language, operator_name }} />}
      {next_step?.kind === 'otp' && <OtpForm {...{ language, action, faults }} />}
      {next_step?.kind === 'redirect' && next_step.url !== null && (
        <p class="actions">
          <a class="button" href={next_step.url} rel="noreferrer">
            {words.go_to(operator_name)}
          </a>
        </p>
      )}
    </>
  );
}

interface InstructionProps {
  readonly step: NextStep;
  readonly language: Language;
  readonly operator_name: string;
}

/** In the operator's words, where it has given some. */
function Instructions({ step, language, operator_name }: InstructionProps) {
  const own = WORDS[language][`do_${step.kind}`](operator_name);
  const given = step.instructions[language];
  const lines = given.length === 0 ? [own] : given;
  const { code } = step;
  return (
    <>
      {code !== null && (
        <p class="dial">
          <a class="button plain" href={`tel:${encodeURIComponent(code)}`}>
            {code}
          </a>
        </p>
      )}
      {lines.length === 1 ? (
        <p class="about">{lines[0]}</p>
      ) : (
        <ol class="about">
          {lines.map((line) => (
            <li>{line}</li>
          ))}
        </ol>
      )}
    </>
  );
}

function OtpForm({ language, action, faults }: Omit<StepProps, 'attempt'>) {
  const words = WORDS[language];
  return (
    <form method="post" action={action} noValidate>
      <TextField
        name="otp"
        label={words.otp}
        value=""
        fault={faults.otp}
        inputmode="numeric"
        autocomplete="one-time-code"
        autofocus={faults.otp !== undefined}
      />
      <button class="button" type="submit" data-busy={words.busy}>
        {words.send_otp}
      </button>
    </form>
  );
}
