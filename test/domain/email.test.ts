// The rules for e-mail addresses, and their one form.

import fc from 'fast-check';
import { readEmail } from '../../domain/email';

describe('an address', () => {
  it.each([
    ['awa@example.com', 'awa@example.com'],
    [' Awa.Diop+shop@Example.COM ', 'awa.diop+shop@example.com'],
    ["o'brien!#$%&*/=?^_`{|}~-@mail.example.co.uk", "o'brien!#$%&*/=?^_`{|}~-@mail.example.co.uk"],
    ['je\u0301ro\u0302me@exemple.fr', 'jérôme@exemple.fr'],
    ['JÉRÔME@exemple.fr', 'jérôme@exemple.fr'],
    ['awa@bou\u0302tique.example', 'awa@xn--botique-g2a.example'],
    ['awa@BOÛTIQUE.example', 'awa@xn--botique-g2a.example'],
    ['awa@xn--botique-g2a.example', 'awa@xn--botique-g2a.example'],
    // A wide keyboard's letters, a ligature, and Kelvin's sign.
    ['ａｗａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'awa@example.com'],
    ['ﬁfi@example.com', 'fifi@example.com'],
    ['\u212aofi@example.com', 'kofi@example.com'],
    ['用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is %j', (typed, email) => {
    expect(readEmail(typed)).toBe(email);
    expect(readEmail(email)).toBe(email);
  });

  it.each([
    '',
    'awa',
    '@example.com',
    'awa@',
    'a@b',
    'a@b@example.com',
    'awa example@example.com',
    '.awa@example.com',
    'awa.@example.com',
    'a..b@example.com',
    `${'a'.repeat(65)}@example.com`,
    'awa@example..com',
    'awa@.example.com',
    'awa@example.com.',
    'awa@-example.com',
    'awa@example-.com',
    'awa@exa_mple.com',
    'awa@127.0.0.1',
    'awa@[127.0.0.1]',
    'awa@1.2.3',
    'awa@example.com:25',
    'awa@example.com/x',
    'awa@user:secret',
    'awa@a%2eb.com',
    `awa@${'a'.repeat(64)}.com`,
    `awa@${'abcdefg.'.repeat(32)}com`,
    ...Array.from('<>(),;:"[]\\', (sign) => `a${sign}b@example.com`),
    '<awa@example.com>',
    'awa@example.com>',
    'Awa <awa@example.com>',
    '"a b"@example.com',
    'a\u0007wa@example.com',
    'a\u200bwa@example.com',
    'awa@exam\u200bple.com',
    'a\u00adwa@example.com',
    'awa@exam\u00adple.com',
    'a\u202ewa@example.com',
    'a\u034fwa@example.com',
    'a\ufe0f@example.com',
    'a\u3164@example.com',
    'awa@example.com\r\nBcc: x@example.com',
    'a\ud800@example.com',
    'a\u2028b@example.com',
    'a\u00a0b@example.com',
    'a\u{e0041}@example.com',
    'awa@exa\u200dmple.com',
  ])('%j is none', (typed) => {
    expect(readEmail(typed)).toBeUndefined();
  });

  it('stays as it is when it is read again, however it is spelled', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 });
    const host = fc.oneof(
      fc.domain(),
      part.map((text) => `${text}.example`),
    );
    fc.assert(
      fc.property(fc.oneof(part, fc.string({ maxLength: 8 })), host, (local, domain) => {
        const email = readEmail(`${local}@${domain}`);
        if (email === undefined) return;
        for (const spelling of [
          email,
          email.normalize('NFD'),
          email.toUpperCase().normalize('NFD'),
        ]) {
          const again = readEmail(spelling);
          // Some letters, such as ß, have no capital of their own.
          if (spelling.toLowerCase().normalize('NFC') === email) expect(again).toBe(email);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
