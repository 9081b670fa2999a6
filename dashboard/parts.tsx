// Parts that many pages are made of.

import type { ComponentChildren } from 'preact';
import type { Currency } from '../domain/currency';
import { labelled } from '../domain/language';
import { mayDo } from '../domain/members';
import { formatPhone } from '../domain/phone';
import { formatExactTime, formatMoney, formatTime } from '../pages/formats';
import type { Sample } from '../pages/samples';
import { href, useFrame } from './frame';

/** A time in the reader's language; the script turns it into the reader's time zone. */
export function Time({
  at,
  exact = false,
}: {
  readonly at: string | Date;
  /** Shows seconds. */
  readonly exact?: boolean;
}) {
  const { language } = useFrame();
  return (
    <time datetime={new Date(at).toISOString()} data-exact={exact ? '' : undefined}>
      {exact ? formatExactTime(language, at) : formatTime(language, at)}
    </time>
  );
}

export function Money({
  minor,
  currency,
}: {
  readonly minor: bigint;
  readonly currency: Currency;
}) {
  const { language } = useFrame();
  return <span class="money">{formatMoney(language, minor, currency)}</span>;
}

/** The button is hidden until a script shows it. */
function CopyButton({
  text,
  label,
}: {
  readonly text: string;
  /** Names the text for screen readers. */
  readonly label: string;
}) {
  const { language, words } = useFrame();
  return (
    <button
      type="button"
      class="button plain small"
      data-copy={text}
      data-copied={words.copied}
      aria-label={labelled(language, words.copy, label)}
      hidden
    >
      {words.copy}
    </button>
  );
}

/** A name that people pass on, such as a reference, with a button that copies it. */
export function Reference({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span class="reference">
      <code>{value}</code> <CopyButton text={value} label={label} />
    </span>
  );
}

/** Text with a button that copies it. Without a script it can be selected. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div class="copyable">
      <code tabIndex={0} role="textbox" aria-readonly="true" aria-label={label}>
        {value}
      </code>
      <CopyButton text={value} label={label} />
    </div>
  );
}

/** A block of code to paste into a terminal. */
export function Snippet({
  text,
  copied = text,
  label,
}: {
  readonly text: string;
  /** The button copies this, where it is not the text itself. */
  readonly copied?: string;
  readonly label: string;
}) {
  return (
    <div class="snippet">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={copied} label={label} />
    </div>
  );
}

/** The first is open: a reader has one language. */
export function Samples({ of, label }: { readonly of: readonly Sample[]; readonly label: string }) {
  return (
    <>
      {of.map(({ language, text }, at) => (
        <details class="card" open={at === 0}>
          <summary>{language}</summary>
          <Snippet text={text} label={`${label}, ${language}`} />
        </details>
      ))}
    </>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'quiet';

export function Tag({
  tone = 'quiet',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

export function Notice({
  tone = 'quiet',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

/** Warns of an order like the one that is about to be made. */
export function SameBefore({
  reference,
  at,
  path,
}: {
  readonly reference: string | null;
  readonly at: string | null;
  /** The path of the pages of such orders. */
  readonly path: string;
}) {
  const { language, words } = useFrame();
  if (reference === null || at === null) return null;
  return (
    <Notice tone="warn">
      {labelled(language, words.same_before, '')}
      <Link to={`${path}/${reference}`}>{reference}</Link> · <Time at={at} exact />
    </Notice>
  );
}

export function Link({
  to,
  current = false,
  children,
  ...rest
}: {
  /** A path of the dashboard. */
  readonly to: string;
  readonly class?: string;
  /** Marks the view that is shown, where a page has several. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <a href={href(to)} class={rest.class} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

/**
 * The place of a cell in a row of two lines: what and how much; with whom, when, and how it stands.
 */
type Place = 'what' | 'amount' | 'who' | 'when' | 'state';

export type Column =
  | string
  | {
      readonly label: string;
      /** A `number` stands right, as an amount does, and where it is on a phone is not said. */
      readonly as?: Place | 'number';
    };

/**
 * On a phone each row becomes a block, whose cells bear their columns' names; or, where the columns say what is
 * what, two lines without names and without the other columns, which the row's own page has.
 */
export function Table({
  caption,
  columns,
  rows,
}: {
  /** Screen readers say it. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  const { words } = useFrame();
  if (rows.length === 0) return <p class="empty">{words.nothing}</p>;
  const known = columns.map((column) =>
    typeof column === 'string' ? { label: column, as: undefined } : column,
  );
  const has_two_lines = known.some(({ as }) => as === 'what');
  return (
    <table class={has_two_lines ? 'two-lines' : undefined}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {known.map(({ label, as }) =>
            label === '' ? (
              <td />
            ) : (
              <th scope="col" class={as && `as-${as}`}>
                {label}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => (
              <td
                data-label={known[index]!.label}
                class={known[index]!.as && `as-${known[index]!.as}`}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A label and its value; the line is left out without a value. */
export type Detail = readonly [term: ComponentChildren, value: ComponentChildren];

const EMPTY: ReadonlySet<unknown> = new Set([null, undefined, false, '']);

/** A phone as people of the account's country write it; any other text as it is. */
export const usePhone = (): ((text: string) => string) => {
  const home = useFrame().session?.account?.country ?? '';
  return (text) => formatPhone(text, home);
};

/** A text of people's own, which keeps its direction of writing; nothing where there is none. */
export const ownText = (text: string | null | undefined) => text && <bdi>{text}</bdi>;

export function Details({ rows }: { readonly rows: readonly Detail[] }) {
  const shown = rows.filter(([, value]) => !EMPTY.has(value));
  if (shown.length === 0) return null;
  return (
    <dl>
      {shown.map(([term, value]) => (
        <div>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A file of what was booked, for those who may take it away. */
/** Identifiers and forms for programs: most readers need none. */
export function Technical({ children }: { readonly children: ComponentChildren }) {
  return (
    <details class="technical">
      <summary>{useFrame().words.technical}</summary>
      {children}
    </details>
  );
}

export function Download({
  to,
  label,
  children,
}: {
  /** A path of the dashboard. */
  readonly to: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  const { session } = useFrame();
  if (!session?.account || !mayDo(session.account.role, 'export', session.environment)) return null;
  return (
    <a href={href(to)} aria-label={label} download>
      {children}
    </a>
  );
}

/** The links below a list: to its beginning, and to what is older. */
export function Pager({
  path,
  query,
  next_cursor,
}: {
  readonly path: string;
  /** The list's filters. */
  readonly query: URLSearchParams;
  readonly next_cursor: string | null;
}) {
  const { words } = useFrame();
  const isFirst = !query.has('cursor');
  if (isFirst && next_cursor === null) return null;
  const to = (cursor: string | null): string => {
    const next = new URLSearchParams(query);
    next.delete('cursor');
    if (cursor !== null) next.set('cursor', cursor);
    const text = next.toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return (
    <nav class="pager" aria-label={words.older}>
      {!isFirst && <Link to={to(null)}>{words.newest}</Link>}
      {next_cursor !== null && <Link to={to(next_cursor)}>{words.older}</Link>}
    </nav>
  );
}
