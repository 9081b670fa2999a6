// The pay page over HTTP: what each URL responds, with which headers.

import { createHash } from 'node:crypto';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { OTHER_PAGES } from '../../api/pay/other-pages';
import { CODE, OPEN, startPayService, type PayService } from '../pages/pay-service';

const { method: METHOD_PAGE, trouble: TROUBLE_PAGE, unknown: UNKNOWN_PAGE } = OTHER_PAGES.en;

let service: PayService;

beforeEach(async () => {
  service = await startPayService();
  service.view = OPEN;
});

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

// Node's own client sends paths as they are written and follows no redirect.
function fetchPage(method: string, path: string, given = {}): Promise<HttpResponse> {
  const headers = { 'Accept-Language': 'en', ...given };
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.origin);
    const sent = send(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          resolve({ status: response.statusCode!, headers: response.headers, text });
        });
      },
    );
    sent.on('error', reject).end();
  });
}

function expectPage({ headers }: HttpResponse): void {
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
  });
  expect(policyOf(headers)).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  });
}

function policyOf(headers: IncomingHttpHeaders): Record<string, string> {
  const directives = String(headers['content-security-policy']).split('; ');
  return Object.fromEntries(directives.map((one) => one.split(/ (.*)/).slice(0, 2)));
}

const ADDRESS = `/p/${CODE}`;

describe('GET /p/{short_code}', () => {
  it('allows its own style by its hash, and its form to redirect to the checkout', async () => {
    const { headers, text } = await fetchPage('GET', ADDRESS);
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text)!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policyOf(headers)).toMatchObject({
      'style-src': `'sha256-${hash}'`,
      'form-action': "'self' https://checkout.gateway.example",
    });
  });

  it.each(['processing', 'succeeded', 'failed', 'expired', 'canceled'] as const)(
    'allows no form when it is %s',
    async (status) => {
      service.view = { ...OPEN, status };
      const response = await fetchPage('GET', ADDRESS);
      expect(response.status).toBe(200);
      expectPage(response);
      expect(policyOf(response.headers)['form-action']).toBe("'none'");
    },
  );

  it('waits for the gateway when the customer comes back from it', async () => {
    expect((await fetchPage('GET', ADDRESS)).text).not.toContain('refresh');
    expect((await fetchPage('GET', `${ADDRESS}?back=1`)).text).toContain('http-equiv="refresh"');
    for (const query of ['?back=0', '?back', '?back=1&back=1', '?other=1']) {
      expect((await fetchPage('GET', ADDRESS + query)).text).not.toContain('refresh');
    }
  });

  it.each(['javascript:alert(1)', 'nonsense', "data:text/html,<script>alert('x')</script>", ''])(
    'shows an error and no form when the checkout is at %j',
    async (checkout_url) => {
      service.view = { ...OPEN, checkout_url };
      const response = await fetchPage('GET', ADDRESS);
      expect([response.status, response.text]).toEqual([500, TROUBLE_PAGE]);
      expect(service.logged).toHaveLength(1);
    },
  );

  it('puts no more than an origin into the policy', async () => {
    service.view = { ...OPEN, checkout_url: "https://x.example/;script-src 'unsafe-inline' *" };
    const { headers } = await fetchPage('GET', ADDRESS);
    expect(policyOf(headers)).toMatchObject({
      'form-action': "'self' https://x.example",
      'script-src': "'self'",
    });
  });
});

describe('whoever comes back from the gateway', () => {
  it('sees at once what the gateway has told meanwhile', async () => {
    service.awaitNews = (view) =>
      Promise.resolve({ view: { ...view, status: 'succeeded' }, is_unpaid: false });
    expect((await fetchPage('GET', `${ADDRESS}?back=1`)).text).toContain('Thank you');
    expect((await fetchPage('GET', ADDRESS)).text).not.toContain('Thank you');
  });

  it('can pay at once when the gateway says that they have not, and sees word of a failure', async () => {
    service.awaitNews = (view) => Promise.resolve({ view, is_unpaid: true });
    const { text } = await fetchPage('GET', `${ADDRESS}?back=1`);
    expect(text).toContain('<form');
    expect(text).not.toContain('Have you');
    expect(text).not.toContain('http-equiv');
  });

  it('waits for nothing when the answer is there', async () => {
    service.awaitNews = () => Promise.reject(new Error('It waited.'));
    service.view = { ...OPEN, status: 'succeeded' };
    expect((await fetchPage('GET', `${ADDRESS}?back=1`)).status).toBe(200);
  });

  it('sees a failure as the answer when it is of this attempt, and waits when it is older', async () => {
    const last_payment_error = { code: 'x', message: 'Your card was declined.' };
    const view = { ...OPEN, checkout_url: service.checkout_url, last_payment_error };
    service.view = view;
    const { headers } = await fetchPage('POST', `${ADDRESS}/pay`);
    const [cookie] = String(headers['set-cookie']).split(';');
    const back = async () => (await fetchPage('GET', `${ADDRESS}?back=1`, { cookie })).text;
    const waits = await back();
    expect(waits).toContain('Have you paid since?');
    expect(waits).toContain('http-equiv="refresh"');
    service.view = { ...view, updated_at: '2026-11-22T08:31:00.000000Z' };
    service.awaitNews = () => Promise.reject(new Error('It waited.'));
    const answered = await back();
    expect(answered).toContain('Your card was declined.');
    expect(answered).not.toContain('Have you');
  });
});

