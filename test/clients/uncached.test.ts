// Next.js keeps the first response of a `fetch` for ever, unless the request says that nothing is kept.

import { join } from 'node:path';

const CORE = join(__dirname, '..', '..', 'clients', 'typescript', 'source', 'core.ts');

type Init = Readonly<Record<string, unknown>>;
interface Client {
  call(
    operation: { readonly http: string; readonly path: string },
    given: object,
  ): Promise<unknown>;
}
type CoreClass = new (key: string, options: object) => Client;

/** What `fetch` is given by a client that was loaded just now. */
async function askedWith(): Promise<Init> {
  const asked: Init[] = [];
  const fetch = (_: string, init: Init): Promise<Response> => {
    asked.push(init);
    return Promise.resolve(Response.json({ ok: true }));
  };
  let core: CoreClass | undefined;
  jest.isolateModules(() => {
    core = jest.requireActual<{ readonly Core: CoreClass }>(CORE).Core;
  });
  if (core === undefined) throw new Error('The client was not loaded.');
  const client = new core('pay_test_fake', { baseUrl: 'https://pay.example/api', fetch });
  await client.call({ http: 'GET', path: '/wallets' }, {});
  expect(asked).toHaveLength(1);
  return asked[0] ?? {};
}

describe('the TypeScript client', () => {
  it('asks that no response is kept', async () => {
    expect(await askedWith()).toMatchObject({ method: 'GET', cache: 'no-store' });
  });

  it('leaves the field out where the runtime refuses it', async () => {
    const before = globalThis.Request;
    // As that of some workers.
    globalThis.Request = class extends before {
      constructor(input: string, init: RequestInit = {}) {
        if ('cache' in init)
          throw new Error("The 'cache' field on RequestInit is not implemented.");
        super(input, init);
      }
    } as typeof Request;
    try {
      expect(await askedWith()).not.toHaveProperty('cache');
    } finally {
      globalThis.Request = before;
    }
  });
});
