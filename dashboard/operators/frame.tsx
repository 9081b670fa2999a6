// The shared frame of operators' pages: their reader's name, the way between them, links into Temporal.

import type { ComponentChildren } from 'preact';
import type { Db } from '../../db/connect';
import { countWaitingWork, type WaitingWork } from '../../db/operators/operators';
import type { Environment } from '../../domain/environment';
import type { Language } from '../../domain/language';
import { workflowUrl } from '../../temporal/workflow-url';
import { operatorName } from '../../use-cases/operators';
import { FRAME_FIELDS } from '../confirm';
import {
  formRoute,
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type SignedInVisit,
  type Visit,
} from '../context';
import { Link, Tag } from '../parts';
import { troublePage } from '../trouble';
import { Button, Form, TextArea } from '../forms';
import { BASE_PATH, href, useFrame } from '../frame';
import { APPROVAL_WORDS } from './approval-words';
import { WORDS } from './words';

export type OperatorDependencies = DashboardDependencies & { readonly operator_db: Db };
type Handler = Parameters<typeof pageRoute<'operator'>>[2];

export type OperatorWords = (typeof WORDS)['en'];

/** Use cases act with the operators' role by this, in the reader's name. */
export function asOperator(
  { operator_db }: OperatorDependencies,
  { session }: SignedInVisit,
): { readonly db: Db; readonly actor: string } {
  return { db: operator_db, actor: operatorName(session.email) };
}

/** The route of a page for operators. */
export const operatorPage = (path: string, handler: Handler): DashboardRoute =>
  pageRoute(path, 'operator', handler);

/** The route of an operator's decision, which a stolen session must not take. */
export const operatorForm = (path: string, handler: Handler): DashboardRoute =>
  formRoute(path, 'operator', null, handler, 'always');

export const MAX_REASON = 500;

/** Returns the form's reason; undefined when it is missing or too long. */
export function readReason({ form }: SignedInVisit): string | undefined {
  const reason = (form.get('reason') ?? '').trim();
  return reason === '' || reason.length > MAX_REASON ? undefined : reason;
}

const SECTIONS = [
  ['/operators', 'work', null],
  ['/operators/accounts', 'accounts', null],
  ['/operators/identity-checks', 'checks', 'checks'],
  ['/operators/suspense', 'suspense', 'suspense'],
  ['/operators/risk', 'risk', 'risk'],
  ['/operators/disputes', 'disputes', 'disputes'],
  ['/operators/payouts', 'payouts', 'payouts'],
  ['/operators/treasury', 'treasury', 'breaks'],
  ['/operators/safeguarding', 'safeguarding', null],
  ['/operators/approvals', 'approvals', 'approvals'],
  ['/operators/deliveries', 'deliveries', 'endpoints'],
  ['/operators/reconciliations', 'reconciliations', null],
  ['/operators/audit', 'audit', null],
] as const;

/** Puts the way between operators' pages, with how much waits on each, above the route's pages. */
export function withSections(route: DashboardRoute): DashboardRoute {
  const handler: DashboardRoute['handler'] = async (dependencies, visit) => {
    const answer =
      (await route.handler(dependencies, visit)) ??
      troublePage(visit.language, { kind: 'unknown' });
    if (answer.kind !== 'page') return answer;
    const work = await countWaitingWork((dependencies as OperatorDependencies).operator_db);
    const content = (
      <>
        <Sections visit={visit} work={work} />
        {answer.content}
      </>
    );
    return { ...answer, content };
  };
  return { ...route, handler };
}

