// Paying by phone on the pay page, over HTTP: the form, what is wrong with it, and what others may see of an attempt.

import { randomUUID } from 'node:crypto';
import { WORDS } from '../../api/pay/words';
import type { PayAttempt } from '../../api/pay/phones';
import type { AttemptOrder } from '../../api/pay/show';
import { ATTEMPT_FAILURES, type NextStep } from '../../domain/payment-attempt';
import { LANGUAGES } from '../../domain/language';
import type { Minor } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { CODE, OPEN, phoneMethod, startPayService, type PayService } from '../pages/pay-service';

const FORM_ID = '0198aa52-1f5e-8f7e-9b1e-6a3b0c2d4e60';
const ATTEMPT_ID = '0198aa52-1f5e-8f7e-9b1e-6a3b0c2d4e61';
const ADDRESS = `/p/${CODE}`;

const WAVE = phoneMethod({ operator: 'wave_sn', name: 'Wave', prefixes: [], step: 'redirect' });
const mtn = (operator: string, country: string, prefix: string) =>
  phoneMethod({ operator, name: 'MTN MoMo', country, prefixes: [prefix] });
const IVORY = mtn('mtn_ci', 'CI', '+22505');
const BENIN = mtn('mtn_bj', 'BJ', '+2290197');
const CLOSED = phoneMethod({ state: 'closed' });

let service: PayService;
let orders: AttemptOrder[];

beforeEach(async () => {
  service = await startPayService();
  service.methods = [phoneMethod(), WAVE, IVORY];
  orders = [];
  service.beginAttempt = (_view, order) => Promise.resolve(orders.push(order));
});

const waiting = (step: Partial<NextStep> = {}): PayAttempt => ({
  id: ATTEMPT_ID,
  status: 'waiting',
  operator_name: 'Orange Money',
  phone_end: '67',
  expires_at: '2026-11-22T09:00:00.000000Z',
  next_step: {
    kind: 'prompt',
    expires_at: '2026-11-22T09:00:00.000000Z',
    code: null,
    url: null,
    instructions: { en: [], fr: [] },
    ...step,
  },
});

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text that a reader sees. */
  readonly text: string;
}

async function ask(path: string, init: RequestInit = {}): Promise<Page> {
  const headers = { 'Accept-Language': 'en', ...(init.headers as Record<string, string>) };
  const response = await fetch(service.origin + path, { redirect: 'manual', ...init, headers });
  const html = await response.text();
  const text = html.replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  return { status: response.status, headers: response.headers, html, text };
}

const post = (path: string, fields: Readonly<Record<string, string>>, headers = {}) =>
  ask(ADDRESS + path, { method: 'POST', body: new URLSearchParams(fields), headers });

const begin = (fields: Readonly<Record<string, string>> = {}) =>
  post('/attempts', { phone: '77 123 45 67', operator: '', form_id: FORM_ID, ...fields });

const inputOf = ({ html }: Page, value: string): string =>
  html.match(new RegExp(`<input[^>]*value="${value}"[^>]*>`))?.[0] ?? '';

/** The parts stand on the page in this order. */
function expectInOrder({ html }: Page, ...parts: string[]): void {
  const places = parts.map((part) => html.indexOf(part));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
}

