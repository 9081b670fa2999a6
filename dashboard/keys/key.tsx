// Making a key, and changing one. Rotating and revoking ask first: programs that use the key fail from then on.

import { findOwnKey, type OwnKey } from '../../db/keys/api-keys';
import { isUuid } from '../../domain/ids';
import { mayGetKey } from '../../domain/members';
import { Refusal } from '../../domain/refusal';
import {
  createKey,
  revokeKey,
  rotateKey,
  updateKey,
  type KeyDependencies,
} from '../../use-cases/api-keys';
import { seeOther, type DashboardDependencies, type MemberVisit } from '../context';
import { formRoutes } from '../form-page';
import { useFrame } from '../frame';
import { Details, Link, Time } from '../parts';
import { expiryShape, EXPIRES, KEY, keyFault, keyFields, keyShapes, readExpiry } from './form';
import { WORDS } from './words';

/** Seconds for which the old key stays valid beside the new one. */
const OVERLAPS = [0, 3_600, 86_400] as const;

const ROTATION = {
  type: 'object',
  required: ['overlap'],
  properties: { overlap: { type: 'string', enum: OVERLAPS.map(String) }, expires: EXPIRES },
} as const;

const linksOf = (language: MemberVisit['language']) => [
  { to: '/keys', label: WORDS[language].keys },
];

/** Finds a key of the account and the environment that are shown. */
async function findKey(
  { db }: DashboardDependencies,
  { account, session, params }: MemberVisit,
): Promise<OwnKey | undefined> {
  const id = params['id'] ?? '';
  return isUuid(id) ? findOwnKey(db, account.user_id, session.environment, id) : undefined;
}

/** A key that may do more than the person is not changed by them; the person who rotates a key gets the new one. */
async function findOwnEqual(
  dependencies: DashboardDependencies,
  visit: MemberVisit,
): Promise<OwnKey | undefined> {
  const { account, session } = visit;
  const key = await findKey(dependencies, visit);
  if (key && !mayGetKey(account.role, session.environment, key)) throw new Refusal('forbidden');
  return key;
}

const isOver = ({ revoked_at, expires_at }: OwnKey): boolean =>
  [revoked_at, expires_at].some((at) => at !== null && Date.parse(at) <= Date.now());

function KeyDetails({
  of: { name, key_prefix, last_four, created_at, made_by },
}: {
  readonly of: OwnKey;
}) {
  const words = WORDS[useFrame().language];
  return (
    <Details
      rows={[
        [words.name, name || words.unnamed],
        [words.key, <code>{`${key_prefix}_…${last_four}`}</code>],
        [words.created, <Time at={created_at} />],
        [words.made_by, made_by ?? words.made_by_operators],
      ]}
    />
  );
}

const CHANGED_KEY = {
  access: 'keys',
  confirmed: 'in_live',
  find: findOwnEqual,
  above: (_: MemberVisit, key: OwnKey) => <KeyDetails of={key} />,
} as const;

