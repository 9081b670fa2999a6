// The record of a refused request is neither personal nor secret, and never too long.

import type { RefusedRequest } from '../../db/requests/access-log';
import type { HttpContext } from '../../http/context';
import { keepCall, keepRefusal } from '../../http/refused-request';
import { makeApiKey } from '../../secrets/api-key';
import { makeWebhookSecret } from '../../secrets/webhook-secret';

const answer = (message = 'No.') =>
  `{"ok":false,"error":{"code":"invalid_request","message":${JSON.stringify(message)}}}`;

function keep(about: {
  status?: number;
  path?: string;
  route?: string;
  query?: string;
  body?: unknown;
  answer?: unknown;
}) {
  const { status = 422, path = '/v1/transfers', route = path, query = '', body } = about;
  const { code, refusal } = keepRefusal({
    status,
    path,
    querystring: query,
    body: 'answer' in about ? about.answer : answer(),
    state: { route, body: body === undefined ? undefined : { value: body } },
  } as unknown as HttpContext);
  return { code, refusal: refusal === null ? null : (JSON.parse(refusal) as RefusedRequest) };
}

const requestOf = (body: unknown) => keep({ body }).refusal?.request;

it('keeps nothing of what was answered well, or by another door', () => {
  const nothing = { code: null, refusal: null };
  expect(keep({ status: 200, body: { amount: 1 } })).toEqual(nothing);
  expect(keep({ answer: '<!doctype html>' })).toEqual(nothing);
  expect(keep({ answer: undefined })).toEqual(nothing);
});

it('keeps the values of plain fields, and of others the name', () => {
  expect(
    requestOf({
      amount: 5_000.5,
      currency: 'XOF',
      to_username: 'awa',
      customer_email: 'awa@example.com',
      customer_phone: 221_771_234_567,
      metadata: { order: '4711', gift: true, note: null },
      'awa@example.com': 1,
      types: ['payment.succeeded'],
    }),
  ).toEqual({
    amount: 5_000.5,
    currency: 'XOF',
    to_username: 'awa',
    customer_email: '…',
    customer_phone: '…',
    metadata: { order: '…', gift: true, note: null },
    '…': '…',
    types: ['payment.succeeded'],
  });
});

it.each([
  ['a long text', { currency: 'x'.repeat(65) }],
  ['NUL', { currency: 'X\0' }],
  ['half of a pair', { currency: '\ud800' }],
  ['a name with half of a pair', { '\ud800': 'x' }],
])('hides %s, which no field of ours has', (_name, body) => {
  expect(JSON.stringify(requestOf(body))).toMatch(/^\{"(currency|…)":"…"\}$/);
});

it('keeps the first of many items, and no more than so deep', () => {
  const transfers = Array.from({ length: 10_000 }, (_, amount) => ({ amount }));
  expect(requestOf({ transfers })).toEqual({
    transfers: [{ amount: 0 }, { amount: 1 }, { amount: 2 }, '…'],
  });
  expect(requestOf({ a: { b: { c: { d: { amount: 1 } } } } })).toEqual({
    a: { b: { c: { d: '…' } } },
  });
});

it('keeps the path as it was asked for, without what may be personal', () => {
  const { refusal } = keep({ route: '/v1/transfers', query: 'limit=500&q=awa&a@b=1' });
  expect(refusal?.path).toBe('/v1/transfers?limit=500&q=…&…=…');
});

it.each([
  ['3d699e31-8712-4324-954e-d01b8642b52d', true],
  ['TRF-9F2C41D7A3E8B605Q7ZM', true],
  ['GtYmFeqk9w', true],
  ['XOF', true],
  ['2026-11', true],
  ['4111111111111111', false],
  ['2217712345', false],
  ['221771234567', false],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s', false],
  ['awa.diop', false],
  ['a%40b', false],
])('keeps of a path our words and ids: %s is one: %s', (segment, isKept) => {
  const route = '/v1/payouts/{id_or_reference}';
  const { refusal } = keep({ route, path: `/v1/payouts/${segment}` });
  expect(refusal?.path).toBe(`/v1/payouts/${isKept ? segment : '…'}`);
});