describe('the form to pay by phone', () => {
  it('comes first in XOF, with the card as the quieter choice below', async () => {
    const page = await ask(ADDRESS);
    expectInOrder(page, `action="${ADDRESS}/attempts"`, `action="${ADDRESS}/pay"`);
    expectInOrder(page, 'value="orange_sn"', 'name="phone"', '…">Pay 25,000');
    expect(page.html).toMatch(/class="button plain"[^>]*>Bank card</);
    // With its operators closed, the card comes first.
    service.methods = [CLOSED];
    expect((await ask(ADDRESS)).html).toMatch(/class="button"[^>]*>Pay 25,000/);
  });

  it.each([
    ['SN', ['+22177'], 'such as 77 123 45 67. '],
    ['CI', ['+22507'], 'such as 07 12 34 56 78. '],
    ['ML', ['+2237'], 'such as 71 23 45 67. '],
    ['ZZ', ['+9991'], 'account. From another country'],
    ['SN', [], 'account. From another country'],
  ])('says how a number is written in %s', async (country, prefixes, words) => {
    service.view = { ...OPEN, country };
    service.methods = [phoneMethod({ country, prefixes })];
    expect((await ask(ADDRESS)).text.replaceAll('\u00a0', ' ')).toContain(words);
  });

  it('stands below the checkout in dollars, and alone where the gateway has no page', async () => {
    service.view = { ...OPEN, currency: 'USD' };
    const both = await ask(ADDRESS);
    expectInOrder(both, `action="${ADDRESS}/pay"`, `action="${ADDRESS}/attempts"`);
    expect(both.text).toContain('Or pay by mobile money');
    service.view = { ...OPEN, checkout_url: OPEN.pay_url };
    const alone = await ask(ADDRESS);
    expect(alone.html).not.toContain(`action="${ADDRESS}/pay"`);
    expect(alone.text).toMatch(/ Pay 25,000.FCFA /);
    service.methods = [];
    expect((await ask(ADDRESS)).text).toContain('This link cannot be paid just now.');
  });

  it('is not there once they have paid, also when the payment was read just before', async () => {
    service.awaitNews = (view) => {
      service.view = { ...view, status: 'succeeded' };
      service.attempt = { ...waiting(), status: 'succeeded' };
      return Promise.resolve({ view, is_unpaid: true });
    };
    const { html, text } = await ask(`${ADDRESS}?back=1`);
    expect([text.includes('Thank you'), html.includes('<form')]).toEqual([true, false]);
    // Money of another amount is held, and the payment stays open.
    service.view = OPEN;
    expect((await ask(ADDRESS)).html).toContain('<form');
  });

  it('is not there where no operator takes the currency or the amount', async () => {
    const above = phoneMethod({ minimum: 2_500_001n as Minor });
    const below = phoneMethod({ maximum: 2_499_999n as Minor });
    for (const methods of [[], [above, below]]) {
      service.methods = methods;
      const { html } = await ask(ADDRESS);
      expect(html).not.toContain('/attempts');
      expect(html).toContain(`action="${ADDRESS}/pay"`);
    }
  });

  it('has the operators of the link’s country first, if it names one', async () => {
    service.view = { ...OPEN, country: 'CI' };
    service.methods = [phoneMethod(), IVORY];
    expectInOrder(await ask(ADDRESS), 'mtn_ci', '<details>', 'orange_sn');
  });

  it('has the operators of the merchant’s country first, the others folded away', async () => {
    service.methods = [IVORY, WAVE, phoneMethod()];
    const folded = ['<details>', 'Côte d’Ivoire', 'mtn_ci'];
    expectInOrder(await ask(ADDRESS), 'wave_sn', 'orange_sn', ...folded);
    // Without one of its own, none is folded away.
    service.methods = [IVORY];
    const { text, html: other } = await ask(ADDRESS);
    expect(text).toContain('Operator: Côte d’Ivoire MTN MoMo');
    expect(other).not.toContain('<details');
  });

  it('shows which operator is closed or slow, and lets nobody choose a closed one', async () => {
    service.methods = [CLOSED, { ...WAVE, state: 'delayed' }];
    const page = await ask(ADDRESS);
    expect(page.text).toContain('Orange Money closed for now');
    expect(page.text).toContain('Wave slow for now');
    expect(inputOf(page, 'orange_sn')).toContain(' disabled');
    expect(inputOf(page, 'wave_sn')).not.toContain(' disabled');
    service.methods = [CLOSED];
    const closed = await ask(ADDRESS);
    expect(closed.text).toContain('Mobile money is closed for now.');
    expect(closed.html).not.toContain(`action="${ADDRESS}/attempts"`);
  });
});

