// The types of the dashboard's pages: a request in, an answer out.

import type { VNode } from 'preact';
import type { Readable } from 'node:stream';
import type { HttpContext, HttpDependencies } from '../http/context';
import type { Db } from '../db/connect';
import type { SessionAccount, SessionRow } from '../db/people/sessions';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import type { StartReconciliation } from '../temporal/reconciliations';
import type { FaultyOperations } from '../domain/fault';
import type { Language } from '../domain/language';
import type { Permission } from '../domain/members';
import type { Devices } from '../secrets/device';
import type { AccountDependencies } from '../use-cases/screening/screen';
import type { Draft, DraftedOperation } from './drafts';
import type { Visits } from './visits';

export interface DashboardDependencies extends HttpDependencies {
  /** Connects as the operators' role; without it this process serves no operators' pages. */
  readonly operator_db: Db | undefined;
  /** Is called after an identity check was submitted or decided. */
  readonly wakeIdentityCheck: WakeIdentityCheck;
  /** Compares the names of an account whose identity is approved. */
  readonly screening: AccountDependencies;
  readonly startReconciliation: StartReconciliation;
  /** Counts the pages, forms and looks of each signed-in person in the last minute. */
  readonly visits: Visits;
  /** Knows which browsers a person has signed in with. */
  readonly devices: Devices;
  /** Derives what a browser's forms must carry from a text that only this browser has. */
  readonly formToken: (text: string) => string;
  /** The API's, for which faults can be ordered. */
  readonly operations: FaultyOperations;
}

export interface Visit {
  readonly ctx: HttpContext;
  readonly language: Language;
  readonly params: Readonly<Record<string, string>>;
  /** A page finds the fields that its URL has kept here, too (kept.ts). */
  readonly query: URLSearchParams;
  /** The fields of a submitted form. Empty for GET. */
  readonly form: URLSearchParams;
  /** The file that was uploaded with the form, where the route takes one. */
  readonly file: Buffer | undefined;
  readonly session: SessionRow | undefined;
}

/** A visit by a person who is signed in with every factor that is set up. */
export interface SignedInVisit extends Visit {
  readonly session: SessionRow;
}

/** A visit whose session shows an account to which the person belongs. */
export interface MemberVisit extends SignedInVisit {
  readonly account: SessionAccount;
}

/** The account and the environment whose rows a visit is about. */
export const ownerOf = ({ account, session }: MemberVisit) => ({
  user_id: account.user_id,
  environment: session.environment,
});

/** A visit to a page or form of an order, which is not carried out yet. */
export interface DraftVisit extends MemberVisit {
  readonly draft: Draft;
}

/** Shown once, on the page after a redirect. */
export interface Flash {
  /** A sentence in the reader's language. */
  readonly notice?: string;
  readonly tone?: 'good' | 'bad' | 'quiet';
  /** A value that is shown once, with a button to copy it. */
  readonly secret?: ShownSecret;
}

/** `kind`: how a language speaks of it. */
interface ShownSecret {
  readonly kind: 'key' | 'secret' | 'codes';
  readonly label: string;
  readonly value: string;
  /** The name of a text file, for what is kept rather than pasted. */
  readonly file?: string;
}

interface AnyAnswer {
  /** The form's subject for the log of activities, such as a key's id. Never a secret. */
  readonly subject?: string;
}

/** Faults of the form that a page answers, by the names of its fields; each field says its own. */
export type Faults = Readonly<Record<string, string | undefined>>;

export interface PageAnswer extends AnyAnswer {
  readonly kind: 'page';
  readonly faults?: Faults;
  /** The default is 200. */
  readonly status?: number;
  readonly title: string;
  readonly content: VNode;
}

export interface RedirectAnswer extends AnyAnswer {
  readonly kind: 'see_other';
  /** A path of the dashboard, such as `/keys`, or a whole URL of our own making. */
  readonly to: string;
  readonly flash?: Flash;
}

export interface FileAnswer extends AnyAnswer {
  readonly kind: 'file';
  /** The media type. */
  readonly type: string;
  /** The name of the download. A file without a name is shown in the page. */
  readonly name?: string;
  readonly body: string | Buffer | Readable;
}

export type Answer = PageAnswer | RedirectAnswer | FileAnswer;
type Given = Answer | undefined;

