// What the dashboard's pages are built from: a request in, an answer out.

import type { VNode } from 'preact';
import type { Readable } from 'node:stream';
import type { ApiContext, ApiDependencies } from '../api/context';
import type { Secrets } from '../api/rate-limits/secrets';
import type { Db } from '../db/connect';
import type { SessionAccount, SessionRow } from '../db/sessions';
import type { WakeIdentityCheck } from '../temporal/identity-checks';
import type { Language } from '../domain/language';
import type { Permission } from '../domain/members';
import type { LiveUpdates } from './live';
import type { Visits } from './visits';
import type { Devices } from '../secrets/device';

export interface DashboardDependencies extends ApiDependencies {
  /** By the operators' role; without it this process serves no operators' pages. */
  readonly operator_db: Db | undefined;
  /** Called after an identity check was submitted or decided. */
  readonly wakeIdentityCheck: WakeIdentityCheck;
  /** Hashes of session tokens, in base64. */
  readonly session_secrets: Secrets;
  /** Pages and forms of each person who is signed in, in the last minute. */
  readonly visits: Visits;
  readonly live: LiveUpdates;
  /** Which browsers somebody has signed in with. */
  readonly devices: Devices;
  /** Of a text that only this browser has: what its forms must carry. */
  readonly formToken: (text: string) => string;
}

/** A request for a page. */
export interface Visit {
  readonly ctx: ApiContext;
  readonly language: Language;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of a submitted form. Empty for GET. */
  readonly form: URLSearchParams;
  /** What was uploaded with the form, where the route takes a file. */
  readonly file: Buffer | undefined;
  readonly session: SessionRow | undefined;
}

/** Somebody is signed in, with every factor that is set up. */
export interface SignedInVisit extends Visit {
  readonly session: SessionRow;
}

/** And shows an account to which the person belongs. */
export interface MemberVisit extends SignedInVisit {
  readonly account: SessionAccount;
}

/** What the page after a redirect shows once. */
export interface Flash {
  /** In the reader's language. */
  readonly notice?: string;
  readonly tone?: 'good' | 'bad';
  /** Shown with a button to copy it, and never again. */
  readonly secret?: { readonly label: string; readonly value: string };
}

interface AnyAnswer {
  /** Of a form: what it was about, such as a key's id, for the log of activities. Never a secret. */
  readonly subject?: string;
}

export interface PageAnswer extends AnyAnswer {
  readonly kind: 'page';
  /** 200 when left out. */
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
  /** A media type. */
  readonly type: string;
  /** Offered to the browser as a download of this name; shown in the page when left out. */
  readonly name?: string;
  readonly body: string | Buffer | Readable;
}

export type Answer = PageAnswer | RedirectAnswer | FileAnswer;

export function page(title: string, content: VNode, status = 200): PageAnswer {
  return { kind: 'page', title, content, status };
}

/** After a form: the browser gets the page at `to`, and a reload of it repeats nothing. */
export function seeOther(
  to: string,
  { flash, subject }: Pick<RedirectAnswer, 'flash' | 'subject'> = {},
): RedirectAnswer {
  return { kind: 'see_other', to, ...(flash ? { flash } : {}), ...(subject ? { subject } : {}) };
}

/**
 * Who may ask for a page: anyone; anyone who is signed in; a member of the account with a permission
 * (domain/members.ts); an operator.
 */
export type Access = 'anyone' | 'signed_in' | Permission | 'operator';

type VisitFor<A extends Access> = A extends 'anyone'
  ? Visit
  : A extends 'signed_in' | 'operator'
    ? SignedInVisit
    : MemberVisit;

/** An operator's page has the operators' connection for sure. */
type DependenciesFor<A extends Access> = A extends 'operator'
  ? DashboardDependencies & { readonly operator_db: Db }
  : DashboardDependencies;

export interface DashboardRoute {
  readonly method: 'GET' | 'POST';
  /** Under `/dashboard`; `:name` reaches the handler as text. */
  readonly path: string;
  readonly access: Access;
  /** What the log of activities calls it, such as `keys.revoke`; null for what it does not list. */
  readonly action: string | null;
  /** A form with a file: how many bytes both have at most. */
  readonly max_file_bytes?: number;
  readonly handler: (dependencies: DashboardDependencies, visit: Visit) => Answer | Promise<Answer>;
}

type HandlerFor<A extends Access> = (
  dependencies: DependenciesFor<A>,
  visit: VisitFor<A>,
) => Answer | Promise<Answer>;

/** A page. A handler that needs more than its access gives does not compile. */
export function pageRoute<A extends Access>(
  path: string,
  access: A,
  handler: HandlerFor<A>,
): DashboardRoute {
  // The router calls it only after it has checked the access, which makes this true.
  const checked = handler as DashboardRoute['handler'];
  return { method: 'GET', path, access, action: null, handler: checked };
}

/** What a form does. */
export function formRoute<A extends Access>(
  path: string,
  access: A,
  action: string | null,
  handler: HandlerFor<A>,
): DashboardRoute {
  const checked = handler as DashboardRoute['handler'];
  return { method: 'POST', path, access, action, handler: checked };
}

/** As formRoute, for a form with a file; both have at most `max_file_bytes`. */
export function fileRoute<A extends Access>(
  path: string,
  access: A,
  action: string,
  handler: HandlerFor<A>,
  max_file_bytes: number,
): DashboardRoute {
  return { ...formRoute(path, access, action, handler), max_file_bytes };
}
