// The sample programs of the reference, run as they stand against the service.

import { SAMPLES } from '../../api/docs/samples';
import document from '../../api/openapi.json';
import { writeSamples, type Sample } from '../../pages/samples';
import { startTestApi, type TestApi } from '../support/api';
import { RUNNABLE, runSample, sampleIn } from '../support/programs';

const CALLS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);
/** What says that the request is not one of the API, whatever there is for it to find. */
const WRONG = ['not_found', 'method_not_allowed', 'invalid_request', 'unauthorized'];

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

/** Returns the sample as the reference shows it to a reader who has given a key. */
function sampleOf(call: string, language: Sample['language']): Sample {
  const { text } = sampleIn(language, SAMPLES.of[call] ?? []);
  const { base_url, key } = SAMPLES.places;
  const filled = text.replaceAll(base_url, api.service.base_url).replaceAll(key, api.test_key);
  return { language, text: filled };
}

it('are there for every operation of the document, in every language', () => {
  const all = CALLS.map((call) => [call, SAMPLES.of[call]?.map(({ language }) => language)]);
  expect(all).toEqual(CALLS.map((call) => [call, ['curl', 'Node.js', 'Python', 'PHP']]));
  expect(Object.keys(SAMPLES.of)).toHaveLength(CALLS.length);
});

it.each(CALLS)('in curl ask what the API takes: %s', async (call) => {
  const sample = sampleOf(call, 'curl');
  // A name that is not filled in would be the list, or no name.
  expect(sample.text.split('\n')[0]).not.toMatch(/[/=]['?]|\w\/\/|[{}]/);
  const { stdout } = await runSample(sample);
  const { ok, error } = JSON.parse(stdout) as { ok: boolean; error?: { code: string } };
  expect(ok || !WRONG.includes(error!.code) ? 'taken' : stdout).toBe('taken');
});

describe.each(RUNNABLE)('in %s', (language) => {
  it.each([
    ['get /health', 'payment-api'],
    ['get /wallets', 'wallets'],
    ['post /payment-intents', '49.9'],
  ])('print the answer: %s', async (call, part) => {
    const { stdout, stderr } = await runSample(sampleOf(call, language));
    expect([stderr, stdout]).toEqual(['', expect.stringContaining(part) as string]);
  });

  it('send any text, number and word as it is, and no body as none', async () => {
    const url = `${api.service.base_url}/payment-intents`;
    const name = `L'été \\ "d\\'or" \n $HOME {$x} \${y} %s`;
    const metadata = { quoted: name, empty: '', yes: true, no: false, amount: 0.1 };
    const body = { amount: 5000, currency: 'XOF', description: name, metadata };
    const idempotency_key = `any-${language}`;
    const created = writeSamples({ method: 'POST', url, key: api.test_key, idempotency_key, body });
    expect(await runSample(sampleIn(language, created))).toMatchObject({ stderr: '' });
    const { rows } = await api.database.owner.raw<{ rows: { id: string }[] }>(
      'select id, description, metadata from payment_intents where description = ? order by created_at desc limit 1',
      [name],
    );
    expect(rows).toEqual([{ id: expect.any(String) as string, description: name, metadata }]);
    const plain = { amount: 5000, currency: 'XOF', metadata: {} };
    const empty = writeSamples({ method: 'POST', url, key: api.test_key, body: plain });
    expect((await runSample(sampleIn(language, empty))).stdout).toMatch(/"?metadata"?: ?\{\}/);
    const cancel = { method: 'POST', url: `${url}/${rows[0]!.id}/cancel`, key: api.test_key };
    const canceled = await runSample(sampleIn(language, writeSamples(cancel)));
    expect([canceled.stderr, canceled.stdout]).toEqual(['', expect.stringContaining('canceled')]);
  });
});
