// The account's data, and its identity check with what comes next.

import type { JSX } from 'preact';
import { findLatestIdentityCheck, type IdentityCheck } from '../../db/accounts/identity-checks';
import { listPictureSides, type PictureSide } from '../../db/accounts/identity-pictures';
import {
  DOCUMENT_TYPES,
  IDENTITY_LENGTHS,
  maySubmit,
  readIdentity,
  type Identity,
  type IdentityFaults,
  type KycStatus,
} from '../../domain/identity';
import { hasLogo } from '../../db/accounts/public-profiles';
import { findUser, type UserRow } from '../../db/accounts/users';
import type { Db } from '../../db/connect';
import { findMemberMails, setMemberMails } from '../../db/people/news';
import { MAIL_KINDS, mayDo, type MailKind } from '../../domain/members';
import { findOwnIdentity, submitIdentity } from '../../use-cases/identity-checks';
import { formatCountry } from '../../pages/formats';
import { COUNTRIES } from '../../domain/country';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type MemberVisit,
  type PageAnswer,
} from '../context';
import { ActionButton, Button, Checkboxes, Field, Form, Select } from '../forms';
import { Details, Link, Notice, Tag, Time, type Tone } from '../parts';
import { useFrame } from '../frame';
import { PICTURE_ROUTES, Pictures } from './pictures';
import { PUBLIC_PROFILE_ROUTES, PublicProfile } from './public';
import { WORDS } from './words';

export const PROFILE_ROUTES = [
  pageRoute('/profile', 'read', async ({ db }, visit) => {
    return profilePage(await readContent(db, visit, {}));
  }),
  formRoute(
    '/profile/identity-check',
    'profile',
    'profile.identity_check',
    async (dependencies, visit) => {
      const { db, sealer, config, wakeIdentityCheck, log } = dependencies;
      const { account, session, form, language } = visit;
      const words = WORDS[language];
      const today = new Date().toISOString().slice(0, 10);
      const read = readIdentity((name) => form.get(name) ?? '', COUNTRIES, today);
      const { identity, faults } = read;
      if (Object.keys(faults).length > 0) {
        return profilePage(await readContent(db, visit, faults));
      }
      const { user_id } = account;
      const owner = { user_id, login_id: session.login_id };
      const times = config.identity_checks;
      const id = await submitIdentity({ db, sealer, times }, owner, identity);
      if (id === undefined) {
        return seeOther('/profile', { flash: { notice: words.not_possible, tone: 'bad' } });
      }
      // If this fails, the sweeper starts the workflow.
      void wakeIdentityCheck(user_id).catch((error: unknown) =>
        log({ part: 'identity-checks', check: id, error: String(error) }),
      );
      return seeOther('/profile', { flash: { notice: words.submitted }, subject: id });
    },
  ),
  ...PICTURE_ROUTES,
  /** The form with what was sent. The log of activities says who looked. */
  formRoute(
    '/profile/identity-check/correct',
    'profile',
    'profile.read_identity',
    async ({ db, sealer }, visit) => {
      const { account, session } = visit;
      const owner = { user_id: account.user_id, login_id: session.login_id };
      const sent = (await findOwnIdentity({ db, sealer }, owner)) ?? {};
      return profilePage({ ...(await readContent(db, visit, {})), sent });
    },
    'always',
  ),
  formRoute(
    '/profile/mails',
    'read',
    'profile.mails',
    async ({ db }, { account, session, form, language }) => {
      const mails = MAIL_KINDS.filter((kind) => form.getAll('mails').includes(kind));
      await setMemberMails(db, session.login_id, account.user_id, mails);
      return seeOther('/profile', { flash: { notice: WORDS[language].saved_mails } });
    },
  ),
  ...PUBLIC_PROFILE_ROUTES,
];

async function readContent(db: Db, visit: MemberVisit, faults: IdentityFaults): Promise<Content> {
  const { user_id } = visit.account;
  const [check, user, has_logo, mails] = await Promise.all([
    findLatestIdentityCheck(db, user_id),
    findUser(db, user_id),
    hasLogo(db, user_id),
    findMemberMails(db, visit.session.login_id, user_id),
  ]);
  const sides = check?.status === 'pending' ? await listPictureSides(db, check.id) : [];
  return { visit, check, faults, user: user!, has_logo, mails, sides };
}

interface Content {
  readonly visit: MemberVisit;
  readonly check: IdentityCheck | undefined;
  readonly faults: IdentityFaults;
  readonly user: UserRow;
  readonly has_logo: boolean;
  readonly mails: readonly MailKind[];
  readonly sides: readonly PictureSide[];
  /**
   * The values with which the form begins; left out: it is shown when a person asks to correct it.
   */
  readonly sent?: Partial<Identity> | undefined;
}

export const KYC_TONES: Readonly<Record<KycStatus, Tone>> = {
  not_started: 'quiet',
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'bad',
};

