// The profile and its identity check, by plain HTTP.

import { PNG } from 'pngjs';
import { findUser } from '../../db/accounts/users';
import { findLogin } from '../../db/people/logins';
import type { Identity } from '../../domain/identity';
import { createSealer } from '../../secrets/seal';
import {
  decideIdentityCheck,
  findOwnIdentity,
  submitIdentity,
} from '../../use-cases/identity-checks';
import { buildPng } from '../support/pictures';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { mailsTo } from './mails';
import { expectPage, type GivenFields, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ kyc: 'not_started' });

const PERSON = {
  kind: 'person',
  legal_name: 'Awa Diop',
  birth_date: '1990-02-03',
  address: '1 rue X',
  country: 'SN',
  document_type: 'passport',
  document_number: 'A-17',
};

const decide = (decision: 'approved' | 'rejected', reason?: string, username = w.user.username) =>
  decideIdentityCheck({ db: w.database.operator, actor: 'awa' }, username, { decision, reason });
const send = (action: string, fields: GivenFields = {}): Promise<VisitedPage> =>
  w.visitor.fill(action.startsWith('/identity') ? '/identity' : '/profile', fields, action);

describe('the profile', () => {
  it.each([
    ['a name', { legal_name: ' ' }, 'This is needed.'],
    ['a date of birth', { birth_date: '' }, 'This is needed.'],
    ['a date that exists', { birth_date: '1990-02-31' }, 'This is not a date'],
    ['a date in the past', { birth_date: '2999-01-01' }, 'lies in the future'],
    ['an adult', { birth_date: `${new Date().getUTCFullYear() - 10}-01-01` }, 'at least 18'],
    ['a registration number of a company', { kind: 'company' }, 'This is needed.'],
    ['a country that exists', { country: 'XX' }, 'Choose one.'],
    ['a known kind of document', { document_type: 'letter' }, 'Choose one.'],
    ['a document number that is no novel', { document_number: 'x'.repeat(65) }, 'too long'],
  ])('asks for %s, and keeps what was entered', async (_what, fields, message) => {
    const page = await send('/identity', { ...PERSON, ...fields });
    expectPage(page, 422, 'Identity check', message);
    expect(page.value('address')).toBe('1 rue X');
  });

  it('says what comes next, from the submission to a rejection with its reason and to the approval', async () => {
    const LOOKING = 'An operator is looking at your details';
    const EXPIRED = 'The document has expired.';
    const { visitor, user } = w;
    expectPage(await visitor.open('/identity'), 200, 'we need to know who you are');
    const sent = await visitor.submit('/identity', PERSON);
    expectPage(sent, 200, 'Your details were sent.', LOOKING);
    expect(sent.document.querySelector('form[action$=identity]')).toBeNull();
    expect(sent.text).not.toContain('A-17');

    await decide('rejected', EXPIRED);
    expectPage(await visitor.open('/identity'), 200, 'Not approved', EXPIRED);
    const overview = await visitor.open('/');
    expect(overview.document.querySelector('.steps .bad')?.structuredText).toBe(
      `Not approved: ${EXPIRED} Correct it`,
    );
    const form = await send('/identity/correct');
    for (const [name, value] of Object.entries(PERSON)) {
      expect([name, form.value(name)]).toEqual([name, value]);
    }
    const again = await visitor.submit('/identity', PERSON);
    expectPage(again, 200, LOOKING);
    expect(again.text).not.toContain(EXPIRED);
    await decide('approved');
    expectPage(await visitor.open('/identity'), 200, 'this account may take real money');
    const french = await visitor.open('/identity', { 'Accept-Language': 'fr' });
    expectPage(french, 200, 'Vérification d’identité');
    // The workflow runs in this service: it has written about the rejection, at the latest now.
    await waitFor(async () =>
      (await mailsTo(w.database, user.email)).some(({ text }) => text.includes(EXPIRED)),
    );
  });

  it('gives back only what the person has sent, and only for correcting it', async () => {
    const { db } = w.database;
    const one = await buildUser(db, { kyc: 'not_started' });
    const [login_id, other] = await Promise.all(
      [one, w.user].map(async ({ username }) => (await findLogin(db, username))!.id),
    );
    const sealer = createSealer([TEST_SECRETS_KEY]);
    const times = { remind_after_seconds: [], expires_after_seconds: 3_600 };
    const identity = { ...PERSON, registration_number: '' } as Identity;
    const submit = () =>
      submitIdentity({ db, sealer, times }, { user_id: one.id, login_id: login_id! }, identity);
    const read = (login = login_id!) =>
      findOwnIdentity({ db, sealer }, { user_id: one.id, login_id: login });
    await submit();
    expect(await read()).toBeUndefined();
    await decide('rejected', undefined, one.username);
    expect([await read(), await read(other)]).toEqual([identity, undefined]);
    await submit();
    await decide('approved', undefined, one.username);
    expect(await read()).toBeUndefined();
  });
});

