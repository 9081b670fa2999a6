import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { isServiceSignature, makeWebhookSecret, signWebhook } from '../../secrets/webhook-secret';

const secret = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const body = fc.string({ unit: 'grapheme', maxLength: 200 });

// The library looks at its own clock, and takes five minutes.
const now = (): number => Math.floor(Date.now() / 1_000);

function hmacHex(text: string, key: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Verifies as a receiver does with the official library, which throws when it does not verify. */
function verifiesStandard(text: string, headers: Readonly<Record<string, string>>, key: string) {
  try {
    new Webhook(key).verify(text, { ...headers });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

describe('makeWebhookSecret', () => {
  it('makes whsec_ and 32 random bytes in base64', () => {
    const secrets = Array.from({ length: 100 }, makeWebhookSecret);
    for (const one of secrets) expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set(secrets).size).toBe(100);
  });
});

describe('signWebhook', () => {
  // The first is the example of Standard Webhooks' own libraries. `x-service-signature` was made with
  // `openssl dgst -sha256 -hmac`. Each `webhook-signature` is also what version 1.1.0 of Standard
  // Webhooks' library for Python signs, which took what we had signed too (checked on 2026-11-21).
  const vectors = [
    {
      webhook: {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestamp: 1614265330,
        body: '{"test": 2432232314}',
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        previous_secret: null,
      },
      headers: {
        'x-service-signature': '80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    },
    {
      webhook: {
        id: 'evt_8Zk3',
        timestamp: 1790000000,
        body: '{"description":"Café à Dakar 🧾","amount":5000.00}',
        secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
        previous_secret: 'whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=',
      },
      headers: {
        'x-service-signature': '3926bd7c049ed82793413666f9014c3ccfe8e61fc9a44b578949823db788b46e',
        'x-service-signature-next':
          '13c48731a8076a9b741c5eabce310dd2d2e98ac79cf32db7717b22b09dc1ff1e',
        'webhook-id': 'evt_8Zk3',
        'webhook-timestamp': '1790000000',
        'webhook-signature':
          'v1,NuDVI7FLA4cGGgFnvyIGCvleiLAmxkc4J+ZXtURyi2w= ' +
          'v1,UgP7yvXbq5bBLeeaT9t5gXIW78gxDvbXfqH2NeE0VmA=',
      },
    },
  ];

  it.each(vectors)('gives the known headers of $webhook.id', ({ webhook, headers }) => {
    expect(signWebhook(webhook)).toEqual(headers);
  });

  it('is verified by a plain HMAC and by the library of Standard Webhooks', () => {
    fc.assert(
      fc.property(id, body, secret, (event_id, text, key) => {
        // The library parses what it has verified.
        const json = JSON.stringify({ text });
        const headers = signWebhook({
          id: event_id,
          timestamp: now(),
          body: json,
          secret: key,
          previous_secret: null,
        });
        expect(Object.keys(headers)).toHaveLength(4);
        expect(headers['x-service-signature']).toBe(hmacHex(json, key));
        expect(verifiesStandard(json, headers, key)).toBe(true);
        expect(verifiesStandard(`${json} `, headers, key)).toBe(false);
      }),
    );
  });

  it('is verified during a rotation with either secret, and with no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(secret, { minLength: 3, maxLength: 3 }), body, (keys, text) => {
        const [key = '', previous = '', other = ''] = keys;
        const json = JSON.stringify({ text });
        const headers = signWebhook({
          id: 'evt_1',
          timestamp: now(),
          body: json,
          secret: key,
          previous_secret: previous,
        });
        // A receiver with the old secret goes on as before; one with the new secret finds the other
        // header.
        expect(headers['x-service-signature']).toBe(hmacHex(json, previous));
        expect(headers['x-service-signature-next']).toBe(hmacHex(json, key));
        expect(verifiesStandard(json, headers, key)).toBe(true);
        expect(verifiesStandard(json, headers, previous)).toBe(true);
        expect(verifiesStandard(json, headers, other)).toBe(false);
      }),
    );
  });

  it.each(['', 'whsec_', 'whsec_short', 'a'.repeat(44), `whsec_${'!'.repeat(44)}`])(
    'refuses %j as a secret',
    (text) => {
      const webhook = { id: 'evt_1', timestamp: 1, body: '{}', previous_secret: null };
      expect(() => signWebhook({ ...webhook, secret: text })).toThrow('whsec_');
    },
  );
});

describe('isServiceSignature', () => {
  const key = makeWebhookSecret();
  const raw = Buffer.from('{"amount": 5000.00}');
  const good = hmacHex(raw.toString(), key);

  it('takes the signature of these bytes by this secret, and no other', () => {
    fc.assert(
      fc.property(body, secret, secret, (text, mine, other) => {
        fc.pre(mine !== other);
        const signature = hmacHex(text, mine);
        expect(isServiceSignature(text, signature, mine)).toBe(true);
        expect(isServiceSignature(Buffer.from(text), signature, mine)).toBe(true);
        expect(isServiceSignature(text, signature, other)).toBe(false);
        expect(isServiceSignature(`${text} `, signature, mine)).toBe(false);
      }),
    );
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['empty', ''],
    ['upper-case', good.toUpperCase()],
    ['short by one', good.slice(1)],
    ['followed by junk', `${good}zz`],
    ['followed by a line feed', `${good}\n`],
    ['good at its beginning, then no hex', `${good.slice(0, 62)}zz`],
    ['two values', [good, good]],
    ['two values, joined', `${good}, ${good}`],
  ])('refuses a header that is %s', (_name, header) => {
    expect(isServiceSignature(raw, header, key)).toBe(false);
  });

  it('refuses an empty secret, with which anybody could sign', () => {
    expect(() => isServiceSignature(raw, good, '')).toThrow('must not be empty');
  });
});
