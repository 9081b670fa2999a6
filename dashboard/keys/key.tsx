// What can be done with one key. Rotating and revoking ask first: programs that use the key fail from then on.

import type { VNode } from 'preact';
import { findOwnKey, type OwnKey } from '../../db/keys/api-keys';
import { isUuid } from '../../domain/ids';
import { mayGetKey, scopesFor } from '../../domain/members';
import { revokeKey, rotateKey, updateKey, type KeyDependencies } from '../../use-cases/api-keys';
import {
  page,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { Button, Form, Select } from '../forms';
import { Details, Link, Time } from '../parts';
import { troublePage } from '../trouble';
import {
  ExpirySelect,
  isKeyFault,
  KeyForm,
  readExpiry,
  readKeyForm,
  valuesOf,
  type KeyFault,
} from './form';
import { WORDS } from './words';

/** Seconds for which the old key stays valid beside the new one. */
const OVERLAPS = [0, 3_600, 86_400] as const;

export async function confirmRotate(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const key = await findKey(db, visit);
  return key && !mayRotate(visit, key)
    ? troublePage(visit.language, { kind: 'forbidden' })
    : confirmPage(visit, key, 'rotate');
}

export async function confirmRevoke(
  { db }: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  return confirmPage(visit, await findKey(db, visit), 'revoke');
}

/** The person who rotates a key gets the new one. */
function mayRotate({ account, session }: MemberVisit, key: OwnKey): boolean {
  return mayGetKey(account.role, session.environment, key);
}

/** Finds a key of the account and the environment that are shown. */
async function findKey(
  db: DashboardDependencies['db'],
  { account, session, params }: MemberVisit,
): Promise<OwnKey | undefined> {
  const id = params['id'] ?? '';
  return isUuid(id) ? findOwnKey(db, account.user_id, session.environment, id) : undefined;
}

function confirmPage(
  { language }: MemberVisit,
  key: OwnKey | undefined,
  step: 'rotate' | 'revoke',
): Answer {
  const words = WORDS[language];
  if (!key) return troublePage(language, { kind: 'unknown' });
  const title = words[`${step}_title`];
  const { revoked_at, expires_at } = key;
  const isOver = [revoked_at, expires_at].some((at) => at !== null && Date.parse(at) <= Date.now());
  // During an overlap it can be revoked before its time.
  if (isOver || (revoked_at !== null && step === 'rotate')) {
    return page(title, <AlreadyRevoked of={key} text={words.already_revoked} />, 409);
  }
  return page(
    title,
    <>
      <KeyDetails of={key} words={words} />
      <p>{words[`${step}_text`]}</p>
      <Form action={`/keys/${key.id}/${step}`} class="card">
        {step === 'rotate' && (
          <Select
            name="overlap"
            label={words.overlap}
            hint={words.overlap_hint}
            value="0"
            options={OVERLAPS.map((seconds) => ({
              value: String(seconds),
              label: words.overlaps[seconds],
            }))}
          />
        )}
        {step === 'rotate' && key.expires_at !== null && (
          <ExpirySelect value="as_before" expires_at={key.expires_at} />
        )}
        <p class="actions">
          <Button look={step === 'revoke' ? 'danger' : undefined}>{words[`${step}_now`]}</Button>
          <Link to="/keys">{words.keys}</Link>
        </p>
      </Form>
    </>,
  );

  function AlreadyRevoked({ of, text }: { of: OwnKey; text: string }): VNode {
    return (
      <>
        <KeyDetails of={of} words={words} />
        <p>{text}</p>
        <p>
          <Link to="/keys">{words.keys}</Link>
        </p>
      </>
    );
  }
}

export async function showEdit({ db }: DashboardDependencies, visit: MemberVisit): Promise<Answer> {
  const key = await findKey(db, visit);
  return editPage(visit, key, key && valuesOf(key));
}

/** A key that may do more than the person may not be changed by them, as it may not be rotated. */
function editPage(
  visit: MemberVisit,
  key: OwnKey | undefined,
  values: URLSearchParams | undefined,
  fault?: KeyFault,
): Answer {
  const { account, session, language } = visit;
  const words = WORDS[language];
  if (!key || !values) return troublePage(language, { kind: 'unknown' });
  if (!mayGetKey(account.role, session.environment, key)) {
    return troublePage(language, { kind: 'forbidden' });
  }
  return page(
    words.edit_title,
    <>
      <KeyDetails of={key} words={words} />
      <KeyForm
        action={`/keys/${key.id}/edit`}
        button={words.save}
        values={values}
        fault={fault}
        scopes={scopesFor(account.role, session.environment)}
        expires_at={key.expires_at}
      />
    </>,
    fault ? 422 : 200,
  );
}

export async function submitEdit(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, form, language } = visit;
  const words = WORDS[language];
  const key = await findKey(dependencies.db, visit);
  if (!key) return troublePage(language, { kind: 'unknown' });
  const changes = readKeyForm(visit);
  if (isKeyFault(changes) || !mayGetKey(account.role, session.environment, key)) {
    return editPage(visit, key, form, isKeyFault(changes) ? changes : undefined);
  }
  const changed = await updateKey(toolsFor(dependencies, visit), key.id, changes);
  const subject = `api_key/${key.id}`;
  if (changed.ok) return seeOther('/keys', { flash: { notice: words.saved }, subject });
  if (changed.error !== 'not_found') return editPage(visit, key, form, changed.error);
  return seeOther('/keys', { flash: { notice: words.already_revoked, tone: 'bad' }, subject });
}