describe('what customers see', () => {
  const post = (file: Buffer, fields: readonly (readonly [string, string])[] = []) => {
    const body = new FormData();
    for (const [name, value] of fields) body.append(name, value);
    body.append('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'logo.png');
    return w.visitor.request('/dashboard/profile/logo', { method: 'POST', body });
  };
  const upload = async (file: Buffer): Promise<VisitedPage> => {
    const { document } = await w.visitor.open('/profile');
    const form = document.querySelector('form[action$="/profile/logo"]')!;
    expect(form.getAttribute('enctype')).toBe('multipart/form-data');
    const hidden = form
      .querySelectorAll('input[type=hidden]')
      .map((one) => [one.getAttribute('name')!, one.getAttribute('value')!] as const);
    const { status, headers } = await post(file, hidden);
    expect([status, headers.get('location')]).toEqual([303, '/dashboard/profile']);
    return w.visitor.open('/profile');
  };
  const logo = () => w.visitor.request('/dashboard/profile/logo');

  it('is set by the owner, and is on the pay page', async () => {
    const contact = '+221 77 123 45 67';
    expectPage(await send('/public', { display_name: '  Chez  Fatou ', contact }), 200, 'Saved');
    const shown = () => findUser(w.database.db, w.user.id);
    expect(await shown()).toMatchObject({ display_name: 'Chez Fatou', contact });
    await send('/public', { display_name: '', contact: '' });
    expect(await shown()).toMatchObject({ display_name: null, contact: null });
  });

  it('has a logo, which is written again by us, and taken away', async () => {
    await upload(Buffer.from('no picture'));
    const { rows } = await w.visitor.open('/activity');
    expect(rows[0]).toMatch(/Changed the logo.*Refused/s);
    expectPage(await upload(buildPng(512, 128)), 200, 'Saved');
    const shown = await logo();
    expect(shown.headers.get('content-type')).toBe('image/png');
    const { width, height } = PNG.sync.read(Buffer.from(await shown.arrayBuffer()));
    expect([width, height]).toEqual([256, 64]);
    await send('/logo/remove');
    expect((await logo()).status).toBe(404);
  });

  it('takes no file that is far too large, and forges no request', async () => {
    expect((await post(Buffer.alloc(300_000))).status).toBe(413);
    expect([(await post(buildPng(64, 64))).status, (await logo()).status]).toEqual([403, 404]);
  });
});

it('has a switch for each kind of mail, which only the person turns', async () => {
  const checked = ({ document }: VisitedPage) =>
    document.querySelectorAll('input[name=mails][checked]').map((box) => box.getAttribute('value'));
  const other = await w.colleague('developer');
  expect(checked(await w.visitor.open('/profile'))).toEqual(['payments', 'endpoints']);
  expect(checked(await w.visitor.submit('/profile/mails', { mails: 'digest' }))).toEqual([
    'digest',
  ]);
  expect(checked(await other.open('/profile'))).toEqual(['endpoints']);
});