describe('a number', () => {
  it.each([
    ['77 123 45 67', '', 'orange_sn', '+221771234567'],
    ['+221 (77) 123-45-67', '', 'orange_sn', '+221771234567'],
    ['00221771234567', '', 'orange_sn', '+221771234567'],
    ['221771234567', '', 'orange_sn', '+221771234567'],
    ['+225 05 01 02 03 04', '', 'mtn_ci', '+2250501020304'],
    // Local, of the country of the operator that was chosen.
    ['05 01 02 03 04', 'mtn_ci', 'mtn_ci', '+2250501020304'],
    ['771234567', 'wave_sn', 'wave_sn', '+221771234567'],
    // The old number of Benin and the new one are one phone, and have one operator.
    ['+229 97 12 34 56', '', 'mtn_bj', '+2290197123456'],
    ['0022997123456', '', 'mtn_bj', '+2290197123456'],
    ['97 12 34 56', 'mtn_bj', 'mtn_bj', '+2290197123456'],
    ['01 97 12 34 56', 'mtn_bj', 'mtn_bj', '+2290197123456'],
  ])('typed as %j with the operator %j is paid by %s at %s', async (...row) => {
    const [phone, operator, found, number] = row;
    service.methods = [...service.methods, BENIN];
    const { status, headers } = await begin({ phone, operator });
    expect([status, headers.get('location')]).toEqual([303, ADDRESS]);
    const order = { operator: found, phone: number, form_id: FORM_ID, request_id: 'request-1' };
    expect(orders).toEqual([order]);
  });

  it.each([
    ['phone', 'hello', 'orange_sn', 'This is no phone number'],
    ['phone', '', '', 'This is no phone number'],
    ['phone', '77 123 45', 'orange_sn', 'Two digits are missing\\.'],
    ['phone', '77 123 45 6', '', 'One digit is missing\\.'],
    ['phone', '+221 77 123 45 67 8', 'wave_sn', 'One digit is too many\\.'],
    ['phone', '+221771234567.0', '', 'A spreadsheet has made a decimal'],
    ['operator', '76 123 45 67', '', 'Choose the operator'],
    ['operator', '05 01 02 03 04', '', 'Choose the operator'],
  ])('with a fault of the field %s (%j, %j) is refused beside it', async (...row) => {
    const [field, phone, operator, words] = row;
    const page = await begin({ phone, operator });
    expect(page.status).toBe(422);
    expect(page.html).toMatch(new RegExp(`id="${field}-note" class="note fault">${words}`));
    expect(page.html).toContain(`name="phone" value${phone && `="${phone}"`} `);
    if (operator !== '') expect(inputOf(page, operator)).toContain(' checked');
    expect(inputOf(page, OPEN.id)).toContain('name="form_id"');
    expect(orders).toEqual([]);
  });

  it('of an operator that is closed is refused, whether it was chosen or found', async () => {
    service.methods = [CLOSED, WAVE];
    for (const operator of ['', 'orange_sn']) {
      const page = await begin({ operator });
      expect(page.status).toBe(503);
      expect(page.text).toContain('No payment is possible with Orange Money now.');
    }
  });
});

describe('an attempt that is refused', () => {
  const wait = (seconds: number, param?: string) => ({
    ...(param === undefined ? {} : { param }),
    retry_after_seconds: seconds,
  });

  it.each([
    [new Refusal('rate_limited', wait(1_741, 'phone')), 429, 'in 30 minutes', '1741'],
    [new Refusal('rate_limited', wait(60)), 429, 'nothing was charged', '60'],
    [new Refusal('provider_unavailable', wait(60)), 503, 'No payment is possible with Wave', '60'],
    [new Refusal('invalid_request', { param: 'phone' }), 422, 'This is no phone number', null],
    [new Refusal('invalid_request', { param: 'operator' }), 422, 'Choose the operator', null],
    [new Refusal('amount_out_of_bounds'), 422, 'This amount cannot be paid with Wave', null],
    [new Refusal('gateway_not_configured'), 503, 'nothing was charged', '5'],
  ])('as %s is %s, and keeps what was typed', async (refusal, status, words, retry_after) => {
    service.beginAttempt = () => Promise.reject(refusal);
    const page = await begin({ operator: 'wave_sn' });
    expect([page.status, page.headers.get('retry-after')]).toEqual([status, retry_after]);
    expect(page.text).toContain(words);
    expect(inputOf(page, '77 123 45 67')).not.toBe('');
    expect(inputOf(page, 'wave_sn')).toContain(' checked');
  });

  it('because one waits, or it was paid meanwhile, leads to the page that shows it', async () => {
    const codes = ['attempt_in_progress', 'payment_intent_not_payable'] as const;
    for (const code of [...codes, 'idempotency_key_reuse'] as const) {
      service.beginAttempt = () => Promise.reject(new Refusal(code));
      const { status, headers } = await begin();
      expect([status, headers.get('location')]).toEqual([303, ADDRESS]);
    }
  });

  it('with an attempt that has begun all the same leads to it', async () => {
    service.beginAttempt = () => {
      service.attempt = waiting();
      return Promise.reject(new Refusal('gateway_timeout'));
    };
    expect((await begin()).status).toBe(303);
  });
});

