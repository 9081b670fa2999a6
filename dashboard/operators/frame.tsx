// What the operators' pages share: how their reader is named, the way between them, links into
// Temporal.

import type { ComponentChildren, JSX } from 'preact';
import type { Db } from '../../db/connect';
import type { Environment } from '../../domain/environment';
import { workflowUrl } from '../../temporal/workflow-url';
import { operatorName } from '../../use-cases/operators';
import { page, type DashboardDependencies, type PageAnswer, type SignedInVisit } from '../context';
import { Link, Tag } from '../parts';
import { Form, TextArea } from '../forms';
import { WORDS } from './words';

export type OperatorDependencies = DashboardDependencies & { readonly operator_db: Db };
export type OperatorWords = (typeof WORDS)['en'];

/** What use cases need to act with the operators' role, in the reader's name. */
export function asOperator(
  { operator_db }: OperatorDependencies,
  { session }: SignedInVisit,
): { readonly db: Db; readonly actor: string } {
  return { db: operator_db, actor: operatorName(session.email) };
}

export const MAX_REASON = 500;

/** Returns the form's reason; undefined when it is missing or too long. */
export function readReason({ form }: SignedInVisit): string | undefined {
  const reason = (form.get('reason') ?? '').trim();
  return reason === '' || reason.length > MAX_REASON ? undefined : reason;
}

const SECTIONS = [
  ['/operators', 'operators'],
  ['/operators/accounts', 'accounts'],
  ['/operators/identity-checks', 'checks'],
  ['/operators/suspense', 'suspense'],
  ['/operators/approvals', 'approvals'],
  ['/operators/deliveries', 'deliveries'],
  ['/operators/reconciliations', 'reconciliations'],
  ['/operators/audit', 'audit'],
] as const;

export function operatorPage(
  { language }: SignedInVisit,
  title: string,
  content: JSX.Element,
  status = 200,
): PageAnswer {
  const words = WORDS[language];
  return page(
    title,
    <>
      <nav class="actions" aria-label={words.sections}>
        {SECTIONS.map(([path, name]) => (
          <Link to={path}>{words[name]}</Link>
        ))}
      </nav>
      {content}
    </>,
    status,
  );
}

export function EnvironmentTag({
  environment,
  words,
}: {
  readonly environment: Environment;
  readonly words: OperatorWords;
}): JSX.Element {
  return <Tag tone={environment === 'live' ? 'bad' : 'warn'}>{words[environment]}</Tag>;
}

export function AccountLink({ username }: { readonly username: string }): JSX.Element {
  return <Link to={`/operators/accounts/${encodeURIComponent(username)}`}>{username}</Link>;
}

/** The workflow's id, as a link where the address of Temporal's UI is known. */
export function WorkflowLink({
  config,
  id,
}: {
  readonly config: DashboardDependencies['config'];
  readonly id: string;
}): JSX.Element {
  const url = workflowUrl(config, id);
  return url === undefined ? <code>{id}</code> : <a href={url}>{id}</a>;
}

interface ReasonFormProps {
  readonly action: string;
  readonly words: OperatorWords;
  readonly hint: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly isRequired?: boolean;
  readonly children: ComponentChildren;
}

/**
 * Buttons below a reason. The reason has several lines, so that the Enter key presses no button.
 */
export function ReasonForm(props: ReasonFormProps): JSX.Element {
  const { action, words, hint, value, fault, isRequired = true, children } = props;
  return (
    <Form action={action} class="card">
      <TextArea
        name="reason"
        label={words.reason}
        hint={hint}
        value={value}
        fault={fault}
        maxLength={MAX_REASON}
        required={isRequired}
      />
      {children}
    </Form>
  );
}