function Sections({
  visit: { ctx, language, query },
  work,
}: {
  readonly visit: Visit;
  readonly work: WaitingWork;
}) {
  const words = WORDS[language];
  const here = ctx.path.slice(BASE_PATH.length);
  const isHere = (path: string): boolean =>
    here === path || (path !== '/operators' && here.startsWith(`${path}/`));
  return (
    <>
      <nav class="tabs wrapping" aria-label={words.sections}>
        {SECTIONS.map(([path, name, waiting]) => (
          <Link to={path} current={isHere(path)}>
            {words[name]}
            {waiting !== null && work[waiting].count > 0 && (
              <>
                {' '}
                <Tag tone="warn">{work[waiting].count}</Tag>
              </>
            )}
          </Link>
        ))}
      </nav>
      <form method="get" action={href('/operators/search')} class="search" role="search">
        <div class="field">
          <input
            type="search"
            name="q"
            value={here === '/operators/search' ? (query.get('q') ?? '') : ''}
            aria-label={words.search_all}
            placeholder={words.search_all}
            maxLength={MAX_SEARCH}
          />
        </div>
        <Button look="plain">{words.find}</Button>
      </form>
    </>
  );
}

/** The longest e-mail address. */
export const MAX_SEARCH = 254;

export function EnvironmentTag({ environment }: { readonly environment: Environment }) {
  const words = WORDS[useFrame().language];
  return <Tag tone={environment === 'live' ? 'bad' : 'warn'}>{words[environment]}</Tag>;
}

/** The merchant; null for money that came for none. */
export function AccountLink({ username }: { readonly username: string | null }) {
  if (username === null) return <>{WORDS[useFrame().language].no_merchant}</>;
  return <Link to={`/operators/accounts/${encodeURIComponent(username)}`}>{username}</Link>;
}

/** On the dashboard operators have an e-mail address; the name is one of the command line without. */
export function personOf(language: Language, name: string): string {
  return name.includes('@') ? name : APPROVAL_WORDS[language].at_command_line(name);
}

/** Leads from what waits to all, and back. */
export function AllOrWaiting({ path, all }: { readonly path: string; readonly all: boolean }) {
  const words = WORDS[useFrame().language];
  return (
    <p>
      <Link to={all ? path : `${path}?all=1`}>{all ? words.show_waiting : words.show_all}</Link>
    </p>
  );
}

/** A link to the workflow, where the address of Temporal's UI is known; else its id. */
export function WorkflowLink({
  config,
  id,
}: {
  readonly config: DashboardDependencies['config'];
  readonly id: string;
}) {
  const words = WORDS[useFrame().language];
  const url = workflowUrl(config, id);
  return url === undefined ? <code>{id}</code> : <a href={url}>{words.open_in_temporal}</a>;
}

interface Question {
  readonly title: string;
  readonly lead: string;
  readonly button: string;
  readonly look?: 'danger';
  readonly back: string;
}

/** Asks once more before a decision about a person or money; the answer brings what the form held, and `sure`. */
export function areYouSure(
  { ctx, form, language }: SignedInVisit,
  { title, lead, button, look, back }: Question,
): Answer {
  const fields = [...form].filter(([name]) => !FRAME_FIELDS.has(name));
  return page(
    title,
    <>
      <p class="lead">{lead}</p>
      <Form action={ctx.path.slice(BASE_PATH.length)} class="card">
        {[...fields, ['sure', 'yes']].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <p class="actions">
          <Button {...(look ? { look } : {})}>{button}</Button>
          <Link to={back} class="button plain">
            {WORDS[language].not_now}
          </Link>
        </p>
      </Form>
    </>,
  );
}

interface ReasonFormProps {
  readonly action: string;
  readonly hint: string;
  readonly isRequired?: boolean;
  readonly children: ComponentChildren;
}

/**
 * Buttons below a reason. The reason has several lines, so that the Enter key presses no button.
 */
export function ReasonForm(props: ReasonFormProps) {
  const { action, hint, isRequired = true, children } = props;
  const words = WORDS[useFrame().language];
  return (
    <Form action={action} class="card">
      <TextArea
        name="reason"
        label={words.reason}
        hint={hint}
        maxLength={MAX_REASON}
        required={isRequired}
      />
      {children}
    </Form>
  );
}
