// The sample programs of the reference, run as they stand against the service.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLACES } from '../../api/docs/samples';
import document from '../../api/openapi.json';
import { writeSamples, type Sample } from '../../pages/samples';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { SAMPLES } from '../support/samples';
import { compile, programFolder, RUNNABLE, runSample, sampleIn } from '../support/programs';

const CALLS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);
/** These codes say that the request is not one of the API, whatever there is for it to find. */
const WRONG = ['not_found', 'method_not_allowed', 'invalid_request', 'unauthorized'];

const api = setUp(startTestApi);

/** Returns the sample as the reference shows it to a reader who has given a key. */
function sampleOf(call: string, language: Sample['language']): Sample {
  const { text } = sampleIn(language, SAMPLES[call] ?? []);
  const { service, key } = PLACES;
  const filled = text
    .replaceAll(service, new URL(api.service.base_url).origin)
    .replaceAll(key, api.test_key);
  return { language, text: filled };
}

it('are there for every operation of the document, in every language', () => {
  const all = CALLS.map((call) => [call, SAMPLES[call]?.map(({ language }) => language)]);
  expect(all).toEqual(CALLS.map((call) => [call, ['curl', 'TypeScript', 'Python', 'PHP']]));
  expect(Object.keys(SAMPLES)).toHaveLength(CALLS.length);
});

it.each(CALLS)('in curl ask what the API takes: %s', async (call) => {
  const sample = sampleOf(call, 'curl');
  // A name that is not filled in would be the list, or no name.
  expect(sample.text.split('\n')[0]).not.toMatch(/[/=]['?]|\w\/\/|[{}]/);
  const { stdout } = await runSample(sample);
  const { ok, error } = JSON.parse(stdout) as { ok: boolean; error?: { code: string } };
  expect(ok || !WRONG.includes(error!.code) ? 'taken' : stdout).toBe('taken');
});

it('in TypeScript are what the types of the client take', () => {
  const folder = join(programFolder(), 'checked');
  mkdirSync(folder);
  const files = CALLS.map((call, index) => {
    const file = join(folder, `${index}.mts`);
    writeFileSync(file, sampleOf(call, 'TypeScript').text);
    return file;
  });
  const strictly = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--types',
    '',
  ];
  compile([...strictly, '--module', 'nodenext', '--lib', 'es2022,dom', ...files]);
});

describe.each(RUNNABLE.filter((language) => language !== 'curl'))('in %s', (language) => {
  it('print what the client returns', async () => {
    const calls = {
      'get /health': 'payment-api',
      'get /wallets': 'wallets',
      'get /payment-intents': 'payment_intents',
      'post /payment-intents': '49.9',
    };
    const ran = await Promise.all(
      Object.entries(calls).map(async ([call, part]) => {
        const { stdout, stderr } = await runSample(sampleOf(call, language));
        return `${stdout}${stderr}`.includes(part) ? call : `${call}: ${stdout}${stderr}`;
      }),
    );
    expect(ran).toEqual(Object.keys(calls));
  });

  it('send any text, number and word as it is, and no body as none', async () => {
    const { base_url } = api.service;
    const key = api.test_key;
    const idempotency_key = `any-${language}`;
    const description = `L'été \\ "d\\'or" \n $HOME {$x} \${y} %s`;
    const metadata = { quoted: description, empty: '', yes: true, no: false, amount: 0.1 };
    const createdBy = writeSamples({
      operation: 'createPaymentIntent',
      base_url,
      key,
      idempotency_key,
      headers: { 'Sandbox-Fault': 'slow=1' },
      body: { amount: 5000, currency: 'XOF', description, metadata },
    });
    expect(await runSample(sampleIn(language, createdBy))).toMatchObject({ stderr: '' });
    const { rows } = await api.database.owner.raw<{ rows: { id: string }[] }>(
      'select id, amount_minor::text, metadata from payment_intents where description = ? order by created_at desc limit 1',
      [description],
    );
    expect(rows).toEqual([{ id: expect.any(String) as string, amount_minor: '500000', metadata }]);
    const asked = writeSamples({
      operation: 'getIdempotencyKey',
      base_url,
      key,
      path: { key: idempotency_key },
      query: { operation: 'payment_intent' },
    });
    const path = { id_or_code: rows[0]!.id };
    const canceled = writeSamples({ operation: 'cancelPaymentIntent', base_url, key, path });
    for (const [samples, part] of [
      [asked, 'completed'],
      [canceled, 'canceled'],
    ] as const) {
      const { stdout, stderr } = await runSample(sampleIn(language, samples));
      expect([stderr, stdout]).toEqual(['', expect.stringContaining(part) as string]);
    }
  });
});