describe('while an attempt waits', () => {
  it.each([
    ['prompt', {}, 'Confirm on your phone', 'Your phone shows a question of Orange Money'],
    ['dial', { code: '*155#' }, 'Dial this code', 'href="tel:*155%23"'],
    ['otp', { code: '#144*82#' }, 'Get your one-time code', 'href="tel:%23144*82%23"'],
    [
      'redirect',
      { url: 'https://wave.example/x' },
      'your operator',
      'href="https://wave.example/x"',
    ],
  ] as const)('%s is shown, in the operator’s words where it has some', async (...row) => {
    const [kind, step, heading, part] = row;
    service.attempt = waiting({ kind, ...step });
    const page = await ask(ADDRESS);
    expect(page.text).toContain(heading);
    expect(page.html).toContain(part);
    expect(page.text).toContain(
      kind === 'otp'
        ? 'Orange Money is waiting for your code.'
        : 'We are waiting for Orange Money.',
    );
    expect(page.html).not.toContain(`action="${ADDRESS}/pay"`);
    expect(page.html.includes(`action="${ADDRESS}/attempts/${ATTEMPT_ID}/otp"`)).toBe(
      kind === 'otp',
    );
    // Without a script it is loaded again, but for a page on which something is typed.
    expect(page.html.includes('http-equiv="refresh"')).toBe(kind !== 'otp');
    const instructions = { en: ['Open the app.', 'Press 1.'], fr: ['Ouvrez.', 'Tapez 1.'] };
    service.attempt = waiting({ kind, ...step, instructions });
    expect((await ask(ADDRESS)).text).toContain('Open the app. Press 1.');
    expect((await ask(`${ADDRESS}?lang=fr`)).text).toContain('Ouvrez. Tapez 1.');
  });

  it('the page and the state tell the end of the number, and change with the attempt', async () => {
    service.attempt = waiting();
    const first = await ask(`${ADDRESS}/status`);
    expect((await ask(ADDRESS)).text).toContain('ends in 67');
    service.attempt = { ...waiting(), next_step: null };
    expect((await ask(`${ADDRESS}/status`)).text).not.toBe(first.text);
    expect((await ask(ADDRESS)).text).toContain('Confirming your payment');
  });

  it('an address that is none of the web reaches no browser', async () => {
    service.attempt = waiting({ kind: 'redirect', url: 'javascript:alert(1)' });
    const { status, html } = await ask(ADDRESS);
    expect([status, html.includes('javascript:')]).toEqual([500, false]);
  });
});

describe('a one-time code', () => {
  const give = (otp: string, id = ATTEMPT_ID) => post(`/attempts/${id}/otp`, { otp });
  let given: unknown[];

  beforeEach(() => {
    given = [];
    service.attempt = waiting({ kind: 'otp', code: '#144*82#' });
    service.giveOtp = (_view, ...rest) => Promise.resolve(given.push(rest));
  });

  it('is given to the attempt that waits for it, however it is typed', async () => {
    const { status, headers } = await give(' 123 456 ');
    expect([status, headers.get('location')]).toEqual([303, ADDRESS]);
    expect(given).toEqual([[ATTEMPT_ID, '123456']]);
  });

  it('that is none is refused beside its field', async () => {
    for (const otp of ['', '123', 'abcd', '123456789']) {
      const page = await give(otp);
      expect(page.status).toBe(422);
      expect(page.html).toMatch(/id="otp-note" class="note fault">The code has 4 to 8 digits/);
    }
    expect(given).toEqual([]);
  });

  it('of another attempt, or that nothing waits for, leads to the page', async () => {
    expect((await give('123456', randomUUID())).status).toBe(303);
    service.attempt = waiting();
    expect((await give('123456')).status).toBe(303);
    expect(given).toEqual([]);
  });

  it('can be sent again when the operator could not be asked', async () => {
    service.giveOtp = () => Promise.reject(new Refusal('gateway_timeout'));
    const page = await give('123456');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(page.html).toContain('name="otp"');
  });
});

