// The addresses that a pay page may send a customer to.

import fc from 'fast-check';
import { addOutcome, hostOf, readReturnAddress } from '../../domain/return-address';

const OUTCOME = {
  payment_intent: '0198aa52-1f5e-8f7e-9b1e-6a3b0c2d4e5f',
  reference: 'TRX-7Q2M4K9XW3T8R5Z1B6CA',
  status: 'succeeded',
};
const ADDED =
  'payment_intent=0198aa52-1f5e-8f7e-9b1e-6a3b0c2d4e5f&reference=TRX-7Q2M4K9XW3T8R5Z1B6CA&status=succeeded';

describe('an address of a shop', () => {
  it.each([
    'https://shop.example',
    'https://shop.example/',
    'https://shop.example:8443/orders/1042?from=link&x=%20#paid',
    'HTTPS://Shop.Example/Thanks',
    'https://shop.example/a@b?mail=awa@example.com',
    'https://boutique-été.example/merci',
    'https://[2001:db8::1]/thanks',
    `https://shop.example/${'a'.repeat(2_048 - 21)}`,
  ])('may be %s', (address) => {
    const { href } = new URL(address);
    expect(readReturnAddress(address, false)).toBe(href);
    expect(readReturnAddress(address, true)).toBe(href);
    expect(readReturnAddress(href, false)).toBe(href);
  });

  it.each([
    'http://127.0.0.1:4000/thanks',
    'http://localhost/thanks',
    'http://localhost:4000/thanks?a=b#c',
    'http://LOCALHOST/thanks',
  ])('may be %s only while somebody develops', (address) => {
    expect(readReturnAddress(address, true)).toBe(new URL(address).href);
    expect(readReturnAddress(address, false)).toBeUndefined();
  });

  it.each([
    ['plain http', 'http://shop.example/'],
    ['a name that begins like this machine', 'http://localhost.evil.example/'],
    ['an address that begins like this machine', 'http://127.0.0.1.evil.example/'],
    ['another address of this machine', 'http://127.0.0.2/'],
    ['every address of this machine', 'http://0.0.0.0/'],
    ['this machine by IPv6', 'http://[::1]/'],
    ['a script', 'javascript:alert(1)'],
    ['a script with slashes', 'javascript://shop.example/%0aalert(1)'],
    ['a document of its own', 'data:text/html,<script>alert(1)</script>'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'ftp://shop.example/'],
    ['an app', 'intent://shop.example#Intent;scheme=https;end'],
    ['no protocol', '//evil.example/'],
    ['a path', '/p/abcdefghij'],
    ['no host', 'https://'],
    ['no host but a path', 'https:///evil.example'],
    ['one slash', 'https:/evil.example/'],
    ['no slash', 'https:evil.example'],
    ['backslashes', 'https:\\\\evil.example\\'],
    ['a backslash before the host ends', 'https://shop.example\\@evil.example/'],
    ['a backslash in the path', 'https://shop.example/\\evil.example'],
    ['a user name that looks like a host', 'https://shop.example@evil.example/'],
    ['a user name and a password', 'https://user:secret@shop.example/'],
    ['an empty user name', 'https://@evil.example/'],
    ['an empty password', 'https://:@evil.example/'],
    ['an encoded user name', 'https://shop.example%2f@evil.example/'],
    ['a line break', 'https://shop.example/\r\nSet-Cookie: a=b'],
    ['a line break that URL parsers drop', 'https://shop\n.example/'],
    ['a tab that URL parsers drop', 'java\tscript:alert(1)'],
    ['a space before it', ' https://shop.example/'],
    ['a space behind it', 'https://shop.example/ '],
    ['a space inside', 'https://shop.example/a b'],
    ['a null character', 'https://shop.example/\0'],
    ['text that runs the other way', 'https://shop.example/\u202egnp.exe'],
    ['a character without a width', 'https://shop\u200b.example/'],
    ['half of a character', 'https://shop.example/\ud800'],
    ['a host that is none', 'https://exa mple/'],
    ['a port that is none', 'https://shop.example:99999/'],
    ['an address that is none', 'https://1.2.3.4.5/'],
    ['an encoded null character in the host', 'https://shop%00.example/'],
    ['markup in the host', 'https://<b>.example/'],
    ['nothing', ''],
    ['2,049 characters', `https://shop.example/${'a'.repeat(2_048 - 20)}`],
    ['more than 2,048 characters once it is encoded', `https://shop.example/${'é'.repeat(400)}`],
  ])('is not one with %s', (_what, address) => {
    expect(readReturnAddress(address, true)).toBeUndefined();
    expect(readReturnAddress(address, false)).toBeUndefined();
  });

  it('is named by its host and port, in letters that pass for no others', () => {
    expect(hostOf('https://shop.example:8443/x')).toBe('shop.example:8443');
    // A Cyrillic letter.
    expect(hostOf('https://p\u0430ypal.example/')).toBe('xn--pypal-4ve.example');
  });

  it('never leads to another host than the one that is named, and not as a script', () => {
    const part = fc.oneof(
      fc.constantFrom('https:', 'http:', 'javascript:', '//', '/', '\\', '@', ':', '?', '#', '.'),
      fc.constantFrom('shop.example', 'evil.example', 'localhost', '127.0.0.1', '%2f', '\t', ' '),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''));
    const near = text.map((rest) => `https://shop.example${rest}`);
    fc.assert(
      fc.property(fc.oneof(text, near), (address) => {
        if (readReturnAddress(address, false) === undefined) return;
        const leads_to = new URL(addOutcome(address, OUTCOME));
        expect(leads_to.protocol).toBe('https:');
        expect(leads_to.host).toBe(hostOf(address));
        expect([leads_to.username, leads_to.password]).toEqual(['', '']);
        // A reader of the text finds the same host as a browser.
        const [, authority] = /^https:\/\/([^/?#]*)/i.exec(address)!;
        expect(new URL(`https://${authority!}`).host).toBe(leads_to.host);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the address with the outcome', () => {
  it.each([
    ['https://shop.example', `https://shop.example/?${ADDED}`],
    ['https://shop.example/thanks', `https://shop.example/thanks?${ADDED}`],
    ['https://shop.example/?', `https://shop.example/?${ADDED}`],
    ['https://shop.example/?order=1042', `https://shop.example/?order=1042&${ADDED}`],
    ['https://shop.example/?order=1042&', `https://shop.example/?order=1042&${ADDED}`],
    ['https://shop.example/?a=%20b+c&d', `https://shop.example/?a=%20b+c&d&${ADDED}`],
    ['https://shop.example/#paid', `https://shop.example/?${ADDED}#paid`],
    ['https://shop.example/?a=b#paid?c', `https://shop.example/?a=b&${ADDED}#paid?c`],
    ['https://shop.example/#a?b=c', `https://shop.example/?${ADDED}#a?b=c`],
  ])('of %s is %s', (address, expected) => {
    expect(addOutcome(address, OUTCOME)).toBe(expected);
  });

  it("has the three parameters last, and before them the shop's own as they were", () => {
    const name = fc.string({ minLength: 1, maxLength: 8 });
    const own = fc.array(fc.tuple(name, fc.string({ maxLength: 12 })), { maxLength: 5 });
    fc.assert(
      fc.property(own, fc.option(fc.webFragments()), (pairs, fragment) => {
        const query = new URLSearchParams(pairs).toString();
        const address = `https://shop.example/a${query === '' ? '' : `?${query}`}`;
        const full = fragment === null ? address : `${address}#${fragment}`;
        const { searchParams, hash } = new URL(addOutcome(full, OUTCOME));
        expect([...searchParams]).toEqual([
          ...new URL(full).searchParams,
          ...Object.entries(OUTCOME),
        ]);
        expect(hash).toBe(new URL(full).hash);
      }),
    );
  });
});