describe('the way back to the shop', () => {
  const SHOP = {
    return_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/basket',
  };
  const leavesTo = async (query: string): Promise<string | undefined> =>
    /data-leave="([^"?]*)/.exec((await fetchPage('GET', ADDRESS + query)).text)?.[1];
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

  it('is taken by itself soon after the success, not by whoever opens the link later or stays', async () => {
    service.view = { ...OPEN, ...SHOP, status: 'succeeded', succeeded_at: ago(1) };
    expect(await leavesTo('')).toBe(SHOP.return_url);
    expect(await leavesTo('?back=1')).toBe(SHOP.return_url);
    expect(await leavesTo('?stay=1')).toBeUndefined();
    service.view = { ...service.view, succeeded_at: ago(16) };
    expect(await leavesTo('?back=1')).toBeUndefined();
    expect((await fetchPage('GET', ADDRESS)).text).toContain(`href="${SHOP.return_url}?`);
  });

  it('is taken by who gave up, and by nobody else while the link is open', async () => {
    service.view = { ...OPEN, ...SHOP };
    expect(await leavesTo('?gave_up=1')).toBe(SHOP.cancel_url);
    for (const query of ['', '?back=1', '?gave_up=0', '?gave_up', '?gave_up=1&stay=1']) {
      expect([query, await leavesTo(query)]).toEqual([query, undefined]);
    }
  });

  it.each(['processing', 'failed', 'expired', 'canceled'] as const)(
    'is never taken by itself when it is %s',
    async (status) => {
      service.view = { ...OPEN, ...SHOP, status };
      for (const query of ['', '?back=1', '?gave_up=1']) {
        expect(await leavesTo(query)).toBeUndefined();
      }
    },
  );

  it.each(['javascript:alert(1)', 'http://evil.example/', ''])(
    'is not shown when the database holds %j',
    async (address) => {
      const stored = { return_url: address, cancel_url: address };
      service.view = { ...OPEN, ...stored };
      for (const query of ['', '?gave_up=1']) {
        const { status, text } = await fetchPage('GET', ADDRESS + query);
        expect(status).toBe(200);
        expect(text).not.toMatch(/data-leave|http-equiv|evil|javascript/);
      }
      service.view = { ...OPEN, ...stored, status: 'succeeded', succeeded_at: ago(1) };
      const { text } = await fetchPage('GET', ADDRESS);
      expect(text).toContain('You can close this page.');
      expect(text).not.toMatch(/data-leave|http-equiv|evil|javascript/);
    },
  );
});

