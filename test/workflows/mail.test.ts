// Mails are sent by SMTP to a real server on loopback.

import type { AddressInfo } from 'node:net';
import type { WorkflowHandle } from '@temporalio/client';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createMailActivities, type MailActivities } from '../../activities/mails';
import { createSmtp, type SendMail } from '../../activities/smtp';
import { listMails, listStalledMails, type MailRow } from '../../db/people/mails';
import { mailWorkflowId } from '../../domain/ids';
import { createSealer } from '../../secrets/seal';
import { createMailStarter } from '../../temporal/mails';
import { queueMail } from '../../use-cases/mails';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { pickTestPort } from '../support/ports';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestWorker, type TestWorker } from '../support/temporal';
import { textOf } from '../support/text-of';
import { waitFor } from '../support/wait';
import { keepHistory } from './saved-histories';

const sealer = createSealer([TEST_SECRETS_KEY]);
const FROM = 'Payments <no-reply@payments.example>';
const MAIL = {
  to: 'awa@example.com',
  subject: 'Réinitialisez votre mot de passe',
  text: 'https://payments.example/dashboard/password/reset?token=very-secret-token\n\nÀ bientôt',
};

let database: TestDatabase;
let worker: TestWorker;
let activities: MailActivities;
/** To the server of the test. */
let smtp: SendMail;
let log: Readonly<Record<string, unknown>>[];

beforeAll(async () => {
  database = await createTestDatabase();
  activities = createMailActivities({
    db: database.db,
    sealer,
    log: (entry) => log.push(entry),
    sendMail: (mail) => smtp(mail),
  });
  worker = await startTestWorker({ activities });
});

beforeEach(() => {
  log = [];
});

interface MailServerOptions extends SMTPServerOptions {
  readonly port?: number;
}

/** Mails go there from now on. Returns those that arrive, each with its headers and its text. */
async function startMailServer({ port = 0, ...options }: MailServerOptions = {}): Promise<
  string[]
> {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onData(stream, _session, callback) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => {
        mails.push(text);
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closeAfterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port: taken } = server.server.address() as AddressInfo;
  sendTo(taken);
  return mails;
}

function sendTo(port: number): void {
  smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: FROM, require_tls: false });
}

async function queue(mail = MAIL): Promise<string> {
  return queueMail({ db: database.db, sealer }, mail);
}

async function findMail(id: string): Promise<MailRow> {
  return (await listMails(database.db, 100)).find((mail) => mail.id === id)!;
}

/** Starts its workflow, as often as it likes: the sweeper may start it once more. */
async function start(id: string): Promise<WorkflowHandle> {
  const { client, task_queue } = worker;
  await createMailStarter(client, task_queue)(id);
  return client.workflow.getHandle(mailWorkflowId(id));
}

const messageIds = (mails: readonly string[]): (string | undefined)[] =>
  mails.map((mail) => /^Message-ID: (.*?)\r?$/m.exec(mail)?.[1]);

it('arrives once, whole, however often its start is repeated', async () => {
  const mails = await startMailServer();
  const id = await queue();
  const [handle] = await Promise.all([start(id), start(id)]);
  await handle.result();
  await (await start(id)).result();
  expect(messageIds(mails)).toEqual([`<${id}@payments.example>`]);
  expect(mails[0]).toMatch(/^To: awa@example\.com\r?$/m);
  expect(mails[0]).toContain('very-secret-token');
  const sent_at = expect.any(String) as string;
  expect(await findMail(id)).toMatchObject({
    sent_at,
    tries: 1,
    failed_at: null,
    last_error: null,
  });
});

it('reveals neither recipient nor text to Temporal, and no text to a dump of the database', async () => {
  await startMailServer();
  const id = await queue();
  const handle = await start(id);
  await handle.result();
  const kept = textOf([await handle.fetchHistory(), await handle.describe()]);
  expect(kept).toContain(id);
  for (const secret of ['very-secret-token', MAIL.to]) expect(kept).not.toContain(secret);
  const { rows } = await database.owner.raw('select mails::text as row from mails');
  expect(JSON.stringify(rows)).not.toContain('very-secret-token');
});