export const KEY_FORM_ROUTES = [
  ...formRoutes({
    path: '/keys/new',
    access: 'keys',
    action: 'keys.create',
    confirmed: 'in_live',
    words: (language) => {
      const { make } = WORDS[language];
      return { title: make, button: make, links: linksOf(language) };
    },
    body: KEY,
    fields: (_, visit) =>
      needsCheck(visit) ? WORDS[visit.language].needs_check : keyShapes(visit),
    above: (visit) =>
      needsCheck(visit) && (
        <p>
          <Link to="/identity">{WORDS[visit.language].to_profile}</Link>
        </p>
      ),
    send: async (dependencies, visit, read) => {
      const { account, session, language } = visit;
      const words = WORDS[language];
      const made = await createKey(toolsFor(dependencies, visit), {
        ...keyFields(read),
        user_id: account.user_id,
        environment: session.environment,
      });
      if (!made.ok) {
        return made.error === 'kyc_required'
          ? { notice: words.needs_check }
          : keyFault(language, made.error);
      }
      const secret = { kind: 'key', label: words.new_key, value: made.key } as const;
      const flash = { notice: words.made, secret };
      return seeOther('/keys', { flash, subject: `api_key/${made.id}` });
    },
  }),
  ...formRoutes({
    ...CHANGED_KEY,
    path: '/keys/:id/edit',
    action: 'keys.update',
    words: (language) => {
      const { edit_title: title, save: button } = WORDS[language];
      return { title, button, links: linksOf(language) };
    },
    body: KEY,
    fields: (_, visit, key) => keyShapes(visit, key),
    send: async (dependencies, visit, { found: { id }, ...read }) => {
      const { language } = visit;
      const words = WORDS[language];
      const changed = await updateKey(toolsFor(dependencies, visit), id, keyFields(read));
      const subject = `api_key/${id}`;
      if (changed.ok) return seeOther('/keys', { flash: { notice: words.saved }, subject });
      if (changed.error !== 'not_found') return keyFault(language, changed.error);
      return seeOther('/keys', { flash: { notice: words.already_revoked, tone: 'bad' }, subject });
    },
  }),
  ...formRoutes({
    ...CHANGED_KEY,
    path: '/keys/:id/rotate',
    action: 'keys.rotate',
    words: (language) => {
      const { rotate_title: title, rotate_text: lead, rotate_now: button } = WORDS[language];
      return { title, lead, button, links: linksOf(language) };
    },
    body: ROTATION,
    fields: (_, { language, ctx }, key) => {
      const { overlap: label, overlap_hint: hint, overlaps, already_revoked } = WORDS[language];
      // During an overlap it is not rotated once more.
      if (ctx.method === 'GET' && (isOver(key) || key.revoked_at !== null)) return already_revoked;
      const options = OVERLAPS.map((one) => ({ value: String(one), label: overlaps[one] }));
      return {
        overlap: { label, hint, options, value: '0' },
        ...(key.expires_at === null ? {} : { expires: expiryShape(language, key.expires_at) }),
      };
    },
    send: async (dependencies, visit, { found: key, body }) => {
      const words = WORDS[visit.language];
      const overlap_seconds = Number(body.overlap);
      const rotated = await rotateKey(toolsFor(dependencies, visit), key.id, {
        overlap_seconds,
        ...(key.expires_at === null ? {} : readExpiry(body.expires)),
      });
      // The key was revoked or the identity check has expired meanwhile: the list says which.
      if (!rotated.ok) {
        const notice = rotated.error === 'kyc_required' ? words.needs_check : words.already_revoked;
        return seeOther('/keys', { flash: { notice, tone: 'bad' }, subject: `api_key/${key.id}` });
      }
      const secret = { kind: 'key', label: words.new_key, value: rotated.key } as const;
      const notice = overlap_seconds === 0 ? words.rotated : words.rotated_later;
      const subject = `api_key/${key.id} → api_key/${rotated.id}`;
      return seeOther('/keys', { flash: { notice, secret }, subject });
    },
  }),
  ...formRoutes({
    path: '/keys/:id/revoke',
    access: 'keys',
    action: 'keys.revoke',
    find: findKey,
    words: (language) => {
      const { revoke_title: title, revoke_text: lead, revoke_now: button } = WORDS[language];
      return { title, lead, button, look: 'danger', links: linksOf(language) };
    },
    above: (_, key) => <KeyDetails of={key} />,
    fields: (_, { language, ctx }, key) =>
      ctx.method === 'GET' && isOver(key) ? WORDS[language].already_revoked : {},
    send: async (dependencies, visit, { found }) => {
      const words = WORDS[visit.language];
      const revoked = await revokeKey(toolsFor(dependencies, visit), found.id);
      if (!revoked.ok) return undefined;
      const { id, name } = revoked.key;
      const notice = words.revoked_notice(name || words.unnamed);
      return seeOther('/keys', { flash: { notice }, subject: `api_key/${id}` });
    },
  }),
];

export function needsCheck({ session, account }: MemberVisit): boolean {
  return session.environment === 'live' && account.kyc_status !== 'approved';
}

function toolsFor(
  { db, config }: DashboardDependencies,
  { account, session }: MemberVisit,
): KeyDependencies {
  const author = { user_id: account.user_id, login_id: session.login_id };
  const { payout_keys_need_addresses } = config;
  return { db, payout_keys_need_addresses, author };
}