describe('the language', () => {
  const NAMES_NONE = { 'Accept-Language': '' };
  const FRENCH = { 'Accept-Language': 'fr-SN, fr;q=0.9, en;q=0.5' };

  it.each([
    ['', {}, 'en'],
    ['', FRENCH, 'fr'],
    // A request that names no language mostly reads French where the link is in XOF; an unknown link says nothing.
    ['', NAMES_NONE, 'fr', 'en'],
    ['', { 'Accept-Language': '*' }, 'fr', 'en'],
    ['?lang=en', NAMES_NONE, 'en'],
    ['', { 'Accept-Language': 'wo, de' }, 'en'],
    ['?lang=fr', {}, 'fr'],
    ['?lang=en', FRENCH, 'en'],
    ['?lang=wo', FRENCH, 'fr'],
    ['?lang=fr&lang=en', {}, 'en'],
  ])('of %j with %j is %s', async (query, headers, of_link, elsewhere = of_link) => {
    for (const path of [ADDRESS, '/p/unknown', `${ADDRESS}/nothing`]) {
      const language = path === ADDRESS ? of_link : elsewhere;
      const response = await fetchPage('GET', path + query, headers);
      expect(response.headers['content-language']).toBe(language);
      expect(response.text).toContain(`<html lang="${language}">`);
    }
  });

  it('of a link in another currency is English for whoever names none', async () => {
    service.view = { ...OPEN, currency: 'EUR' };
    const { headers } = await fetchPage('GET', ADDRESS, NAMES_NONE);
    expect(headers['content-language']).toBe('en');
  });

  it('is one for the page and for what its script asks', async () => {
    service.view = { ...OPEN, last_payment_error: { code: 'x', message: 'x_y' } };
    for (const [query, headers] of [
      ['', FRENCH],
      ['?lang=fr', {}],
      ['', {}],
      ['', NAMES_NONE],
    ] as const) {
      const { text } = await fetchPage('GET', ADDRESS + query, headers);
      const [, state = ''] = /data-state="([^"]*)"/.exec(text)!;
      const [, path = ''] = /data-status="([^"]*)"/.exec(text)!;
      const polled = await fetchPage('GET', path, headers);
      expect(state.replaceAll('&quot;', '"')).toBe(polled.text);
    }
  });

  it('that was chosen is kept on the way to the checkout and when it cannot be opened', async () => {
    service.openCheckout = () => Promise.resolve('not_payable');
    const refused = await fetchPage('POST', `${ADDRESS}/pay?lang=fr`);
    expect(refused.headers.location).toBe(`${ADDRESS}?lang=fr`);
    service.openCheckout = () => Promise.resolve({ retry_after_seconds: 7 });
    const trouble = await fetchPage('POST', `${ADDRESS}/pay?lang=fr`);
    expect(trouble.text).toContain('Réessayez dans 7 secondes.');
    expect(trouble.text).toContain(`action="${ADDRESS}/pay?lang=fr"`);
  });

  it('of errors and refused methods is the reader’s, too', async () => {
    service.outage = new Error('down');
    expect((await fetchPage('GET', ADDRESS, FRENCH)).text).toContain('ne payez pas de nouveau');
    expect((await fetchPage('POST', ADDRESS, FRENCH)).text).toContain('pas possible ici');
  });
});

describe('a code that is unknown or hidden', () => {
  it.each([
    '/p/Kx7mPq2RtY',
    '/p/Kx7mPq2Rt',
    '/p/Kx7mPq2RtZ%0a',
    '/p/%zz',
    '/p/__proto__',
    `/p/${'K'.repeat(5_000)}`,
    '/p',
    '/p/Kx7mPq2RtY/status',
    `${ADDRESS}/nothing`,
    '/p/assets/toString',
    '/p/assets/..%2f..%2fpackage.json',
  ])('%s answers the same bytes as the others', async (path) => {
    const response = await fetchPage('GET', path);
    expect([response.status, response.text]).toEqual([404, UNKNOWN_PAGE]);
    expectPage(response);
    const { date: _date, ...headers } = response.headers;
    const { date: _other, ...expected } = (await fetchPage('GET', '/p/2222222222')).headers;
    expect(headers).toEqual(expected);
  });

  it('opens no checkout', async () => {
    const opened: string[] = [];
    service.openCheckout = (code) => {
      opened.push(code);
      return Promise.resolve('not_payable');
    };
    for (const path of ['/p/Kx7mPq2RtY/pay', '/p/short/pay', '/p/assets/pay']) {
      const response = await fetchPage('POST', path);
      expect([404, 405]).toContain(response.status);
      expectPage(response);
    }
    expect(opened).toEqual([]);
  });

  it('is looked up in the database only when it is well-formed', async () => {
    service.outage = new Error('was asked');
    expect((await fetchPage('GET', '/p/0000000000')).status).toBe(404);
    expect((await fetchPage('GET', '/p/2222222222')).status).toBe(500);
  });
});

