// Coming back from the gateway: the page waits a moment for what the gateway is about to tell, and asks it.

import type { ApiDependencies } from '../../api/context';
import { createPayDependencies } from '../../api/payment-intents/pay';
import type { PaymentState } from '../../domain/payment';
import { GatewayError, type Gateway } from '../../gateway/port';
import { buildLink } from '../dashboard/payment-links';
import { sendNotification, startTestApi, type TestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { request } from '../support/http';
import { actAt, listPayments } from '../support/sandbox-gateway';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

interface Asked {
  /** Calls of the gateway. */
  readonly questions: string[];
}

/** The pay page beside the service: what it is told and by whom, the tests decide. */
function createPay(findPayment?: (session_id: string) => Promise<PaymentState>) {
  const asked: Asked = { questions: [] };
  const sandbox = findPayment && {
    name: 'sandbox',
    findPayment(session_id: string) {
      asked.questions.push(session_id);
      return findPayment(session_id);
    },
  };
  const delivered: unknown[] = [];
  const dependencies = {
    db: api.database.db,
    gateways: { live: undefined, sandbox: sandbox as Gateway | undefined },
    deliverNotification: (notification: unknown) => {
      delivered.push(notification);
      return Promise.resolve();
    },
    log: () => undefined,
    config: { pay_url_base: 'https://pay.example.com' },
  };
  return {
    ...createPayDependencies(dependencies as unknown as ApiDependencies),
    ...asked,
    delivered,
  };
}

const makeLink = async (): Promise<string> =>
  (await buildLink(api.database.db, await buildUser(api.database.db))).short_code;

describe('whoever comes back', () => {
  it('sees what changes meanwhile, with all who wait for it', async () => {
    const short_code = await makeLink();
    const { findPayable, awaitNews } = createPay();
    // On a busy machine the moment may be over before the change.
    const news = await waitFor(async () => {
      const view = (await findPayable(short_code))!;
      const waiting = [awaitNews(view), awaitNews(view)];
      await api.database.owner.raw(
        'update payment_intents set updated_at = clock_timestamp() where short_code = ?',
        [short_code],
      );
      const [one, other] = await Promise.all(waiting);
      expect(other).toEqual(one);
      return one!.view.updated_at !== view.updated_at && one!;
    });
    expect(news).toMatchObject({ view: { short_code }, is_unpaid: false });
  });

  it('sees the page as it was, without news', async () => {
    const { findPayable, awaitNews } = createPay();
    const view = (await findPayable(await makeLink()))!;
    expect(await awaitNews(view)).toEqual({ view, is_unpaid: false });
  });

  it('is told by the gateway itself that nothing was paid', async () => {
    const pay = createPay(() => Promise.resolve({ state: 'none' }));
    const view = (await pay.findPayable(await makeLink()))!;
    // On a busy machine the answer may come after the moment.
    await waitFor(async () => {
      const another = (await pay.findPayable(await makeLink()))!;
      return (await pay.awaitNews(another)).is_unpaid;
    });
    expect(pay.delivered).toEqual([]);
    expect(view.status).toBe('open');
  });

  it.each<[string, () => Promise<PaymentState>]>([
    ['is away', () => Promise.reject(new GatewayError('unreachable', 'away'))],
    ['never answers', () => new Promise(() => undefined)],
  ])('sees the page as it was when the gateway %s', async (_what, findPayment) => {
    const pay = createPay(findPayment);
    const view = (await pay.findPayable(await makeLink()))!;
    expect(await pay.awaitNews(view)).toEqual({ view, is_unpaid: false });
  });

  it('has the gateway asked once, however many come and however often', async () => {
    const pay = createPay(() => Promise.resolve({ state: 'none' }));
    const view = (await pay.findPayable(await makeLink()))!;
    const come = () => Promise.all(Array.from({ length: 5 }, () => pay.awaitNews(view)));
    await come();
    await come();
    expect(pay.questions).toHaveLength(1);
  });

  it('has what the gateway says applied once, in the way of its notification', async () => {
    const payment = {
      ...{ provider_payment_id: 'pay_asked', amount_minor: '500000', currency: 'XOF' as const },
      occurred_at: '2026-11-22T08:30:00Z',
    };
    const pay = createPay(() => Promise.resolve({ state: 'paid', payment }));
    const view = (await pay.findPayable(await makeLink()))!;
    await pay.awaitNews(view);
    await waitFor(() => pay.delivered.length > 0);
    expect(pay.delivered).toEqual([
      expect.objectContaining({ gateway: 'sandbox', intent_id: view.id, outcome: null }),
    ]);
  });
});

describe('a gateway whose notifications are lost', () => {
  it('is asked, and the payment is booked, once, also when a notification comes after all', async () => {
    const notification_url = 'http://127.0.0.1:9/nobody';
    const deaf = await startTestApi({ gateway: { notification_url } });
    const { json: intent } = await deaf.create();
    await actAt(intent.checkout_url, 'pay');
    const { pathname } = new URL(intent.pay_url);
    const service = { base_url: deaf.service.origin };
    await waitFor(async () =>
      (await request(service, 'GET', `${pathname}?back=1`)).text.includes('Thank you'),
    );
    const { json } = await deaf.show(intent.id);
    expect(json).toMatchObject({ status: 'succeeded', amount_received: 5_000 });
    const { payments } = await listPayments(deaf.gateway, 'sandbox');
    const { provider_payment_id } = payments[0]!;
    const url = `${deaf.service.origin}/internal/gateway/notifications`;
    const notified = await sendNotification(url, intent, { provider_payment_id });
    expect(notified.status).toBe(200);
    await waitFor(async () => {
      const { rows } = await deaf.database.owner.raw(
        'select outcome from gateway_notifications where intent_id = ? order by id',
        [intent.id],
      );
      const outcomes = (rows as { outcome: string | null }[]).map(({ outcome }) => outcome);
      return outcomes.length === 2 && outcomes[1] === 'duplicate';
    });
    expect((await deaf.show(intent.id)).json).toEqual(json);
    await expectBooksHold(deaf.database.db);
  });
});
