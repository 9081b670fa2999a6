// The identity check of an account: how it stands, what comes next, and its form.

import { findLatestIdentityCheck, type IdentityCheck } from '../../db/accounts/identity-checks';
import { listPictureSides } from '../../db/accounts/identity-pictures';
import type { Db } from '../../db/connect';
import { COUNTRIES } from '../../domain/country';
import {
  DOCUMENT_TYPES,
  IDENTITY_LENGTHS,
  maySubmit,
  readIdentity,
  type Identity,
  type IdentityFaults,
  type KycStatus,
} from '../../domain/identity';
import { mayDo } from '../../domain/members';
import { formatCountry } from '../../pages/formats';
import { findOwnIdentity, submitIdentity } from '../../use-cases/identity-checks';
import {
  formRoute,
  page,
  pageRoute,
  seeOther,
  type MemberVisit,
  type PageAnswer,
} from '../context';
import { ActionButton, Button, Field, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { GoLive } from '../live-mode';
import { Details, Notice, Tag, Time, type Tone } from '../parts';
import { PICTURE_ROUTES, Pictures } from './pictures';
import { WORDS } from './words';

export const IDENTITY_ROUTES = [
  pageRoute('/identity', 'read', async ({ db }, visit) => identityPage(db, visit)),
  formRoute('/identity', 'profile', 'profile.identity_check', async (dependencies, visit) => {
    const { db, sealer, config, wakeIdentityCheck, log } = dependencies;
    const { account, session, form, language } = visit;
    const words = WORDS[language];
    const today = new Date().toISOString().slice(0, 10);
    const read = readIdentity((name) => form.get(name) ?? '', COUNTRIES, today);
    const { identity, faults } = read;
    if (Object.keys(faults).length > 0) {
      return identityPage(db, visit, { faults });
    }
    const { user_id } = account;
    const owner = { user_id, login_id: session.login_id };
    const times = config.identity_checks;
    const id = await submitIdentity({ db, sealer, times }, owner, identity);
    if (id === undefined) {
      return seeOther('/identity', { flash: { notice: words.not_possible, tone: 'bad' } });
    }
    // If this fails, the sweeper starts the workflow.
    void wakeIdentityCheck(user_id).catch((error: unknown) =>
      log({ part: 'identity-checks', check: id, error: String(error) }),
    );
    return seeOther('/identity', { flash: { notice: words.submitted }, subject: id });
  }),
  /** The form with what was sent. The log of activities says who looked. */
  formRoute(
    '/identity/correct',
    'profile',
    'profile.read_identity',
    async ({ db, sealer }, visit) => {
      const { account, session } = visit;
      const owner = { user_id: account.user_id, login_id: session.login_id };
      const sent = (await findOwnIdentity({ db, sealer }, owner)) ?? {};
      return identityPage(db, visit, { sent });
    },
    'always',
  ),
  ...PICTURE_ROUTES,
];

/** `sent`: the values with which the form begins; without them it is shown when a person asks to correct it. */
interface Given {
  readonly faults?: IdentityFaults;
  readonly sent?: Partial<Identity> | undefined;
}

export const KYC_TONES: Readonly<Record<KycStatus, Tone>> = {
  not_started: 'quiet',
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'bad',
};

async function identityPage(
  db: Db,
  visit: MemberVisit,
  { faults = {}, sent }: Given = {},
): Promise<PageAnswer> {
  const { account, session, language } = visit;
  const check = await findLatestIdentityCheck(db, account.user_id);
  const sides = check?.status === 'pending' ? await listPictureSides(db, check.id) : [];
  const words = WORDS[language];
  const status = account.kyc_status as KycStatus;
  const mayWrite = mayDo(account.role, 'profile', session.environment);
  const isFaulty = Object.keys(faults).length > 0;
  const isCorrectable =
    (status === 'rejected' || status === 'expired') && check?.submitted_by === session.email;
  const mayCorrect = isCorrectable && !sent && !isFaulty;
  return page(
    words.check,
    <>
      <p>
        <Tag tone={KYC_TONES[status]}>{words.statuses[status]}</Tag>
      </p>
      <p class="lead">{words.next[status]}</p>
      {status === 'approved' && <GoLive session={session} />}
      {check && <CheckDetails check={check} status={status} />}
      {check?.status === 'pending' && check.submitted_by === session.email && (
        <Pictures sides={sides} />
      )}
      {maySubmit(status) && !mayWrite && <Notice>{words.owner_only}</Notice>}
      {maySubmit(status) && mayWrite && mayCorrect && (
        <p>
          <ActionButton action="/identity/correct">{words.correct}</ActionButton>
        </p>
      )}
      {maySubmit(status) && mayWrite && !mayCorrect && <IdentityForm visit={visit} sent={sent} />}
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
}) {
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
}: Pick<Given, 'sent'> & { readonly visit: MemberVisit }) {
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
      <Form action="/identity" class="card">
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