describe('POST /p/{short_code}/pay', () => {
  it('redirects to the checkout', async () => {
    const checkout_url = 'https://checkout.gateway.example/session/2?x=a%20b&y=%3B';
    service.openCheckout = () => Promise.resolve({ checkout_url, updated_at: OPEN.updated_at });
    const response = await fetchPage('POST', `${ADDRESS}/pay`);
    expect([response.status, response.headers.location]).toEqual([303, checkout_url]);
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(service.routes).toEqual(['/p/{short_code}/pay']);
  });

  it('redirects back when the intent cannot be paid any more', async () => {
    service.openCheckout = () => Promise.resolve('not_payable');
    const response = await fetchPage('POST', `${ADDRESS}/pay`);
    expect([response.status, response.headers.location]).toEqual([303, ADDRESS]);
  });

  it.each(['processing', 'succeeded'] as const)(
    'redirects back without calling the gateway when it is %s',
    async (status) => {
      service.view = { ...OPEN, status };
      service.openCheckout = () => Promise.reject(new Error('was asked'));
      const response = await fetchPage('POST', `${ADDRESS}/pay`);
      expect([response.status, response.headers.location]).toEqual([303, ADDRESS]);
    },
  );

  it('redirects back when the checkout has moved to an origin that the page did not allow', async () => {
    const checkout_url = 'https://new.gateway.example/session/1';
    service.openCheckout = () => Promise.resolve({ checkout_url, updated_at: OPEN.updated_at });
    const response = await fetchPage('POST', `${ADDRESS}/pay`);
    expect([response.status, response.headers.location]).toEqual([303, ADDRESS]);
  });

  it('says so when the gateway cannot be reached, and offers another try', async () => {
    service.openCheckout = () => Promise.resolve({ retry_after_seconds: 7 });
    const response = await fetchPage('POST', `${ADDRESS}/pay`);
    expect(response.status).toBe(503);
    expectPage(response);
    expect(response.headers['retry-after']).toBe('7');
    expect(response.text).toContain('Try again in 7 seconds.');
    expect(response.text).toContain(`action="${ADDRESS}/pay"`);
    expect(policyOf(response.headers)['form-action']).toContain('https://checkout.gateway.example');
  });

  it('redirects to nothing but a web address', async () => {
    service.openCheckout = () =>
      Promise.resolve({ checkout_url: 'javascript:alert(1)', updated_at: OPEN.updated_at });
    const response = await fetchPage('POST', `${ADDRESS}/pay`);
    expect([response.status, response.headers.location]).toEqual([500, undefined]);
  });
});

describe('GET /p/{short_code}/status', () => {
  it('is the state as JSON, never cached', async () => {
    const { status, headers, text } = await fetchPage('GET', `${ADDRESS}/status`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'open', failed_attempt: null });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(service.routes).toEqual(['/p/{short_code}/status']);
  });
});

describe('GET /p/assets', () => {
  it.each([
    ['pay.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('has %s, cached for ever under the URL that the page names', async (name, type) => {
    const { text } = await fetchPage('GET', ADDRESS);
    const [path = ''] = new RegExp(`/p/assets/${name}\\?v=\\w+`).exec(text)!;
    const named = await fetchPage('GET', path);
    expect(named.status).toBe(200);
    expect(named.headers['content-type']).toBe(type);
    expect(named.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(named.headers['x-content-type-options']).toBe('nosniff');
    for (const other of [`/p/assets/${name}`, `/p/assets/${name}?v=old`]) {
      const response = await fetchPage('GET', other);
      expect([response.headers['cache-control'], response.text]).toEqual(['no-cache', named.text]);
    }
    expect(service.routes.at(-1)).toBe('/p/assets/{name}');
  });
});

describe('methods', () => {
  it.each([
    ['POST', ADDRESS, 'GET, HEAD'],
    ['OPTIONS', ADDRESS, 'GET, HEAD'],
    ['GET', `${ADDRESS}/pay`, 'POST'],
    ['POST', '/p/assets/pay.js', 'GET, HEAD'],
  ])('%s %s is refused with a page, and Allow names the others', async (method, path, allow) => {
    const response = await fetchPage(method, path);
    expect([response.status, response.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(response.text).toBe(METHOD_PAGE);
    expectPage(response);
  });
});

describe('an error', () => {
  it.each([
    ['GET', ADDRESS, '/p/{short_code}'],
    ['GET', `${ADDRESS}/status`, '/p/{short_code}/status'],
    ['POST', `${ADDRESS}/pay`, '/p/{short_code}/pay'],
  ])('at %s %s answers a page and is logged', async (method, path, route) => {
    service.outage = new Error('a secret of the inside');
    const response = await fetchPage(method, path);
    expect([response.status, response.text]).toEqual([500, TROUBLE_PAGE]);
    expect(response.headers).not.toHaveProperty('refresh');
    expectPage(response);
    expect(service.logged).toEqual([
      {
        request_id: 'request-1',
        route,
        unavailable: false,
        error: expect.stringContaining('a secret of the inside') as string,
      },
    ]);
  });

  it.each([
    ['GET', `${ADDRESS}?back=1`, `${ADDRESS}?back=1`],
    ['POST', `${ADDRESS}/pay`, ADDRESS],
  ])(
    'of a database that is down is a 503 that asks again, at %s %s',
    async (method, path, next) => {
      service.outage = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      const response = await fetchPage(method, path);
      expect([response.status, response.text]).toEqual([503, TROUBLE_PAGE]);
      expect(response.headers['retry-after']).toBe('5');
      expect(response.headers['refresh']).toBe(`5;url=${next}`);
      expect(service.logged[0]).toMatchObject({ unavailable: true });
    },
  );
});
