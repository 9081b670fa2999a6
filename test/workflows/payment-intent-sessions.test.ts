import { DefaultLogger, Runtime } from '@temporalio/worker';
import { GatewayError } from '../../domain/gateway-error';
import { createStripeGateway } from '../../gateway/stripe/adapter';
import { renewUpdate } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { startStripeFake } from '../support/stripe-fake';
import { fakeGateway, PAID } from './fake-gateway';
import { letExpire, letLapse, startIntentWorker, untilApplied, untilStatus } from './intents';
import { keepHistory } from './saved-histories';

// Each story has a worker, whose start and end are not worth a line.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

describe('a session that lapses before its intent', () => {
  it('is followed by number 2 when somebody asks for it: one is live, the first is closed', async () => {
    const fake = fakeGateway(3_600);
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create();
    const handle = await start(intent);
    await untilStatus(database, intent, 'open');
    // A session that lives stays.
    await handle.executeUpdate(renewUpdate);
    expect(fake.sessions).toHaveLength(1);
    await letLapse(database, intent);
    await handle.executeUpdate(renewUpdate);
    expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
    const { rows } = await database.owner.raw(
      `select number, session_id from checkout_sessions where intent_id = ? order by number`,
      [intent.id],
    );
    expect(rows).toEqual(fake.sessions);
    expect(fake.sessions.map(({ number }) => number)).toEqual([1, 2]);
    // Several customers ask at once.
    await letLapse(database, intent);
    await Promise.all([
      handle.executeUpdate(renewUpdate),
      handle.executeUpdate(renewUpdate),
      handle.executeUpdate(renewUpdate),
    ]);
    expect(fake.sessions.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(fake.closed).toEqual([`cs_${intent.id}_1`, `cs_${intent.id}_2`]);
    keepHistory('payment-intent-renewed', await handle.fetchHistory());
    await handle.terminate('end of the test');
  });

  it('was paid in: the intent succeeds, and no other is opened', async () => {
    const fake = fakeGateway(3_600);
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create();
    const handle = await start(intent);
    await untilStatus(database, intent, 'open');
    fake.state = PAID;
    await letLapse(database, intent);
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'succeeded' });
    expect(fake.sessions).toHaveLength(1);
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    await expectBooksHold(database.db);
  });

  it('stays as it is while the gateway is down, and the fault is told', async () => {
    const fake = fakeGateway(3_600);
    const { create, start, database } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create();
    const handle = await start(intent);
    await untilStatus(database, intent, 'open');
    fake.fault = new GatewayError('timeout', 'as the test wants it');
    await letLapse(database, intent);
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'open', fault: 'timeout' });
    fake.fault = undefined;
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'open' });
    expect(fake.sessions).toHaveLength(2);
    await handle.terminate('end of the test');
  });

  it('is not renewed past the end of its intent', async () => {
    const fake = fakeGateway(3_600);
    const { create, start, database, real } = await startIntentWorker({ gateway: fake.gateway });
    const intent = await create();
    // Its workflow looks at the row soon.
    const handle = await start({ ...intent, expires_at: new Date().toISOString() });
    await untilStatus(database, intent, 'open');
    // It cannot be closed, so it stays open past its end.
    fake.fault = new GatewayError('unreachable', 'as the test wants it');
    await letLapse(database, intent);
    await letExpire(database, intent);
    expect(await real.renewCheckout(intent.id)).toEqual({ status: 'open' });
    expect(fake.sessions).toHaveLength(1);
    fake.fault = undefined;
    expect(await handle.result()).toEqual({ status: 'expired' });
    expect(fake.sessions).toHaveLength(1);
  });

  it('at Stripe: the second session is a new one, and its payment settles the intent', async () => {
    const secret_key = 'sk_test_of_the_tests';
    const fake = await startStripeFake(secret_key);
    const gateway = createStripeGateway({
      environment: 'sandbox',
      secret_key,
      webhook_secrets: ['whsec_of_the_tests_000'],
      timeout_ms: 2_000,
      api: fake.api,
    });
    const { create, start, database } = await startIntentWorker({ gateway });
    const intent = await create({
      amount_minor: '1999',
      currency: 'EUR',
      expires_in_seconds: 7 * 86_400,
    });
    const handle = await start(intent);
    await untilStatus(database, intent, 'open');
    const [first] = [...fake.sessions.values()];
    // A day is over, by the row that says when it lapses.
    await letLapse(database, intent);
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'open' });
    expect(fake.sessions.size).toBe(2);
    expect(first!.status).toBe('expired');
    const second = [...fake.sessions.values()][1]!;
    expect(second.status).toBe('open');
    fake.pay(second.id);
    await letLapse(database, intent);
    expect(await handle.executeUpdate(renewUpdate)).toEqual({ status: 'succeeded' });
    expect(await handle.result()).toEqual({ status: 'succeeded' });
    expect(await untilApplied(database, intent, 1)).toEqual(['succeeded']);
    await expectBooksHold(database.db);
  });
});
