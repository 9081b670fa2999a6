// Forms and their parts. A form carries what proves that it came from a page of this session, and
// the account and environment that the page showed: a person who has switched in another tab
// changes nothing.

import { createContext, type ComponentChildren, type InputHTMLAttributes } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionRow } from '../db/people/sessions';
import { href, useFrame, type Frame } from './frame';

export const TOKEN_FIELD = 'form_token';
/** `<account>/<environment>`, as the page showed them. */
export const SHOWN_FIELD = 'shown';
export function shownOf({ account, environment }: SessionRow): string | undefined {
  return account ? `${account.user_id}/${environment}` : undefined;
}

/** The id of the order that the page is about (drafts.ts). */
export const DRAFT_FIELD = 'draft';
/** Where the form was filled in first, in a page that answers a form. */
export const PAGE_FIELD = 'page';
/** The password or code that is asked for again. */
export const PROOF_FIELD = 'confirm_proof';

interface FormProps {
  /** A path of the dashboard. */
  readonly action: string;
  readonly class?: string;
  /** The encoding of a form with a file. */
  readonly enctype?: 'multipart/form-data';
  /** The server says all that is wrong at once, where a browser would say one after the other. */
  readonly noValidate?: boolean;
  readonly children: ComponentChildren;
}

/** A list's URL may have these, which filter nothing. */
const NO_FILTERS = ['cursor', 'lang'];

/**
 * A form of a list's filters: they are in the URL, so nothing of the session is. It is folded while none is
 * set, so that a phone shows the list first.
 */
export function Filters({
  action,
  is_open = false,
  children,
}: {
  readonly action: string;
  /** Set for a list that one comes to for a search. */
  readonly is_open?: boolean;
  readonly children: ComponentChildren;
}) {
  const { path, words } = useFrame();
  const { searchParams } = new URL(path, 'http://localhost');
  const set = [...searchParams].filter(
    ([name, value]) => value !== '' && !NO_FILTERS.includes(name),
  ).length;
  return (
    <details class="filters" open={is_open || set > 0}>
      <summary class="button plain small">
        {words.filters}
        {set > 0 && ` · ${set}`}
      </summary>
      <form method="get" action={href(action)}>
        {children}
      </form>
    </details>
  );
}

function Draft() {
  const { draft } = useFrame();
  return draft === undefined ? null : <input type="hidden" name={DRAFT_FIELD} value={draft} />;
}

/** The form that a page answers comes back as it was filled in, but for its secrets, with what is wrong. */
const SentContext = createContext<Pick<Frame, 'sent' | 'faults'>>({});

export function Form({ action, children, ...rest }: FormProps) {
  const { form_token, session, page, sent, sent_to, faults } = useFrame();
  return (
    <form method="post" action={href(action)} {...rest}>
      <input type="hidden" name={TOKEN_FIELD} value={form_token} />
      {session?.account && <input type="hidden" name={SHOWN_FIELD} value={shownOf(session)} />}
      {page !== undefined && <input type="hidden" name={PAGE_FIELD} value={page} />}
      <Draft />
      <SentContext.Provider value={href(action) === sent_to ? { sent, faults } : {}}>
        {children}
      </SentContext.Provider>
    </form>
  );
}

interface LabelledProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  /** Stands behind the control. */
  readonly beside?: ComponentChildren;
}