function KeyDetails({
  of: { name, key_prefix, last_four, created_at, made_by },
  words,
}: {
  readonly of: OwnKey;
  readonly words: (typeof WORDS)['en'];
}): VNode {
  return (
    <Details
      rows={[
        { term: words.name, value: name || words.unnamed },
        { term: words.key, value: <code>{`${key_prefix}_…${last_four}`}</code> },
        { term: words.created, value: <Time at={created_at} /> },
        { term: words.made_by, value: made_by ?? words.made_by_operators },
      ]}
    />
  );
}

export async function rotate(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { account, session, language } = visit;
  const words = WORDS[language];
  const key = await findKey(dependencies.db, visit);
  if (!key) return troublePage(language, { kind: 'unknown' });
  if (!mayRotate(visit, key)) return troublePage(language, { kind: 'forbidden' });
  const overlap = OVERLAPS.find((one) => String(one) === visit.form.get('overlap')) ?? 0;
  const rotated = await rotateKey(toolsFor(dependencies, visit), key.id, {
    overlap_seconds: overlap,
    of_scopes: scopesFor(account.role, session.environment),
    ...(key.expires_at === null ? {} : readExpiry(visit.form)),
  });
  // The key was revoked or the identity check has expired meanwhile: the list says which.
  if (!rotated.ok) {
    const notice = rotated.error === 'kyc_required' ? words.needs_check : words.already_revoked;
    return seeOther('/keys', { flash: { notice, tone: 'bad' }, subject: `api_key/${key.id}` });
  }
  const secret = { kind: 'key', label: words.new_key, value: rotated.key } as const;
  return seeOther('/keys', {
    flash: { notice: overlap === 0 ? words.rotated : words.rotated_later, secret },
    subject: `api_key/${key.id} → api_key/${rotated.id}`,
  });
}

export async function revoke(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<Answer> {
  const { language } = visit;
  const words = WORDS[language];
  const key = await findKey(dependencies.db, visit);
  const revoked = key && (await revokeKey(toolsFor(dependencies, visit), key.id));
  if (!revoked?.ok) return troublePage(language, { kind: 'unknown' });
  const notice = words.revoked_notice(revoked.key.name || words.unnamed);
  return seeOther('/keys', { flash: { notice }, subject: `api_key/${revoked.key.id}` });
}

export function toolsFor(
  { db, config }: DashboardDependencies,
  { account, session }: MemberVisit,
): KeyDependencies {
  const author = { user_id: account.user_id, login_id: session.login_id };
  const { key_prefixes, payout_keys_need_addresses } = config;
  return { db, key_prefix: key_prefixes[0]!, payout_keys_need_addresses, author };
}