export function page(title: string, content: VNode, status: number | Faults = 200): PageAnswer {
  if (typeof status === 'number') return { kind: 'page', title, content, status };
  const isFaulty = Object.keys(status).length > 0;
  return { kind: 'page', title, content, status: isFaulty ? 422 : 200, faults: status };
}

/** Answers a form: the browser gets the page at `to`, and a reload of it repeats nothing. */
export function seeOther(
  to: string,
  { flash, subject }: Pick<RedirectAnswer, 'flash' | 'subject'> = {},
): RedirectAnswer {
  return { kind: 'see_other', to, ...(flash ? { flash } : {}), ...(subject ? { subject } : {}) };
}

/**
 * A page may be for anyone; anyone who is signed in; a member of the account with a permission (domain/members.ts); an
 * operator.
 */
export type Access = 'anyone' | 'signed_in' | Permission | 'operator';

export type VisitFor<A extends Access> = A extends 'anyone'
  ? Visit
  : A extends 'signed_in' | 'operator'
    ? SignedInVisit
    : MemberVisit;

/** An operator's page has the operators' connection for sure. */
export type DependenciesFor<A extends Access> = A extends 'operator'
  ? DashboardDependencies & { readonly operator_db: Db }
  : DashboardDependencies;

/** `in_live` is for forms that move and open nothing in the sandbox. */
export type Confirmed = 'in_live' | 'always';

export interface DashboardRoute {
  readonly method: 'GET' | 'POST';
  /** The path below `/dashboard`; `:name` reaches the handler as text. */
  readonly path: string;
  readonly access: Access;
  /** Its name in the log of activities, such as `keys.revoke`; null when it is not listed. */
  readonly action: string | null;
  /**
   * A stolen session must not do it: the password or a code is asked unless it was given a moment
   * ago.
   */
  readonly confirmed?: Confirmed;
  /** The order to which the page or form belongs: only a draft that is not carried out reaches the handler. */
  readonly operation?: DraftedOperation;
  /** The most bytes that a form and its file have together. */
  readonly max_file_bytes?: number;
  /** Undefined: there is no such page. */
  readonly handler: (dependencies: DashboardDependencies, visit: Visit) => Given | Promise<Given>;
}

type HandlerFor<A extends Access> = (
  dependencies: DependenciesFor<A>,
  visit: VisitFor<A>,
) => Given | Promise<Given>;

/** The route of a page. A handler that needs more than its access gives does not compile. */
export function pageRoute<A extends Access>(
  path: string,
  access: A,
  handler: HandlerFor<A>,
): DashboardRoute {
  // The router calls it only after it has checked the access, which makes this true.
  const checked = handler as DashboardRoute['handler'];
  return { method: 'GET', path, access, action: null, handler: checked };
}

/** The route of a form. */
export function formRoute<A extends Access>(
  path: string,
  access: A,
  action: string | null,
  handler: HandlerFor<A>,
  confirmed?: Confirmed,
): DashboardRoute {
  const checked = handler as DashboardRoute['handler'];
  const route = { method: 'POST', path, access, action, handler: checked } as const;
  return confirmed ? { ...route, confirmed } : route;
}

/** The route of a form with a file; both have at most `max_file_bytes`. */
export function fileRoute<A extends Access>(
  path: string,
  access: A,
  action: string,
  handler: HandlerFor<A>,
  max_file_bytes: number,
): DashboardRoute {
  return { ...formRoute(path, access, action, handler), max_file_bytes };
}

type DraftHandler = (
  dependencies: DashboardDependencies,
  visit: DraftVisit,
) => Given | Promise<Given>;

/** A page on the way to an order. */
export function draftPage(
  operation: DraftedOperation,
  path: string,
  access: Permission,
  handler: DraftHandler,
): DashboardRoute {
  // The router calls it only with the draft that it has found.
  return { ...pageRoute(path, access, handler as DashboardRoute['handler']), operation };
}

/** The form of an order, or one on the way to it. */
export function draftForm(
  operation: DraftedOperation,
  path: string,
  access: Permission,
  action: string | null,
  handler: DraftHandler,
  more: Pick<DashboardRoute, 'confirmed' | 'max_file_bytes'> = {},
): DashboardRoute {
  const route = formRoute(path, access, action, handler as DashboardRoute['handler']);
  return { ...route, ...more, operation };
}
