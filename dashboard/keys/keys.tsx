// The keys of the environment that is shown: the list, and creating one.

import type { JSX, VNode } from 'preact';
import { listUsedKeys, USE_DAYS, type UsedKeyRow } from '../../db/keys/api-keys';
import { isUuid } from '../../domain/ids';
import { mayDo, mayGetKey, type MemberRole } from '../../domain/members';
import { createFirstKey, createKey, MAX_ACTIVE_KEYS } from '../../use-cases/api-keys';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Checkbox, Field, Form, TextArea } from '../forms';
import { useFrame } from '../frame';
import { Link, Notice, Pager, Table, Tag, Time } from '../parts';
import { confirmRevoke, confirmRotate, revoke, rotate } from './key';
import { WORDS } from './words';

/** Each key that was not used for long costs a look into every day of the log. */
const PER_PAGE = 25;
/** The use case keeps this many characters. */
const MAX_NAME = 100;
const MAX_ALLOWED_TEXT = 2_000;

async function showKeys({ db }: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const { account, session, query, language } = visit;
  const { environment } = session;
  const words = WORDS[language];
  const revoked = query.get('show') === 'revoked';
  const cursor = query.get('cursor') ?? '';
  const found = await listUsedKeys(db, {
    user_id: account.user_id,
    environment,
    revoked,
    limit: PER_PAGE + 1,
    before: isUuid(cursor) ? cursor : undefined,
  });
  const keys = found.slice(0, PER_PAGE);
  const next_cursor = found.length > PER_PAGE ? keys.at(-1)!.id : null;
  const mayChange = mayDo(account.role, 'keys', environment);
  return page(
    words.keys,
    <>
      <p class="lead">{words.lead}</p>
      {mayChange && !revoked && <MakeOrWhyNot visit={visit} />}
      <nav class="tabs" aria-label={words.which}>
        <Link to="/keys" current={!revoked}>
          {words.show_active}
        </Link>
        <Link to="/keys?show=revoked" current={revoked}>
          {words.show_revoked}
        </Link>
      </nav>
      <KeyTable keys={keys} revoked={revoked} role={account.role} mayChange={mayChange} />
      <Pager path="/keys" query={query} next_cursor={next_cursor} />
    </>,
  );
}

function MakeOrWhyNot({ visit }: { readonly visit: MemberVisit }): VNode {
  const words = WORDS[visit.language];
  if (needsCheck(visit)) return <NeedsCheck />;
  return (
    <p>
      <Link to="/keys/new" class="button">
        {words.make}
      </Link>
    </p>
  );
}

function needsCheck({ session, account }: MemberVisit): boolean {
  return session.environment === 'live' && account.kyc_status !== 'approved';
}

function NeedsCheck(): VNode {
  const words = WORDS[useFrame().language];
  return (
    <Notice tone="warn">
      <p>{words.needs_check}</p>
      <p>
        <Link to="/profile">{words.to_profile}</Link>
      </p>
    </Notice>
  );
}

function KeyTable({
  keys,
  revoked,
  role,
  mayChange,
}: {
  readonly role: MemberRole;
  readonly keys: readonly UsedKeyRow[];
  readonly revoked: boolean;
  readonly mayChange: boolean;
}): JSX.Element {
  const words = WORDS[useFrame().language];
  const columns = [words.name, words.key, words.created, words.last_used, words.limits];
  return (
    <Table
      caption={revoked ? words.revoked : words.active}
      columns={[...columns, ...(revoked ? [words.revoked_at] : []), words.actions]}
      rows={keys.map((key) => [
        <b>{key.name || words.unnamed}</b>,
        <span>
          <code class="nowrap">{`${key.key_prefix}_…${key.last_four}`}</code>
          {!revoked && key.revoked_at !== null && (
            <>
              <br />
              <span class="hint">
                {words.valid_until} <Time at={key.revoked_at} />
              </span>
            </>
          )}
        </span>,
        <Time at={key.created_at} />,
        <LastUsed of={key} />,
        <Limits of={key} />,
        ...(revoked ? [<Time at={key.revoked_at!} />] : []),
        <span class="actions">
          <Link to={`/requests?key=${key.id}`}>{words.requests}</Link>
          {mayChange && !revoked && (
            <>
              {key.revoked_at === null && mayGetKey(role, key.environment, key) && (
                <Link to={`/keys/${key.id}/rotate`}>{words.rotate}</Link>
              )}
              <Link to={`/keys/${key.id}/revoke`}>{words.revoke}</Link>
            </>
          )}
        </span>,
      ])}
    />
  );
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function LastUsed({
  of: { last_used_at, last_used_ip, created_at },
}: {
  readonly of: UsedKeyRow;
}): JSX.Element {
  const words = WORDS[useFrame().language];
  if (last_used_at === null) {
    const isOld = Date.parse(created_at) < Date.now() - USE_DAYS * DAY_MS;
    return <>{isOld ? words.long_ago(USE_DAYS) : words.never}</>;
  }
  return (
    <span>
      <Time at={last_used_at} />
      <br />
      <span class="hint">{words.from_address(last_used_ip ?? '')}</span>
    </span>
  );
}

function Limits({
  of: { requests_per_minute, writes_per_minute, read_only, allowed_ips },
}: {
  readonly of: UsedKeyRow;
}): JSX.Element {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <span>
      {read_only && (
        <>
          <Tag>{words.read_only}</Tag>{' '}
        </>
      )}
      {words.per_minute(requests_per_minute)}
      {!read_only && (
        <>
          <br />
          <span class="hint">{words.per_minute_writes(writes_per_minute)}</span>
        </>
      )}
      {allowed_ips && (
        <>
          <br />
          <span class="hint">
            {words.only_from} {allowed_ips.join(', ')}
          </span>
        </>
      )}
    </span>
  );
}

