// The pay page as text: what it says in each state, and what it never lets through.

import fc from 'fast-check';
import { OTHER_PAGES } from '../../api/pay/other-pages';
import { renderPayPage, renderPayState } from '../../api/pay/page';
import type { PayPageView } from '../../api/pay/view';
import { customerMessage, firstLetter } from '../../api/pay/wording';
import { CURRENCIES } from '../../domain/currency';
import { LANGUAGES } from '../../domain/language';
import { INTENT_STATUSES, isTerminal, type IntentStatus } from '../../domain/intent';
import { formatAmount } from '../../domain/money';
import { formatMoney, formatTime } from '../../pages/formats';
import { OPEN } from '../pages/pay-service';

const render = (changes: Partial<PayPageView> = {}, has_returned = false): string =>
  renderPayPage({ ...OPEN, ...changes }, { has_returned });

/** The text that a reader sees, without the style. */
const read = (html: string): string =>
  html.replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const count = (html: string, part: string): number => html.split(part).length - 1;

const DECLINED = { code: 'card_declined', message: 'Your card was declined.' };

describe('an amount', () => {
  it.each([
    [500_000n, 'XOF', '5,000 FCFA', '5 000 FCFA'],
    [100n, 'XOF', '1 FCFA', '1 FCFA'],
    [123_456_789_00n, 'XOF', '123,456,789 FCFA', '123 456 789 FCFA'],
    // There are none in the ledger; one would be shown.
    [550n, 'XOF', '5.5 FCFA', '5,5 FCFA'],
    [4_990n, 'EUR', '€49.90', '49,90 €'],
    [1n, 'EUR', '€0.01', '0,01 €'],
    [124_990n, 'USD', 'US$1,249.90', '1 249,90 $US'],
    [999_999_999_999_999n, 'USD', 'US$9,999,999,999,999.99', '9 999 999 999 999,99 $US'],
  ] as const)('of %s minor units of %s is %s, in French %s', (minor, currency, english, french) => {
    const read = (language: 'en' | 'fr') =>
      formatMoney(language, minor, currency).replace(/\s/g, ' ');
    expect([read('en'), read('fr')]).toEqual([english, french]);
  });

  it('is never rounded, and does not break over lines', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 18n), fc.constantFrom(...CURRENCIES), (minor, currency) => {
        for (const language of LANGUAGES) {
          const text = formatMoney(language, minor, currency);
          expect(text).not.toContain(' ');
          const [point, others] = language === 'en' ? ['.', /[^\d.]/g] : [',', /[^\d,]/g];
          const plain = text.replace(others, '').replace(point, '.');
          expect(withoutZeros(plain)).toBe(withoutZeros(formatAmount(minor)));
        }
      }),
    );
  });
});

const withoutZeros = (amount: string): string =>
  amount.replace(/\.?0*$/, (end) => (amount.includes('.') ? '' : end));

describe('the wording', () => {
  it('gives times in UTC', () => {
    expect(formatTime('en', '2026-11-22T14:30:59.999999Z')).toBe('22 Nov 2026, 14:30 UTC');
    expect(formatTime('fr', '2026-11-22T14:30:59.999999Z')).toBe('22 nov. 2026, 14:30 UTC');
  });

  it.each([
    ['Your card was declined.', 'Your card was declined.'],
    ['Card 4242 4242 4242 4242 was declined', undefined],
    ['Ask awa@example.com', undefined],
    ['See https://example.com', undefined],
    ['<b>no</b>', undefined],
  ])("shows the gateway's %j as %j", (message, expected) => {
    expect(customerMessage({ code: 'any', message }, 'en')).toBe(expected);
  });

  it.each([
    ['  "école"', 'É'],
    ['🦊 7 Foxes', '7'],
  ])('takes from the name %j the letter %j', (name, letter) => {
    expect(firstLetter(name)).toBe(letter);
  });
});