it.each(['4111111111111111', '+221771234567', 'awa@example.com', `eyJ${'x'.repeat(60)}`])(
  'hides a name that may be a value, in the body and in what the response says of it: %s',
  (name) => {
    const { refusal } = keep({
      body: { amount: 1, metadata: { [name]: 1 }, [name]: 2, to_username: '4111111111111111' },
      query: `${encodeURIComponent(name)}=1`,
      answer: JSON.stringify({
        ok: false,
        error: {
          code: 'invalid_request',
          message: `${name} is not a known field.`,
          param: name,
          details: [
            { param: name, message: 'is not a known field' },
            { param: `metadata/${name}`, message: 'must be a text' },
            { param: 'custmer', message: 'is not a known field. Did you mean customer?' },
          ],
        },
      }),
    });
    const text = JSON.stringify(refusal);
    expect(text).not.toContain(name);
    expect(text).not.toContain('4111111111111111');
    expect(refusal?.response).toMatchObject({
      error: {
        message: '… is not a known field.',
        param: '…',
        details: [{ param: '…' }, { param: 'metadata/…' }, { param: 'custmer' }],
      },
    });
  },
);

it('takes API keys and secrets out of everything', () => {
  const { key } = makeApiKey('pay', 'live');
  const secret = makeWebhookSecret();
  const kept = keep({
    path: `/v1/transfers/${key}`,
    query: `cursor=${key}`,
    body: { to_username: key, currency: secret, [key]: 1 },
    answer: answer(`${key} is not a known field. ${secret}`),
  });
  const text = JSON.stringify(kept);
  expect(text).not.toContain(key.slice(10));
  expect(text).not.toContain(secret.slice(6, 30));
  expect(kept.refusal?.path).toBe('/v1/transfers/…?cursor=…');
});

it('keeps at most 4,000 characters: the body goes first, then the response', () => {
  const large = { transfers: Array(3).fill(fieldsOf('f'.repeat(37), 30)) };
  expect(keep({ body: large }).refusal).toEqual({
    path: '/v1/transfers',
    response: JSON.parse(answer()) as unknown,
  });
  expect(keep({ answer: answer('x'.repeat(4_000)) })).toEqual({
    code: 'invalid_request',
    refusal: { path: '/v1/transfers' },
  });
});

function fieldsOf(name: string, count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, 'x']));
}

describe('of each call', () => {
  const id = '3d699e31-8712-4324-954e-d01b8642b52d';
  const intent = 'b5967439-3fa3-5edd-8ab0-85a03511907c';
  const callOf = (state: object, path: string, body = '', fault = '') =>
    keepCall({
      path,
      body,
      state,
      response: { get: () => fault },
    } as unknown as HttpContext);

  it('are kept the path with its ids, the key, the fault, and the names of what was read or made', () => {
    const body = `{"ok":true,"id":"${id}","payment_intent_id":"${intent}","status":"succeeded","reference":"TRF-9F2C41D7A3E8B605Q7ZM"}`;
    const state = { route: '/v1/payouts/{id}', idempotency_key: 'wage-1' };
    expect(callOf(state, `/v1/payouts/${id}`, body, 'slow=1')).toEqual({
      path: `/v1/payouts/${id}`,
      idempotency_key: 'wage-1',
      fault: 'slow=1',
      names: [id, intent],
    });
    expect(callOf({ route: '/v1/me' }, '/v1/me', '{"ok":true,"environment":"live"}')).toEqual({
      path: null,
      idempotency_key: null,
      fault: null,
      names: null,
    });
  });

  it.each(['awa@example.com', '221771234567', 'two words', makeApiKey('pay', 'live').key])(
    'is not kept a key that may be personal or a secret: %s',
    (idempotency_key) => {
      const state = { route: '/v1/payouts', idempotency_key };
      expect(callOf(state, '/v1/payouts').idempotency_key).toBeNull();
    },
  );

  it('are kept the words of our paths alone when no route took it', () => {
    const words = new Set(['', 'v1', 'payouts']);
    const path = `/v1/payouts/awa/payouts/${id}/221771234567`;
    const kept = callOf({ route: 'unmatched', words }, path);
    expect(kept).toMatchObject({ path: `/v1/payouts/…/payouts/${id}/…`, names: [id] });
  });
});
