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
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildPng } from '../support/pictures';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { signInColleague, signInOwner, type Member } from './accounts';
import { mailsTo } from './mails';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, { kyc: 'not_started' });
});

const PERSON = {
  kind: 'person',
  legal_name: 'Awa Diop',
  birth_date: '1990-02-03',
  address: '1 rue X',
  country: 'SN',
  document_type: 'passport',
  document_number: 'A-17',
};

const decide = (decision: 'approved' | 'rejected', reason?: string) =>
  decideIdentityCheck({ db: database.operator, actor: 'awa' }, owner.user.username, {
    decision,
    reason,
  });

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
    await owner.visitor.open('/profile');
    const page = await owner.visitor.submit('/profile/identity-check', { ...PERSON, ...fields });
    expect([page.status, page.heading]).toEqual([422, 'Profile']);
    expect(page.text).toContain(message);
    const address = page.document.querySelector('input[name=address]');
    expect(address?.getAttribute('value')).toBe('1 rue X');
  });

  it('says what comes next, from the submission to a rejection with its reason and to the approval', async () => {
    const { visitor, user } = owner;
    const before = await visitor.open('/profile');
    expect(before.text).toContain('Live keys need a check of who you are');
    const sent = await visitor.submit('/profile/identity-check', PERSON);
    expect([sent.status, sent.path]).toEqual([200, '/dashboard/profile']);
    expect(sent.text).toContain('Your details were sent.');
    expect(sent.text).toContain('An operator is looking at your details');
    expect(sent.document.querySelector('form[action$=identity-check]')).toBeNull();
    expect(sent.text).not.toContain('A-17');

    await decide('rejected', 'The document has expired.');
    const rejected = await visitor.open('/profile');
    expect(rejected.text).toContain('Not approved');
    expect(rejected.text).toContain('The document has expired.');

    const overview = await visitor.open('/');
    expect(overview.document.querySelector('.steps .bad')?.structuredText).toBe(
      'Not approved: The document has expired. Correct it',
    );

    await visitor.open('/profile');
    const form = await visitor.submit('/profile/identity-check/correct');
    const filled = form.document
      .querySelectorAll('form[action$=identity-check] input:not([type=hidden])')
      .map((input) => input.getAttribute('value'));
    expect(filled).toEqual([
      PERSON.legal_name,
      PERSON.birth_date,
      '',
      PERSON.address,
      PERSON.document_number,
    ]);
    const again = await visitor.submit('/profile/identity-check', PERSON);
    expect(again.text).toContain('An operator is looking at your details');
    expect(again.text).not.toContain('The document has expired.');
    await decide('approved');
    const approved = await visitor.open('/profile');
    expect(approved.text).toContain('you can create live keys');
    // The workflow runs in this service: it has written about the rejection, at the latest now.
    await waitFor(async () =>
      (await mailsTo(database, user.email)).some(({ text }) =>
        text.includes('document has expired'),
      ),
    );
  });

  it('gives back only what the person has sent, and only for correcting it', async () => {
    const { db } = database;
    const one = await buildUser(db, { kyc: 'not_started' });
    const login_of = async (name: string) => (await findLogin(db, name))!.id;
    const login_id = await login_of(one.username);
    const other_login = await login_of(owner.user.username);
    const sealer = createSealer([TEST_SECRETS_KEY]);
    const times = { remind_after_seconds: [], expires_after_seconds: 3_600 };
    const identity = { ...PERSON, registration_number: '' } as Identity;
    await submitIdentity({ db, sealer, times }, { user_id: one.id, login_id }, identity);
    const read = (login: string) =>
      findOwnIdentity({ db, sealer }, { user_id: one.id, login_id: login });
    const decideFor = (decision: 'approved' | 'rejected') =>
      decideIdentityCheck({ db: database.operator, actor: 'awa' }, one.username, { decision });
    expect(await read(login_id)).toBeUndefined();
    await decideFor('rejected');
    expect([await read(login_id), await read(other_login)]).toEqual([identity, undefined]);
    await submitIdentity({ db, sealer, times }, { user_id: one.id, login_id }, identity);
    await decideFor('approved');
    expect(await read(login_id)).toBeUndefined();
  });

  it('is in French, too', async () => {
    const page = await owner.visitor.open('/profile', { 'Accept-Language': 'fr' });
    expect(page.text).toContain('Vérification d’identité');
  });
});

