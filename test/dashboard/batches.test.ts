// Sending many from the dashboard: a file, what is wrong with it line by line, what it would come to, and the
// batch that it becomes, once.

import { openConnection, requestHead } from '../api/support/raw';
import { buildUser, type TestUser } from '../support/users';
import { expectBooksHold } from '../support/books';
import { waitFor } from '../support/wait';
import { type VisitedPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld({
  funds: { sandbox: { XOF: 500_000n }, live: { XOF: 1_000_000n, EUR: 10_000n } },
});
let awa: TestUser;

beforeAll(async () => {
  awa = await buildUser(w.database.db);
  await w.show('live');
});

afterEach(async () => {
  await expectBooksHold(w.database.db);
});

/** The page that follows the upload of a file with this text. */
async function upload(
  text: string | Uint8Array<ArrayBuffer>,
  { by = w.visitor, mode = 'independent', kind = '/batches' } = {},
): Promise<VisitedPage> {
  const page = await by.open(kind === '/batches' ? '/batches/new' : '/payout-batches/file');
  const form = new FormData();
  const fields = page.document
    .querySelectorAll('form')
    .find((one) => one.getAttribute('action') === `/dashboard${kind}`)!
    .querySelectorAll('input[type=hidden]');
  for (const field of fields) form.set(field.getAttribute('name')!, field.getAttribute('value')!);
  form.set('mode', mode);
  form.set('file', new Blob([text], { type: 'text/csv' }), 'payouts.csv');
  const response = await by.request(`/dashboard${kind}`, { method: 'POST', body: form });
  const to = response.headers.get('Location');
  if (to !== null) {
    await response.arrayBuffer();
    return by.open(to);
  }
  const html = await response.text();
  return { ...page, status: response.status, html, text: html };
}

/** The batch's page, once it is over. */
async function finished(page: VisitedPage): Promise<VisitedPage> {
  return waitFor(async () => {
    const now = await w.visitor.open(page.path);
    return !now.text.includes('Under way') && now;
  });
}

const sent = async (): Promise<bigint> => 1_000_000n - (await w.balance('live'));

describe('a file', () => {
  it('is checked, shown, sent once, and has a page with its progress', async () => {
    const before = await sent();
    const text = `to_username,currency,amount\n${awa.username},XOF,100\nnobody-here,XOF,5\n${awa.username},XOF,200\n`;
    const checked = await finished(await upload(text));
    expect(checked.heading).toBe('Check of a batch');
    expect(checked.text).toContain('Nothing has been sent');
    expect(checked.text).toContain('No account has this username.');
    expect(checked.text).toContain('What would be refused is not sent.');
    const names = checked.document
      .querySelectorAll('td.as-what')
      .map((cell) => cell.textContent.trim());
    const known = `Test Person ${awa.username}`;
    expect(names).toEqual([known, 'nobody-here', known]);
    const button = checked.document.querySelector('form[action$="/send"] button')!;
    expect(button.textContent).toMatch(/^Send 300\sFCFA to 1 person$/);
    expect(await sent()).toBe(before);

    const page = await w.visitor.submit('/send');
    expect(page.path).toMatch(/^\/dashboard\/batches\/[0-9a-f-]{36}$/);
    expect(page.path).not.toBe(checked.path);
    const done = await finished(page);
    expect(done.heading).toBe('Batch of transfers');
    expect(await sent()).toBe(before + 30_000n);
    // The same file once more is told, and sending the checked page once more leads to the same batch.
    const same = 'transfers are the same, by recipient and amount, as in a list of the past 5 days';
    expect(checked.text).not.toContain(same);
    const again = await finished(await upload(text.replace('XOF,100', 'XOF,101')));
    expect(again.text).toContain('1 transfer is the same, by recipient and amount');
    expect(again.document.querySelector('main .notice.warn a')!.getAttribute('href')).toBe(
      page.path,
    );
    expect((await w.visitor.open(checked.path)).text).toContain(`2 ${same}`);
    expect((await w.visitor.submit('/send')).path).toBe(page.path);
    expect(await sent()).toBe(before + 30_000n);

    const file = await w.visitor.request(`${page.path}/transfers.csv`);
    expect(file.headers.get('content-disposition')).toContain('attachment');
    const lines = (await file.text()).trimEnd().split('\n');
    // The line that the check refused was on the page, but not on the button.
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toContain('nobody-here');
    const french = await w.visitor.request(`${page.path}/transfers.csv?lang=fr`);
    expect(await french.text()).toContain(`\r\n0;${awa.username};XOF;100,00;`);
    await (await w.visitor.request('/dashboard/?lang=en')).arrayBuffer();
    const list = await w.visitor.open('/batches');
    expect(list.text).toContain('Completed');
    expect((await w.visitor.open('/activity')).text).toContain('Sent a batch of transfers');
  });

  it('that pays a person more than once says so before it is sent, in both languages', async () => {
    const moussa = await buildUser(w.database.db);
    const lines = [awa, moussa, awa, moussa, awa].map(({ username }) => `${username},XOF,1\n`);
    const refused = 'nobody-here,XOF,1\n'.repeat(2);
    const once = await buildUser(w.database.db);
    const text = `to_username,currency,amount\n${lines.join('')}${refused}${once.username},XOF,1\n`;
    const checked = await finished(await upload(text));
    const list = `${awa.username} (× 3), ${moussa.username} (× 2)`;
    expect(checked.text).toContain(`Paid more than once here: ${list}. Check that this is meant.`);
    const french = await w.visitor.open(`${checked.path}?lang=fr`);
    expect(french.text).toContain(`Payés plusieurs fois ici : ${list}. Vérifiez que c’est voulu.`);
    await w.visitor.open(`${checked.path}?lang=en`);
    const sending = await finished(await w.visitor.submit('/send'));
    expect(sending.text).not.toContain('more than once');
  });

  it('is shown a page of lines at a time', async () => {
    const lines = `${awa.username},XOF,1\n`.repeat(26);
    const checked = await finished(await upload(`to_username,currency,amount\n${lines}`));
    const places = (): string[] =>
      w.visitor.page.document.querySelectorAll('td.as-what').map((cell) => cell.textContent);
    expect([places().length, checked.text.includes('Next transfers')]).toEqual([25, true]);
    await w.visitor.open(`${checked.path}?after=24`);
    expect(places()).toHaveLength(1);
  });

  it('with too many usernames that nobody has, or too many of which none may fail, is refused', async () => {
    const member = await w.signIn();
    await w.sql('update users set unknown_recipients_per_hour = 1 where id = ?', [member.user.id]);
    const wrong = `to_username,currency,amount\nnobody-1,XOF,100\nnobody-2,XOF,100\n`;
    const unknown = await upload(wrong, { by: member.visitor });
    expect(unknown.status).toBe(429);
    expect(unknown.text).toMatch(/Check nobody-[12], and try again in \d+ minutes\./);
    const lines = `${awa.username},XOF,100\n`.repeat(501);
    const many = await upload(`to_username,currency,amount\n${lines}`, {
      by: member.visitor,
      mode: 'atomic',
    });
    expect(many.status).toBe(422);
    expect(many.text).toContain('a file has at most 500 transfers');
  });

  it('names each line that is wrong, and stores nothing', async () => {
    const before = await w.count('transfer_batches');
    const text = `amount;to_username;currency\r\n12,50;@${awa.username};EUR\r\n1,5;${awa.username};XOF\r\n0;${awa.username};EUR\r\n5;;EUR\r\n5;${awa.username};GBP\r\n5;${w.user.username};EUR\r\n5\r\n`;
    const page = await upload(text);
    expect(page.status).toBe(422);
    const cells = page.text.match(/<td data-label="(Line|What is wrong)">[^<]*/g)!;
    expect(cells.map((cell) => cell.replace(/.*>/, ''))).toEqual([
      '3',
      'The amount has more decimals than its currency allows.',
      '4',
      'The amount must be more than zero.',
      '5',
      'The recipient is missing.',
      '6',
      'The currency must be XOF, EUR or USD.',
      '7',
      'This is your own username.',
      '8',
      'It does not have as many columns as the first line.',
    ]);
    expect(await w.count('transfer_batches')).toBe(before);
  });

  it.each([
    ['/batches', 'to_username,currency,amount\n', 'The file has no transfers.'],
    ['/batches', new Uint8Array([0x74, 0x6f, 0x82, 0x0a]), 'In Excel, save it as “CSV UTF-8”'],
    ['/batches', 'x,y\n', 'The first line must name to_username, amount'],
    ['/batches', '', 'Choose a file.'],
    ['/payout-batches', 'x,y\n', 'The first line must name phone or account, amount'],
    ['/payout-batches', 'phone,currency,amount\n77 1,XOF,5\n', '<bdi>77 1</bdi>'],
    ['/payout-batches', 'currency,amount,account\nXOF,5,12\n', 'holder is missing.'],
  ])('of %s that is %j is refused', async (kind, text, message) => {
    const page = await upload(text, { kind });
    expect(page.status).toBe(422);
    expect(page.text).toContain(message);
  });

  it('is read when the one before of the same person has come, and no other person waits', async () => {
    const other = await w.signIn();
    const head =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--b--\r';
    /** All of the form but its last byte; without its token it is refused, once it has come. */
    const begin = async (name: string, by: Visitor, order: string[]) => {
      const connection = await openConnection(w.service);
      const cookie = [...by.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const headers = [
        `Cookie: ${cookie}`,
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${head.length + 1}`,
      ];
      connection.write(requestHead(w.service, 'POST /dashboard/batches', headers) + head);
      const answer = connection.response().then(({ status }) => {
        order.push(name);
        return status;
      });
      return { answer, end: () => connection.write('\n') };
    };
    // Which of two is first is decided when their sessions are found: tried until it is the one that
    // is held up. Without turns it never is.
    const order = await waitFor(async () => {
      const ended: string[] = [];
      const held = await begin('held', w.visitor, ended);
      await w.visitor.open('/');
      const second = await begin('second', w.visitor, ended);
      second.end();
      for (const name of ['other 1', 'other 2']) {
        const upload = await begin(name, other.visitor, ended);
        upload.end();
        expect(await upload.answer).toBe(403);
      }
      held.end();
      expect(await Promise.all([held.answer, second.answer])).toEqual([403, 403]);
      return ended[0] !== 'second' && ended;
    });
    expect(order).toEqual(['other 1', 'other 2', 'held', 'second']);
  });

  it('is read in French, too', async () => {
    await w.visitor.open('/batches/new?lang=fr');
    const page = await upload('to_username,currency,amount\nx,XOF,0\n');
    expect(page.text).toContain('Le montant doit être supérieur à zéro.');
    await w.visitor.open('/batches/new?lang=en');
  });

  it('without the token of its form is refused', async () => {
    await w.visitor.open('/batches/new');
    const form = new FormData();
    form.set('file', new Blob(['to_username,currency,amount\n']), 'x.csv');
    const response = await w.visitor.request('/dashboard/batches', { method: 'POST', body: form });
    expect(response.status).toBe(403);
  });
});