const WRITES = { read_only: false };

type Fault = 'no_name' | 'invalid_allowed_ips' | 'too_many_keys';

function showNewKey(_: DashboardDependencies, visit: MemberVisit): Answer {
  return newKeyPage(visit);
}

function newKeyPage(visit: MemberVisit, fault?: Fault): Answer {
  const content = needsCheck(visit) ? <NeedsCheck /> : <NewKeyForm visit={visit} fault={fault} />;
  return page(WORDS[visit.language].make, content, fault ? 422 : 200);
}

function NewKeyForm({
  visit: { form, language, account, session },
  fault,
}: {
  readonly visit: MemberVisit;
  readonly fault: Fault | undefined;
}): VNode {
  const words = WORDS[language];
  return (
    <>
      {fault === 'too_many_keys' && (
        <Notice tone="bad">{words.too_many_keys(MAX_ACTIVE_KEYS)}</Notice>
      )}
      <Form action="/keys/new" class="card">
        <Field
          name="name"
          label={words.name}
          hint={words.name_hint}
          value={form.get('name') ?? ''}
          fault={fault === 'no_name' ? words.no_name : undefined}
          maxLength={MAX_NAME}
          required
        />
        {mayGetKey(account.role, session.environment, WRITES) ? (
          <Checkbox
            name="read_only"
            label={words.read_only}
            hint={words.read_only_hint}
            checked={form.has('read_only')}
          />
        ) : (
          <p class="field">{words.only_read_only}</p>
        )}
        <TextArea
          name="allowed_ips"
          label={words.allowed_ips}
          hint={words.allowed_ips_hint}
          value={form.get('allowed_ips') ?? ''}
          fault={fault === 'invalid_allowed_ips' ? words.invalid_allowed_ips : undefined}
          maxLength={MAX_ALLOWED_TEXT}
        />
        <Button>{words.make}</Button>
      </Form>
      <p>
        <Link to="/keys">{words.keys}</Link>
      </p>
    </>
  );
}

async function submitNewKey(
  { db, config }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, form, language } = visit;
  const words = WORDS[language];
  const name = (form.get('name') ?? '').trim();
  if (name === '') return newKeyPage(visit, 'no_name');
  const allowed = (form.get('allowed_ips') ?? '').split(/[\s,;]+/).filter((text) => text !== '');
  const made = await createKey(
    {
      db,
      key_prefix: config.key_prefixes[0]!,
      author: { user_id: account.user_id, login_id: session.login_id },
    },
    {
      user_id: account.user_id,
      environment: session.environment,
      name,
      // A person who may not send money gets no key that can.
      read_only: form.has('read_only') || !mayGetKey(account.role, session.environment, WRITES),
      allowed_ips: allowed.length > 0 ? allowed : undefined,
    },
  );
  if (!made.ok) {
    const { error } = made;
    return error === 'kyc_required'
      ? page(words.make, <NeedsCheck />, 422)
      : newKeyPage(visit, error);
  }
  const secret = { kind: 'key', label: words.new_key, value: made.key } as const;
  return seeOther('/keys', {
    flash: { notice: words.made, secret },
    subject: `api_key/${made.id}`,
  });
}

/** A test key for the command on the overview, which shows it. */
async function submitFirstKey(
  { db, config }: DashboardDependencies,
  { account, session, language }: MemberVisit,
): Promise<Answer> {
  const key_prefix = config.key_prefixes[0]!;
  const created = await createFirstKey(
    { db, key_prefix, author: { user_id: account.user_id, login_id: session.login_id } },
    'First test key',
  );
  // The account has had one: another is made where its keys are listed.
  if (!created) return seeOther('/keys/new');
  const secret = { kind: 'key', label: WORDS[language].new_key, value: created.key } as const;
  return seeOther('/', { flash: { secret }, subject: created.id });
}

export const KEY_ROUTES = [
  pageRoute('/keys', 'read', showKeys),
  pageRoute('/keys/new', 'keys', showNewKey),
  formRoute('/keys/new', 'keys', 'keys.create', submitNewKey, 'in_live'),
  formRoute('/keys/first', 'keys', 'keys.create', submitFirstKey),
  pageRoute('/keys/:id/rotate', 'keys', confirmRotate),
  formRoute('/keys/:id/rotate', 'keys', 'keys.rotate', rotate, 'in_live'),
  pageRoute('/keys/:id/revoke', 'keys', confirmRevoke),
  formRoute('/keys/:id/revoke', 'keys', 'keys.revoke', revoke),
];