describe('what customers see', () => {
  const upload = async (file: Buffer): Promise<string> => {
    const { visitor } = owner;
    const page = await visitor.open('/profile');
    const form = page.document
      .querySelectorAll('form')
      .find((one) => one.getAttribute('action')?.endsWith('/profile/logo'))!;
    expect(form.getAttribute('enctype')).toBe('multipart/form-data');
    const body = new FormData();
    for (const input of form.querySelectorAll('input[type=hidden]')) {
      body.append(input.getAttribute('name')!, input.getAttribute('value')!);
    }
    body.append('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'logo.png');
    const init = { method: 'POST', body };
    const response = await visitor.request('/dashboard/profile/logo', init);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/dashboard/profile',
    ]);
    return (await visitor.open('/profile')).text;
  };

  it('is set by the owner, and is on the pay page', async () => {
    const { visitor, user } = owner;
    await visitor.open('/profile');
    const fields = { display_name: '  Chez  Fatou ', contact: '+221 77 123 45 67' };
    const saved = await visitor.submit('/profile/public', fields);
    expect(saved.text).toContain('Saved');
    expect(await findUser(database.db, user.id)).toMatchObject({
      display_name: 'Chez Fatou',
      contact: '+221 77 123 45 67',
    });
    await visitor.submit('/profile/public', { display_name: '', contact: '' });
    expect(await findUser(database.db, user.id)).toMatchObject({
      display_name: null,
      contact: null,
    });
  });

  it('says of a logo that was refused, in the log of activities, that it was', async () => {
    await upload(Buffer.from('no picture'));
    const page = await owner.visitor.open('/activity');
    expect(page.document.querySelector('tbody tr')!.text).toMatch(/Changed the logo.*Refused/s);
  });

  it('has a logo, which is written again by us, and taken away', async () => {
    const { visitor } = owner;
    expect(await upload(buildPng(512, 128))).toContain('Saved');
    const shown = await visitor.request('/dashboard/profile/logo');
    expect(shown.headers.get('content-type')).toBe('image/png');
    const { width, height } = PNG.sync.read(Buffer.from(await shown.arrayBuffer()));
    expect([width, height]).toEqual([256, 64]);
    await visitor.open('/profile');
    await visitor.submit('/profile/logo/remove');
    expect((await visitor.request('/dashboard/profile/logo')).status).toBe(404);
  });

  it('takes no file that is far too large, and forges no request', async () => {
    const { visitor } = owner;
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(300_000)]), 'logo.png');
    const large = await visitor.request('/dashboard/profile/logo', { method: 'POST', body });
    expect(large.status).toBe(413);
    const bare = new FormData();
    bare.append('file', new Blob([new Uint8Array(buildPng(64, 64))]), 'logo.png');
    const forged = await visitor.request('/dashboard/profile/logo', { method: 'POST', body: bare });
    expect(forged.status).toBe(403);
    expect((await visitor.request('/dashboard/profile/logo')).status).toBe(404);
  });
});

it('has a switch for each kind of mail, which only the person turns', async () => {
  const { visitor } = owner;
  const checked = (): string[] =>
    visitor.page.document
      .querySelectorAll('input[name=mails][checked]')
      .map((box) => box.getAttribute('value')!);
  const other = await signInColleague(service, database, owner.user, 'developer');
  await visitor.open('/profile');
  expect(checked()).toEqual(['payments', 'endpoints']);
  await visitor.submit('/profile/mails', { mails: 'digest' });
  expect([visitor.page.status, checked()]).toEqual([200, ['digest']]);
  await other.open('/profile');
  expect(
    other.page.document
      .querySelectorAll('input[name=mails][checked]')
      .map((box) => box.getAttribute('value')),
  ).toEqual(['endpoints']);
});