function profilePage(content: Content): PageAnswer {
  const { visit, check, faults, user, has_logo, mails, sides, sent } = content;
  const { account, session, language } = visit;
  const words = WORDS[language];
  const status = account.kyc_status as KycStatus;
  const name = [account.first_name, account.last_name].filter(Boolean).join(' ');
  const mayWrite = mayDo(account.role, 'profile', session.environment);
  const isFaulty = Object.keys(faults).length > 0;
  const isCorrectable =
    (status === 'rejected' || status === 'expired') && check?.submitted_by === session.email;
  return page(
    words.profile,
    <>
      <Details
        rows={[
          [words.username, account.username],
          [words.name, name || '–'],
          [words.email, session.email],
          [words.country, formatCountry(language, account.country)],
          [words.role, words.roles[account.role]],
        ]}
      />
      <PublicProfile
        visit={visit}
        user={user}
        has_logo={has_logo}
        may_write={mayWrite}
        usual_name={name || account.username}
      />
      <h2 id="check">
        {words.check} <Tag tone={KYC_TONES[status]}>{words.statuses[status]}</Tag>
      </h2>
      <p class="lead">{words.next[status]}</p>
      {check && <CheckDetails check={check} status={status} />}
      {check?.status === 'pending' && check.submitted_by === session.email && (
        <Pictures sides={sides} />
      )}
      {status === 'approved' && mayWrite && (
        <p>
          <Link to="/keys">{words.make_live_key}</Link>
        </p>
      )}
      {maySubmit(status) && !mayWrite && <Notice>{words.owner_only}</Notice>}
      {maySubmit(status) && mayWrite && isCorrectable && !sent && !isFaulty && (
        <p>
          <ActionButton action="/profile/identity-check/correct">{words.correct}</ActionButton>
        </p>
      )}
      {maySubmit(status) && mayWrite && (!isCorrectable || sent || isFaulty) && (
        <IdentityForm visit={visit} sent={sent} />
      )}
      <h2 id="mails">{words.mails}</h2>
      <p class="lead">{words.mails_lead}</p>
      <Form action="/profile/mails" class="card">
        <Checkboxes
          name="mails"
          label={words.mails_of(account.username)}
          options={MAIL_KINDS.map((value) => ({ value, label: words.mail_kinds[value] }))}
          checked={mails}
        />
        <Button>{words.save}</Button>
      </Form>
    </>,
    Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, words.faults[fault]])),
  );
}

function CheckDetails({
  check,
  status,
}: {
  readonly check: IdentityCheck;
  readonly status: KycStatus;
}): JSX.Element | null {
  const { language } = useFrame();
  // The result of an earlier check says nothing about a status that was set since.
  if (check.status !== status) return null;
  const words = WORDS[language];
  const { reason, submitted_by, created_at, decided_at, expires_at } = check;
  const ends_at = status === 'pending' && expires_at;
  return (
    <Details
      rows={[
        [words.reason, reason],
        [words.submitted_at, submitted_by !== null && <Time at={created_at} />],
        [words.decided_at, decided_at && <Time at={decided_at} />],
        [words.expires_at, ends_at && <Time at={ends_at} />],
      ]}
    />
  );
}

function IdentityForm({
  visit: { account, language },
  sent = {},
}: Pick<Content, 'visit' | 'sent'>): JSX.Element {
  const words = WORDS[language];
  const valueOf = (name: keyof Identity, fallback = ''): string => sent[name] ?? fallback;
  const name = [account.first_name, account.last_name].filter(Boolean).join(' ');
  const countries = COUNTRIES.map((value) => ({
    value,
    label: formatCountry(language, value),
  })).sort((one, other) => one.label.localeCompare(other.label, language));
  return (
    <>
      <h2>{words.details}</h2>
      <p class="hint">{words.privacy}</p>
      <Form action="/profile/identity-check" class="card">
        <Select
          name="kind"
          label={words.kind}
          value={valueOf('kind', 'person')}
          options={(['person', 'company'] as const).map((value) => ({
            value,
            label: words.kinds[value],
          }))}
        />
        <Field
          name="legal_name"
          label={words.legal_name}
          value={valueOf('legal_name', name)}
          maxLength={IDENTITY_LENGTHS.legal_name}
          required
        />
        <div class="for-person">
          <Field
            name="birth_date"
            type="date"
            label={words.birth_date}
            hint={words.birth_date_hint}
            autocomplete="bday"
            value={valueOf('birth_date')}
          />
        </div>
        <div class="for-company">
          <Field
            name="registration_number"
            label={words.registration_number}
            hint={words.registration_number_hint}
            value={valueOf('registration_number')}
            maxLength={IDENTITY_LENGTHS.registration_number}
          />
        </div>
        <Field
          name="address"
          label={words.address}
          autocomplete="street-address"
          value={valueOf('address')}
          maxLength={IDENTITY_LENGTHS.address}
          required
        />
        <Select
          name="country"
          label={words.country}
          value={valueOf('country', account.country)}
          options={countries}
        />
        <Select
          name="document_type"
          label={words.document_type}
          value={valueOf('document_type', 'national_id')}
          options={DOCUMENT_TYPES.map((value) => ({ value, label: words.documents[value] }))}
        />
        <Field
          name="document_number"
          label={words.document_number}
          value={valueOf('document_number')}
          maxLength={IDENTITY_LENGTHS.document_number}
          required
        />
        <Button>{words.submit}</Button>
      </Form>
    </>
  );
}
