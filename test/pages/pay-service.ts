// The pay page over real HTTP, on payments in memory, with a gateway of another origin beside it.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { HttpState } from '../../http/context';
import type { PayAttempt } from '../../api/pay/phones';
import type { PayPageView } from '../../api/pay/view';
import type { ReceiptRefund } from '../../api/pay/receipt';
import { MAX_MINOR, type Minor } from '../../domain/money';
import type { PaymentMethod } from '../../domain/payment-attempt';
import type { Payer } from '../../db/payment-attempts/payment-attempts';
import { payRouter } from '../../api/pay/router';
import type { PayDependencies } from '../../api/pay/show';
import { createStrangers } from '../../http/strangers';
import { closeAfterFile } from '../support/cleanup';

export const CODE = 'Kx7mPq2RtZ';

export const OPEN: PayPageView = {
  id: '0198aa52-1f5e-8f7e-9b1e-6a3b0c2d4e5f',
  short_code: CODE,
  status: 'open',
  amount_minor: 2_500_000n,
  currency: 'XOF',
  reference: 'TRX-7Q2M4K9XW3T8R5Z1B6CA',
  description: 'Order 1042: two wax prints, 6 yards each',
  merchant_name: 'Atelier Awa Ndiaye',
  country: null,
  merchant_country: 'SN',
  merchant_contact: null,
  logo_version: null,
  pay_url: `https://pay.example.com/p/${CODE}`,
  environment: 'live',
  expires_at: '2026-11-22T14:30:00.000000Z',
  last_payment_error: null,
  hold: null,
  received_minor: null,
  settled_minor: null,
  refunded_minor: 0n,
  updated_at: '2026-11-22T08:30:00.000000Z',
  succeeded_at: null,
  return_url: null,
  cancel_url: null,
  is_simulated_gateway: false,
  checkout_url: 'https://checkout.gateway.example/session/1',
};

/** Orange Money of Senegal, but for what is said otherwise. */
export function phoneMethod(fields: Partial<PaymentMethod> = {}): PaymentMethod {
  return {
    operator: 'orange_sn',
    name: 'Orange Money',
    country: 'SN',
    currency: 'XOF',
    prefixes: ['+22177', '+22178'],
    minimum: 10_000n as Minor,
    maximum: 200_000_000n as Minor,
    step: 'otp',
    state: 'open',
    otp_code: '#144#391#',
    ...fields,
  };
}

export interface PayService {
  readonly origin: string;
  readonly page_url: string;
  /** The gateway's page: it has a link back. */
  readonly checkout_url: string;
  /** The page's data now; undefined: the code is unknown. */
  view: PayPageView | undefined;
  openCheckout: PayDependencies['openCheckout'];
  /** No news unless a test brings some. */
  awaitNews: PayDependencies['awaitNews'];
  /** None unless a test has some. */
  methods: readonly PaymentMethod[];
  attempt: PayAttempt | undefined;
  beginAttempt: PayDependencies['beginAttempt'];
  giveOtp: PayDependencies['giveOtp'];
  giveUp: PayDependencies['giveUp'];
  logo: Buffer | undefined;
  payer: Payer | undefined;
  /** The refunds on a receipt. */
  refunds: readonly ReceiptRefund[];
  /** Fails every look-up while it is set. */
  outage: Error | undefined;
  readonly logged: Readonly<Record<string, unknown>>[];
  /** Method and path of what was asked, in order. */
  readonly requests: string[];
  readonly routes: string[];
}

export async function startPayService({ per_minute = 1_000_000 } = {}): Promise<PayService> {
  const gateway_origin = await listen((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Checkout</title>` +
        `<h1>Checkout</h1><a href="${service.page_url}?back=1">Return</a></html>`,
    );
  });
  const checkout_url = `${gateway_origin}/session/1`;
  const app = new Koa<HttpState>();
  app.use(async (ctx, next) => {
    ctx.state.request_id = 'request-1';
    service.requests.push(`${ctx.method} ${ctx.url}`);
    await next();
    service.routes.push(ctx.state.route);
  });
  const strangers = createStrangers({ per_minute });
  const router = payRouter({
    strangers,
    findPayable: (short_code) => {
      if (service.outage) return Promise.reject(service.outage);
      return Promise.resolve(short_code === CODE ? service.view : undefined);
    },
    awaitNews: (view) => service.awaitNews(view),
    listRefunds: () => Promise.resolve(service.refunds),
    findPayer: () => Promise.resolve(service.payer),
    findLogo: () => Promise.resolve(service.logo),
    openCheckout: (short_code) => service.openCheckout(short_code),
    listMethods: () => Promise.resolve(service.methods),
    findAttempt: () => Promise.resolve(service.attempt),
    beginAttempt: (view, order) => service.beginAttempt(view, order),
    giveOtp: (view, id, otp) => service.giveOtp(view, id, otp),
    giveUp: (id) => service.giveUp(id),
    log: (entry) => void service.logged.push(entry),
    // Their tests have the real service (links.browser.test.ts).
    links: {
      findLink: () => Promise.resolve(undefined),
      findPaid: () => Promise.resolve(undefined),
      payByLink: () => Promise.reject(new Error('there is no link')),
      findLogo: () => Promise.resolve(undefined),
      pay_url_base: '',
      max_payment: { XOF: MAX_MINOR, EUR: MAX_MINOR, USD: MAX_MINOR },
      isSimulated: () => true,
    },
  });
  app.use(router.routes());
  const handleRequest = app.callback();
  const origin = await listen((request, response) => void handleRequest(request, response));
  const service: PayService = {
    origin,
    page_url: `${origin}/p/${CODE}`,
    checkout_url,
    view: { ...OPEN, checkout_url },
    openCheckout: () => Promise.resolve({ checkout_url, updated_at: service.view!.updated_at }),
    awaitNews: (view) => Promise.resolve({ view, is_unpaid: false }),
    methods: [],
    attempt: undefined,
    beginAttempt: () => Promise.reject(new Error('no attempt is expected')),
    giveOtp: () => Promise.reject(new Error('no code is expected')),
    giveUp: () => Promise.reject(new Error('no change is expected')),
    logo: undefined,
    payer: undefined,
    refunds: [],
    outage: undefined,
    logged: [],
    requests: [],
    routes: [],
  };
  return service;
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