describe.each(INTENT_STATUSES)('a page that is %s', (status) => {
  const html = render({ status });

  it('has a language, one heading, one status, the payee and the reference', () => {
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(count(html, '<h1>')).toBe(1);
    expect(count(html, 'role="status"')).toBe(status === 'open' ? 0 : 1);
    expect(count(render({ status }, true), 'role="status"')).toBe(1);
    for (const part of [OPEN.merchant_name, OPEN.reference, formatMoney('en', 2_500_000n, 'XOF')]) {
      expect(read(html).replace(/ /g, '')).toContain(part.replace(/\s/g, ''));
    }
  });

  it('can be paid only while it is open', () => {
    const form = `<form method="post" action="/p/${OPEN.short_code}/pay">`;
    expect(html.includes(form)).toBe(status === 'open');
    expect(html.includes('<button')).toBe(status === 'open');
  });

  it('is polled until it is terminal', () => {
    expect(html.includes('/p/assets/pay.js')).toBe(!isTerminal(status));
    expect(html.includes('http-equiv="refresh"')).toBe(status === 'processing');
    const returned = render({ status }, true);
    expect(returned.includes('http-equiv="refresh"')).toBe(!isTerminal(status));
    expect(returned.includes('data-state')).toBe(!isTerminal(status));
  });

  it.each([
    ['live', false, undefined],
    ['sandbox', false, 'Test payment: no real money'],
    ['sandbox', true, 'Test payment: no real money'],
    ['live', true, 'Simulated gateway: no real money'],
  ] as const)('says in %s (simulated: %s): %s', (environment, is_simulated_gateway, ribbon) => {
    const text = read(render({ status, environment, is_simulated_gateway }));
    expect(text.includes('no real money')).toBe(ribbon !== undefined);
    if (ribbon !== undefined) expect(text).toContain(ribbon);
  });

  it('loads nothing from elsewhere, and has no inline script or style attribute', () => {
    expect(html).not.toMatch(/(src|href|action)="(?!\/p\/)/);
    expect(html).not.toMatch(/ (style|on\w+)=|url\(|@import/);
    expect(html).not.toContain(OPEN.checkout_url);
    expect(html.match(/<script\b[^>]*>[^]*?<\/script>/g) ?? []).toHaveLength(
      isTerminal(status) ? 0 : 1,
    );
    expect(html).not.toMatch(/<script[^>]*>[^<]/);
  });
});

describe('the text', () => {
  it.each<[IntentStatus, string[]]>([
    ['open', ['Pay', 'Valid until', '22 Nov 2026, 14:30 UTC', 'two wax prints']],
    ['processing', ['Confirming your payment', 'do not have to pay again', 'Check now']],
    ['succeeded', ['Thank you', 'has arrived']],
    ['failed', ['did not go through', 'ask Atelier Awa Ndiaye for a new one']],
    ['expired', ['has expired', 'ask Atelier Awa Ndiaye for a new link']],
    ['canceled', ['was canceled', 'ask for a new one']],
  ])('when it is %s: %j', (status, parts) => {
    const text = read(render({ status })).replace(/ (?=[.,])/g, '');
    for (const part of parts) expect(text).toContain(part);
  });

  it('of a failed attempt is polite and offers another try', () => {
    const text = read(render({ last_payment_error: DECLINED }));
    expect(text).toContain('did not go through. Your card was declined.');
    expect(text).toContain('Try again');
    // The gateway's reason mostly says what to do: it is not said twice.
    expect(text).not.toContain('You can try again');
    const unexplained = { code: 'x', message: 'card_declined' };
    expect(read(render({ last_payment_error: unexplained }))).toContain('You can try again');
    expect(text).not.toContain('card_declined');
  });

  it('of a failure omits what is not meant for the customer', () => {
    const message = 'upstream: {"pan":"4242"}';
    for (const status of INTENT_STATUSES) {
      const html = render({ status, last_payment_error: { code: 'processor_error_7', message } });
      expect(html).not.toContain('upstream');
      expect(html).not.toContain('processor_error_7');
    }
  });

  it.each([...Object.entries(OTHER_PAGES.en), ...Object.entries(OTHER_PAGES.fr)])(
    'without a payment (%s) has one heading, one status and no form',
    (_kind, html) => {
      expect([count(html, '<h1>'), count(html, 'role="status"')]).toEqual([1, 1]);
      expect(html).not.toMatch(/<form|<script|data-page/);
    },
  );
});

describe('when another amount has arrived', () => {
  const SHORT = {
    received_minor: 2_499_900n,
    last_payment_error: { code: 'amount_mismatch', message: '24999.00 XOF arrived instead.' },
  };

  it('the customer is told how much, and is not led to pay once more', () => {
    const html = render(SHORT);
    const text = read(html).replace(/\s/g, ' ');
    expect(text).toContain('24,999 FCFA arrived instead of 25,000 FCFA.');
    expect(text).toContain('Ask Atelier Awa Ndiaye before you pay again.');
    expect(html).toContain('<button class="button plain"');
    expect(text).not.toContain('Valid until');
    const french = renderPayPage({ ...OPEN, ...SHORT }, { language: 'fr' });
    expect(read(french)).toMatch(/Montant reçu : 24.999.FCFA au lieu de 25.000.FCFA/);
  });

  it.each<[IntentStatus, bigint]>([
    ['expired', 2_500_000n],
    ['canceled', 2_500_000n],
    ['failed', 2_500_000n],
    ['succeeded', 5_000_000n],
  ])('the page of a link that is %s tells of %s minor units in all', (status, received_minor) => {
    expect(read(render({ status, received_minor }))).toMatch(
      /In all, (25|50),000.FCFA arrived for this link\. Ask Atelier Awa Ndiaye/,
    );
  });
});

describe('for whoever comes back from the gateway', () => {
  it('there is no button to pay once more, and a way back to it', () => {
    const html = render({}, true);
    expect(read(html)).toContain('Checking your payment');
    expect(html).not.toContain('<form');
    expect(html).toContain(`href="/p/${OPEN.short_code}">I have not paid yet`);
  });

  it('a failure that was just told is the answer, an older one may be overtaken', () => {
    const view = { ...OPEN, last_payment_error: DECLINED };
    const answered = renderPayPage(view, { has_returned: true, is_answered: true });
    expect(read(answered)).not.toContain('Have you');
    expect(read(render({ last_payment_error: DECLINED }, true))).toContain('Have you paid since?');
  });
});

describe('the way back to a shop', () => {
  const SHOP = {
    return_url: 'https://shop.example/thanks?a=b',
    cancel_url: 'https://shop.example:8443/basket',
  };
  const hrefs = (html: string): string[] =>
    Array.from(html.matchAll(/href="(https:[^"]*)"/g), ([, href]) =>
      href!.replaceAll('&amp;', '&'),
    );
  const outcome = (status: string): string =>
    `payment_intent=${OPEN.id}&reference=${OPEN.reference}&status=${status}`;

  it.each<[IntentStatus, string[]]>([
    ['open', [`${SHOP.cancel_url}?${outcome('open')}`]],
    ['processing', []],
    ['succeeded', [`${SHOP.return_url}&${outcome('succeeded')}`]],
    ['failed', [`${SHOP.cancel_url}?${outcome('failed')}`]],
    ['expired', [`${SHOP.cancel_url}?${outcome('expired')}`]],
    ['canceled', [`${SHOP.cancel_url}?${outcome('canceled')}`]],
  ])('of a link that is %s: %j', (status, expected) => {
    expect(hrefs(render({ ...SHOP, status }))).toEqual(expected);
    expect(hrefs(render({ status }))).toEqual([]);
  });

  it('is not offered to whoever may just have paid, or has paid another amount', () => {
    expect(hrefs(render(SHOP, true))).toEqual([]);
    const failure = { code: 'amount_mismatch', message: 'x' };
    const mismatch = { ...SHOP, last_payment_error: failure };
    expect(hrefs(render(mismatch))).toEqual([]);
    const gave_up = renderPayPage({ ...OPEN, ...mismatch }, { gave_up: true, leaves: true });
    expect(gave_up).not.toContain('data-leave');
  });
});

it('a payment that is being checked was received, and is not asked for again', () => {
  const hold = { reference: 'RSK-00000000000000000000', expires_at: '2026-11-25T15:30:00.000000Z' };
  const html = render({ status: 'processing', hold });
  expect(read(html)).toContain('Your payment was received and is being checked');
  expect(html).not.toContain('<button');
  expect(html).not.toContain(hold.reference);
});

describe('in French', () => {
  const french = (changes: Partial<PayPageView> = {}, options = {}): string =>
    renderPayPage({ ...OPEN, ...changes }, { language: 'fr', ...options });

  it.each<[IntentStatus, string[]]>([
    ['open', ['Payer Atelier Awa Ndiaye', '25 000 FCFA', 'Valable jusqu’au', '22 nov. 2026']],
    ['processing', ['Confirmation de votre paiement', 'Vérifier maintenant']],
    ['succeeded', ['Merci', 'est arrivé', 'Montant']],
    ['failed', ['Le paiement n’a pas abouti', 'demandez-en un nouveau']],
    ['expired', ['a expiré', 'demandez un nouveau lien']],
    ['canceled', ['a été annulé', 'a retiré ce lien']],
  ])('when it is %s: %j', (status, parts) => {
    const html = french({ status });
    expect(html).toContain('<html lang="fr">');
    for (const part of parts) expect(read(html)).toContain(part);
    // Nothing is left in English but the link to it.
    expect(read(html).replace('English', '')).not.toMatch(/ (the|your|this|payment link|Pay) /);
  });

  it('says what gateways say most often in French, and the rest in their words', () => {
    expect(read(french({ last_payment_error: DECLINED }))).toContain(
      'La dernière tentative n’a pas abouti. Le paiement a été refusé. Réessayez',
    );
    const unknown = { code: 'x', message: 'Ask your bank.' };
    expect(read(french({ last_payment_error: unknown }))).toContain('abouti. Ask your bank.');
  });
});

describe('hostile text', () => {
  const HOSTILE = [
    '</style><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</title></h1></main><h1>',
    '<!-- ',
    '&lt;script&gt; &amp; &#60;',
    '${7*7} $& $1 $`',
    '\u202egnp.exe\u2066',
  ];
  const shape = (html: string): string =>
    html
      .replace(/<style>[^]*?<\/style>/g, '<style>')
      .replace(/="[^"]*"/g, '')
      .match(/<[^>]*>/g)!
      .join('');

  it.each(HOSTILE)('%j adds no element and no attribute', (text) => {
    for (const status of INTENT_STATUSES) {
      const failure = { code: text, message: `Your card ${text}`.slice(0, 150) };
      const harmless = render({ status, last_payment_error: DECLINED });
      const html = render({
        status,
        merchant_name: `A${text}`,
        description: text,
        reference: text,
        last_payment_error: failure,
      });
      expect(shape(html)).toBe(shape(harmless));
    }
  });

  it('of any characters keeps the page intact', () => {
    const harmless = shape(render());
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, about) => {
        const html = render({ merchant_name: `A${name}`, description: about });
        expect(shape(html)).toBe(harmless);
      }),
    );
  });
});

describe('the state that is polled', () => {
  it('is the status, its time and the text for a failed attempt, and nothing else', () => {
    const { updated_at } = OPEN;
    expect(JSON.parse(renderPayState(OPEN))).toEqual({
      status: 'open',
      updated_at,
      failed_attempt: null,
      attempt: null,
    });
    const failed = { ...OPEN, last_payment_error: DECLINED };
    expect(JSON.parse(renderPayState(failed))).toEqual({
      status: 'open',
      updated_at,
      failed_attempt: 'The last attempt did not go through. Your card was declined.',
      attempt: null,
    });
  });

  it('is the one that the page was rendered from', () => {
    const html = render({ last_payment_error: DECLINED });
    const [, state = ''] = /data-state="([^"]*)"/.exec(html)!;
    const text = state.replace(/&quot;/g, '"');
    expect(text).toBe(renderPayState({ ...OPEN, last_payment_error: DECLINED }));
  });
});