it('waits for a server that is down, and arrives once when it is back', async () => {
  const port = await pickTestPort();
  sendTo(port);
  const id = await queue();
  const handle = await start(id);
  await waitFor(async () => (await findMail(id)).last_error !== null);
  expect(await findMail(id)).toMatchObject({ sent_at: null, failed_at: null });
  const mails = await startMailServer({ port });
  await handle.result();
  expect(mails).toHaveLength(1);
  expect((await findMail(id)).tries).toBeGreaterThan(1);
  keepHistory('mail-sent-late', await handle.fetchHistory());
});

it('of many that a mail server keeps waiting holds up no other work: the rest is tried later', async () => {
  const AT_ONCE = 20;
  const waiting: (() => void)[] = [];
  let is_silent = true;
  const mails = await startMailServer({
    onConnect(_session, callback) {
      if (is_silent) waiting.push(() => callback());
      else callback();
    },
  });
  const ids = await Promise.all(Array.from({ length: AT_ONCE + 5 }, () => queue()));
  const progress = ids.map((id) => activities.sendQueuedMail(id));
  // The last ones have an answer although the server has said nothing.
  expect(await Promise.all(progress.slice(AT_ONCE))).toEqual(Array(5).fill('waits'));
  expect((await findMail(ids.at(-1)!)).tries).toBe(0);
  await waitFor(() => Promise.resolve(waiting.length > 0));
  is_silent = false;
  for (const go_on of waiting) go_on();
  await Promise.all(progress);
  // Every mail is tried once more, whether it was in time or not.
  for (const id of ids) expect(await activities.sendQueuedMail(id)).toBe('ended');
  expect(new Set(messageIds(mails)).size).toBe(ids.length);
});

it('is given up at once when the server refuses the recipient for good', async () => {
  const mails = await startMailServer({
    onRcptTo: (_address, _session, callback) =>
      callback(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
  });
  const id = await queue();
  expect(await activities.sendQueuedMail(id)).toBe('ended');
  expect(mails).toEqual([]);
  expect(await findMail(id)).toMatchObject({
    sent_at: null,
    tries: 1,
    failed_at: expect.any(String),
    last_error: expect.stringContaining('no such mailbox'),
  });
  expect(log).toEqual([{ part: 'mails', mail: id, outcome: 'refused' }]);
});

it('is given up after three days', async () => {
  const id = await queue();
  await database.owner.raw(
    `update mails set created_at = now() - interval '73 hours' where id = ?`,
    [id],
  );
  expect(await activities.sendQueuedMail(id)).toBe('ended');
  const failed_at = expect.any(String) as string;
  expect(await findMail(id)).toMatchObject({ sent_at: null, tries: 0, failed_at });
});

it('is sent again, under the same Message-ID, when the process died before it had noted the sending', async () => {
  const mails = await startMailServer();
  const send = smtp;
  smtp = async (mail) => {
    await send(mail);
    throw new Error('the process dies here');
  };
  const id = await queue();
  await expect(activities.sendQueuedMail(id)).rejects.toThrow('the process dies here');
  smtp = send;
  await activities.sendQueuedMail(id);
  expect(messageIds(mails)).toEqual(Array(2).fill(`<${id}@payments.example>`));
});

it('is found by the sweeper when its start was lost, and not while its workflow makes a pause', async () => {
  const id = await queue();
  const stalled = (): Promise<string[]> =>
    listStalledMails(database.db, { new_ms: 15_000, tried_ms: 7_200_000 }, 100);
  expect(await stalled()).not.toContain(id);
  await database.owner.raw(
    `update mails set created_at = now() - interval '1 minute' where id = ?`,
    [id],
  );
  expect(await stalled()).toContain(id);
  await database.owner.raw(`update mails set tried_at = now() - interval '1 hour' where id = ?`, [
    id,
  ]);
  expect(await stalled()).not.toContain(id);
  await database.owner.raw(`update mails set tried_at = now() - interval '3 hours' where id = ?`, [
    id,
  ]);
  expect(await stalled()).toContain(id);
});

it('has no other recipients than the one, whatever the address contains', async () => {
  const recipients: string[] = [];
  await startMailServer({
    onRcptTo({ address }, _session, callback) {
      recipients.push(address);
      callback();
    },
  });
  await activities.sendQueuedMail(await queue({ ...MAIL, to: 'awa@example.com,eve@example.com' }));
  expect(recipients).not.toContain('eve@example.com');
  expect(recipients.length).toBeLessThan(2);
});