/** A control with its label, hint and fault. Its attributes are those of `controlOf`. */
function Labelled({
  name,
  label,
  hint,
  fault,
  beside,
  children,
}: LabelledProps & { readonly children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {beside}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function controlOf({ name, hint, fault }: LabelledProps) {
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return {
    id: name,
    name,
    'aria-describedby': described || undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
    // The browser takes the first of several.
    ...(fault ? { autofocus: true } : {}),
  };
}

/** The fields as they were sent, or filled in before the session ended. */
function useFilled(): URLSearchParams | undefined {
  const { kept } = useFrame();
  return useContext(SentContext).sent ?? kept;
}

/** The fault of the field in the form that the page answers, unless the page gives another one. */
function useFault({ name, fault }: LabelledProps): string | undefined {
  const { faults } = useContext(SentContext);
  return fault ?? faults?.[name];
}

interface FieldProps extends LabelledProps {
  readonly type?: string;
  /** The media types that the file chooser offers. */
  readonly accept?: string;
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: 'decimal' | 'numeric';
  readonly autofocus?: boolean;
  readonly maxLength?: number;
  /** The label of a time that the script shows in the reader's zone; it is sent as UTC all the same. */
  readonly 'data-local'?: string;
  /** The script makes a chosen picture no larger than so many pixels a side. */
  readonly 'data-side'?: string;
}

export function Field({ name, label, hint, fault, beside, ...input }: FieldProps) {
  const labelled = { name, label, hint, beside, fault: useFault({ name, label, fault }) };
  const filled = useFilled()?.get(name) ?? undefined;
  const isSecret = input.type === 'password' || input.autocomplete === 'one-time-code';
  const value = isSecret ? input.value : (filled ?? input.value);
  const control = (
    <input
      {...(input as InputHTMLAttributes<HTMLInputElement>)}
      value={value}
      {...controlOf(labelled)}
    />
  );
  return (
    <Labelled {...labelled}>
      {input.type === 'password' ? <Shown name={name}>{control}</Shown> : control}
    </Labelled>
  );
}

/** A password with a button that shows it, which a script brings in. */
function Shown({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  const { words } = useFrame();
  return (
    <div class="shown">
      {children}
      <button
        type="button"
        class="button plain small"
        data-shows=""
        data-other={words.hide_password}
        aria-controls={name}
        hidden
      >
        {words.show_password}
      </button>
    </div>
  );
}

interface SelectProps extends LabelledProps {
  readonly value?: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function Select({ options, ...given }: SelectProps) {
  const labelled = { ...given, fault: useFault(given) };
  const value = useFilled()?.get(labelled.name) ?? labelled.value;
  return (
    <Labelled {...labelled}>
      <select {...controlOf(labelled)}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface TextAreaProps extends LabelledProps {
  readonly value?: string;
  readonly rows?: number;
  readonly required?: boolean;
  readonly maxLength?: number;
}

export function TextArea(props: TextAreaProps) {
  const { rows = 3, required, maxLength, ...given } = props;
  const labelled = { ...given, fault: useFault(given) };
  const value = useFilled()?.get(labelled.name) ?? labelled.value;
  return (
    <Labelled {...labelled}>
      <textarea {...controlOf(labelled)} rows={rows} required={required} maxLength={maxLength}>
        {value}
      </textarea>
    </Labelled>
  );
}

interface CheckboxProps {
  readonly name: string;
  readonly label: string;
  /** The default is `on`. */
  readonly value?: string;
  readonly checked?: boolean;
  readonly hint?: string | undefined;
  readonly type?: 'checkbox' | 'radio';
}

export function Checkbox({
  name,
  label,
  value = 'on',
  checked,
  hint,
  type = 'checkbox',
}: CheckboxProps) {
  const filled = useFilled();
  // Checkboxes of one name differ by their value.
  const id = value === 'on' ? name : `${name}-${value}`;
  return (
    <div class="field check">
      <label for={id}>
        <input
          type={type}
          id={id}
          name={name}
          value={value}
          checked={filled ? filled.getAll(name).includes(value) : checked}
          aria-describedby={hint ? `${id}-hint` : undefined}
        />
        {label}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Several checkboxes of one name: their values together are the field. Of `radio`s one is chosen. */
export function Checkboxes({
  name,
  label,
  options,
  checked,
  fault,
  kind = 'checkbox',
}: {
  readonly kind?: 'checkbox' | 'radio';
  readonly name: string;
  readonly label: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint?: string;
  }[];
  readonly checked: readonly string[];
  readonly fault?: string | undefined;
}) {
  return (
    <fieldset class="field checks" aria-describedby={fault ? `${name}-fault` : undefined}>
      <legend>{label}</legend>
      {options.map((option) => (
        <Checkbox
          type={kind}
          name={name}
          value={option.value}
          label={option.label}
          hint={option.hint}
          checked={checked.includes(option.value)}
        />
      ))}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}

interface ButtonProps {
  readonly children: ComponentChildren;
  /** `plain` is for what is not the page's main action, `danger` for what takes something away. */
  readonly look?: 'plain' | 'danger' | undefined;
  readonly name?: string;
  readonly value?: string;
}

export function Button({ children, look, name, value }: ButtonProps) {
  return (
    <button type="submit" class={look ? `button ${look}` : 'button'} name={name} value={value}>
      {children}
    </button>
  );
}

/** A form that is one button: it needs no page of its own. */
export function ActionButton({
  action,
  fields = {},
  look = 'plain',
  children,
}: {
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly look?: 'plain' | 'danger';
  readonly children: ComponentChildren;
}) {
  return (
    <Form action={action} class="inline">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Button look={look}>{children}</Button>
    </Form>
  );
}