describe('to change the way to pay', () => {
  const change = (id = ATTEMPT_ID) => post(`/attempts/${id}/give-up`, {});
  let given_up: string[];

  beforeEach(() => {
    given_up = [];
    service.giveUp = (id) => Promise.resolve(void given_up.push(id));
  });

  it.each(['otp', 'prompt', 'dial', 'redirect'] as const)(
    'is offered while the customer has something to do (%s), with what must not be confirmed',
    async (kind) => {
      service.attempt = waiting({ kind });
      const page = await ask(ADDRESS);
      expect(page.html).toContain(`action="${ADDRESS}/attempts/${ATTEMPT_ID}/give-up"`);
      expect(page.text.includes('do not confirm the request of Orange Money')).toBe(kind !== 'otp');
      const { status, headers } = await change();
      expect([status, headers.get('location'), given_up]).toEqual([303, ADDRESS, [ATTEMPT_ID]]);
    },
  );

  it('is not offered while the operator has the payment, and the page says why and until when', async () => {
    service.attempt = { ...waiting(), next_step: null };
    const page = await ask(ADDRESS);
    expect(page.html).not.toContain('give-up');
    expect(page.text).toMatch(
      /is processing your payment\. So that you do not pay twice, .* 22 Nov 2026/,
    );
  });

  it('of another attempt, or of one that is over, leads to the page', async () => {
    service.attempt = waiting();
    expect((await change(randomUUID())).status).toBe(303);
    service.attempt = { ...waiting(), status: 'failed', next_step: null };
    expect((await change()).status).toBe(303);
    expect(given_up).toEqual([]);
  });

  it('can be tried again when the operator could not be asked', async () => {
    service.attempt = waiting();
    service.giveUp = () => Promise.reject(new Refusal('provider_unavailable'));
    const page = await change();
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(page.text).toContain('The operator cannot be asked just now.');
    expect(page.html).toContain('/give-up"');
  });
});

describe('after an attempt has failed', () => {
  it.each(ATTEMPT_FAILURES)('%s is said in the reader’s language, with the form', async (code) => {
    const message = 'SOME_PROVIDER_TEXT';
    service.view = { ...OPEN, last_payment_error: { code, message } };
    service.attempt = { ...waiting(), status: 'failed', next_step: null };
    for (const language of LANGUAGES) {
      const { html, text } = await ask(`${ADDRESS}?lang=${language}`);
      const said = text.split(WORDS[language].failed_attempt)[1]!;
      expect(said).toMatch(/^ \p{Lu}.{15,}?\./u);
      expect(said).not.toContain(message);
      expect(said).not.toContain(WORDS[language].choose_again);
      expect(html).toContain(`action="${ADDRESS}/attempts?lang=${language}"`);
    }
  });

  it('the number is kept for whoever typed it, and for nobody else with the link', async () => {
    const { headers } = await begin({ operator: 'wave_sn' });
    const cookie = headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    service.attempt = { ...waiting(), status: 'failed', next_step: null };
    const own = await ask(ADDRESS, { headers: { cookie } });
    expect(inputOf(own, '\\+221771234567')).toContain('id="phone"');
    expect(inputOf(own, 'wave_sn')).toContain(' checked');
    expect((await ask(ADDRESS)).html).not.toContain('1234567');
    for (const one of headers.getSetCookie()) {
      expect(one).toMatch(new RegExp(`path=${ADDRESS}; .*samesite=lax; httponly`));
    }
  });
});

describe('whoever sends many forms', () => {
  it('is limited as those who begin payments of a reusable link', async () => {
    service = await startPayService({ per_minute: 10 });
    service.methods = [phoneMethod()];
    service.beginAttempt = () => Promise.resolve();
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await begin()).status);
    expect(statuses).toEqual([303, 303, 429]);
    service.attempt = waiting({ kind: 'otp', code: '#144*82#' });
    expect((await post(`/attempts/${ATTEMPT_ID}/otp`, { otp: '123456' })).status).toBe(429);
    expect((await ask(ADDRESS)).status).toBe(200);
  });
});
