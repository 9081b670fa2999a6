import * as fc from 'fast-check';
import { responseText, MAX_RESPONSE_BYTES, retryAfterSeconds } from '../../webhooks/response';

describe('responseText', () => {
  it('keeps text as it is', () => {
    expect(responseText([], false)).toEqual({ response_body: '', response_truncated: false });
    const chunks = ['{"text":"é', '🧾"}'].map((text) => Buffer.from(text));
    expect(responseText(chunks, false)).toEqual({
      response_body: '{"text":"é🧾"}',
      response_truncated: false,
    });
    // A character that comes in two pieces.
    const bytes = Buffer.from('🧾');
    const pieces = [bytes.subarray(0, 2), bytes.subarray(2)];
    expect(responseText(pieces, false).response_body).toBe('🧾');
  });

  it('replaces what Postgres cannot store', () => {
    expect(responseText([Buffer.from('a\0b')], false).response_body).toBe('a\ufffdb');
    expect(responseText([Buffer.from([0x61, 0xff, 0x62, 0xc3])], false).response_body).toBe(
      'a\ufffdb\ufffd',
    );
    expect(responseText([Buffer.from('\ufeffa')], false).response_body).toBe('\ufeffa');
  });

  it('leaves out a character that the limit cuts apart', () => {
    const text = `${'a'.repeat(MAX_RESPONSE_BYTES - 1)}é`;
    const chunk = Buffer.from(text).subarray(0, MAX_RESPONSE_BYTES);
    expect(responseText([chunk], true)).toEqual({
      response_body: text.slice(0, -1),
      response_truncated: true,
    });
  });

  it('is at most 16 KiB of UTF-8 without NUL, whatever came', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: MAX_RESPONSE_BYTES, size: 'max' }),
      fc.string({ unit: 'grapheme', size: 'large' }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, fc.boolean(), (array, is_cut) => {
        const chunk = Buffer.from(array).subarray(0, MAX_RESPONSE_BYTES);
        const { response_body, response_truncated } = responseText([chunk], is_cut);
        expect(Buffer.byteLength(response_body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
        expect(response_body).not.toContain('\0');
        expect(response_body.isWellFormed()).toBe(true);
        if (is_cut) expect(response_truncated).toBe(true);
      }),
    );
  });
});

describe('retryAfterSeconds', () => {
  it.each<[unknown, number | null]>([
    ['0', 0],
    ['120', 120],
    ['86400', 86_400],
    ['86401', 86_400],
    ['999999999999', 86_400],
    ['9999999999999', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    [' 5', null],
    ['', null],
    ['soon', null],
    ['May 5', null],
    ['2099-01-01T00:00:00Z', null],
    ['Mon, 99 Foo 2099 00:00:00 GMT', null],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
    ['Thu, 31 Dec 2099 23:59:59 GMT', 86_400],
    [undefined, null],
    [['5', '6'], null],
  ])('of %j is %j', (header, seconds) => {
    expect(retryAfterSeconds(header)).toBe(seconds);
  });

  it('of a date is the time until then', () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    expect(retryAfterSeconds(date)).toBeGreaterThan(60);
    expect(retryAfterSeconds(date)).toBeLessThanOrEqual(91);
  });
});
