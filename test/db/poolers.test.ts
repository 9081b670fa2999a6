// A pooler between the service and Postgres may change a session in these ways. A proxy does it here.

import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { connectDatabase, execute, lookUp, type Db } from '../../db/connect';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, setUp } from '../support/database';

const database = setUp(createTestDatabase);

/** pgbouncer passes these on from the packet that opens a connection. */
const KNOWN = ['user', 'database', 'application_name', 'client_encoding'];

function refusal(packet: Buffer): Buffer | undefined {
  const words = packet.subarray(8).toString().split('\0');
  const unknown = words.find(
    (word, index) => index % 2 === 0 && word !== '' && !KNOWN.includes(word),
  );
  if (unknown === undefined) return undefined;
  const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** A pool behind a pooler that refuses what pgbouncer refuses, and changes what clients send. */
async function connectBehindPooler(change = (sent: string) => sent): Promise<Db> {
  const url = new URL(database.app_url);
  const postgres = { host: url.hostname, port: Number(url.port) };
  const server = createServer((client) => {
    const upstream = connect(postgres);
    client.once('data', (packet: Buffer) => {
      const answer = refusal(packet);
      if (answer) return void client.end(answer);
      upstream.write(packet);
      client.on('data', (piece: Buffer) =>
        upstream.write(Buffer.from(change(piece.toString('latin1')), 'latin1')),
      );
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, upstream].forEach((one) => one.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const db = connectDatabase({ url: url.href, pool_size: 2, name: 'test-pooler' });
  closeAfterFile(async () => {
    await db.destroy();
    server.close();
  });
  return db;
}

const SHOW = {
  name: 'show settings',
  text: `select current_setting('statement_timeout') as statement,
                current_setting('idle_in_transaction_session_timeout') as idle,
                current_setting('default_transaction_isolation') as isolation,
                current_setting('timezone') as zone`,
};

it('every kind of connection has its settings behind a pooler that refuses them at the start', async () => {
  const db = await connectBehindPooler();
  const expected = [{ statement: '3s', idle: '3s', isolation: 'read committed', zone: 'UTC' }];
  expect(await execute(db, SHOW, [])).toEqual(expected);
  expect(await lookUp(db, SHOW, [])).toEqual(expected);
});

it.each(['statement_timeout', 'idle_in_transaction_session_timeout'])(
  'a session that does not keep %s is refused',
  async (name) => {
    const db = await connectBehindPooler((sent) =>
      sent.replace(`set "${name}" = '3000'`, `set "${name}" = '0   '`),
    );
    const words = `did not keep: ${name}.`;
    await expect(execute(db, SHOW, [])).rejects.toThrow(words);
    await expect(lookUp(db, SHOW, [])).rejects.toThrow(words);
  },
);

it('a session that another connection has left behind is refused, as pooling by transaction gives it', async () => {
  const used = await createTestDatabase();
  await used.owner.raw(`alter database ${used.name} set payments.session = 'used'`);
  const db = connectDatabase({ url: used.app_url, pool_size: 1, name: 'test-used' });
  closeAfterFile(() => db.destroy());
  await expect(execute(db, SHOW, [])).rejects.toThrow(/has used this session.*pool_mode = session/);
});
