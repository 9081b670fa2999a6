// A key of SECRETS_KEYS can go once `webhooks reseal` and `kyc reseal` have been run, because they reach each sealed
// column there is.

import { randomBytes } from 'node:crypto';
import { keepFlash } from '../../dashboard/flash';
import { listSealed, reseal, SEALED_PLACES } from '../../db/operators/sealed';
import { getLogin } from '../../db/people/logins';
import { beginSession } from '../../db/people/sessions';
import { rotateWebhookSecret } from '../../db/webhooks/webhook-endpoints';
import { NIL_UUID } from '../../domain/ids';
import { makeSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';
import { queueMail } from '../../use-cases/mails';
import { resealAll } from '../../use-cases/sealed';
import { totpContext } from '../../use-cases/second-factor';
import { createTestDatabase, setUp } from '../support/database';
import { setProvider } from '../support/risk-provider';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { buildUser } from '../support/users';
import { createTestEndpoint, testSealer } from '../support/webhooks';

const database = setUp(createTestDatabase);

/** Sealed, too, by `kyc reseal` (test/db/identity-data.test.ts). */
const OF_IDENTITY_CHECKS = ['identity_data.sealed', 'identity_pictures.sealed'];
/** Hashes, pictures of merchants, and what gateways have sent. */
const NOT_SEALED = /(^|[._])(hash|digest|key|image|body)$/;

it('each column of bytes is sealed again, or is not sealed', async () => {
  const { rows } = await database.owner.raw(
    `select c.relname || '.' || a.attname as place
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid = 'bytea'::regtype`,
  );
  const places = (rows as { place: string }[]).map(({ place }) => place);
  expect(places.filter((place) => !NOT_SEALED.test(place)).sort()).toEqual(
    [...SEALED_PLACES, ...OF_IDENTITY_CHECKS].sort(),
  );
});

it('each value is sealed with the first key, opens with it alone, and then none is left', async () => {
  const { db, operator, owner } = database;
  const user = await buildUser(db);
  const { rows } = await owner.raw('select login_id from memberships where user_id = ?', [user.id]);
  const login = await getLogin(db, (rows as [{ login_id: string }])[0].login_id);
  const endpoint = await createTestEndpoint(database, {
    user_id: user.id,
    url: 'https://hooks.example.com/',
  });
  await rotateWebhookSecret(db, endpoint.id, testSealer.seal('the next', endpoint.id), 60);
  await queueMail({ db, sealer: testSealer }, { to: 'awa@example.com', subject: 'A', text: 'a' });
  await setProvider(operator, { url: 'https://risk.example.com/' });
  const session = await beginSession(db, {
    login_id: login.id,
    password_hash: login.password_hash,
    token_hash: randomBytes(32),
    second_factor: 'none',
    ip: '127.0.0.1',
    user_agent: '',
    lasts_seconds: 60,
  });
  await keepFlash({ db, sealer: testSealer }, session!, { notice: 'a key' });
  await owner.raw(
    'update logins set sealed_totp_secret = ?, totp_confirmed_at = now() where id = ?',
    [testSealer.seal('a secret', totpContext(login.id)), login.id],
  );
  const all = SEALED_PLACES.length;
  for (const place of SEALED_PLACES) {
    expect([place, await listSealed(db, place, NIL_UUID)]).toEqual([place, [expect.anything()]]);
  }
  const [first, second] = [makeSealingKey(), makeSealingKey()];
  const run = (...keys: string[]) => resealAll(operator, createSealer(keys));
  expect(await run(first)).toEqual({ resealed: 0, already: 0, unreadable: all });
  expect(await run(first, TEST_SECRETS_KEY)).toEqual({ resealed: all, already: 0, unreadable: 0 });
  expect(await run(first)).toEqual({ resealed: 0, already: all, unreadable: 0 });
  expect(await run(second, first)).toEqual({ resealed: all, already: 0, unreadable: 0 });
});

it('a value that has changed meanwhile is left as it is', async () => {
  for (const place of SEALED_PLACES) {
    const [value] = await listSealed(database.db, place, NIL_UUID);
    const [old, other] = [Buffer.from('older'), Buffer.from('other')];
    expect(await reseal(database.operator, place, value!.id, old, other)).toBe(false);
    expect(await listSealed(database.db, place, NIL_UUID)).toEqual([value]);
  }
});
