import type { Payload } from '@temporalio/common';
import { makeSealingKey } from '../../secrets/keyring';
import { createDataConverter } from '../../temporal/data-converter';
import { createPayloadCodec, ENCODING } from '../../temporal/payload-codec';

const KEY = makeSealingKey();
const codec = createPayloadCodec([KEY]);

const text = 'order of awa@example.com';
const payload = {
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(text)),
};

const wordOf = ({ metadata }: Payload, name: string): string =>
  Buffer.from(metadata![name]!).toString();

/** Own bytes and the plain ones are the same, whatever class has them. */
const plain = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()]),
  ),
  data: Buffer.from(data ?? []).toString(),
});

it('decrypts what another process encrypted, and shows how it is encrypted', async () => {
  const [encrypted] = await codec.encode([payload]);
  expect(Buffer.from(encrypted!.data!).includes('awa')).toBe(false);
  expect(wordOf(encrypted!, 'encoding')).toBe(ENCODING);
  expect(wordOf(encrypted!, 'encryption-key-id')).toMatch(/^[0-9a-f]{8}$/);
  const [decrypted] = await createPayloadCodec([KEY]).decode([encrypted!]);
  expect(plain(decrypted!)).toEqual(plain(payload));
});

it('keeps the order, and passes on what is not encrypted or is of another codec', async () => {
  const [encrypted] = await codec.encode([payload]);
  const foreign = { metadata: { encoding: Buffer.from(ENCODING) }, data: Buffer.from('x') };
  const decoded = await codec.decode([payload, encrypted!, foreign, {}]);
  expect(decoded.map(plain)).toEqual([payload, payload, foreign, {}].map(plain));
});

it('decrypts with every key and encrypts with the first', async () => {
  const next = makeSealingKey();
  const after = createPayloadCodec([next, KEY]);
  const [old] = await codec.encode([payload]);
  const [decrypted] = await after.decode([old!]);
  expect(plain(decrypted!)).toEqual(plain(payload));
  await expect(codec.decode(await after.encode([payload]))).rejects.toThrow('None of the keys');
});

it('turned off encrypts nothing, and still decrypts', async () => {
  const { payloadCodecs } = createDataConverter({ encrypt_payloads: false, secrets_keys: [KEY] });
  const [off] = payloadCodecs!;
  expect(await off!.encode([payload])).toEqual([payload]);
  const [decrypted] = await off!.decode(await codec.encode([payload]));
  expect(plain(decrypted!)).toEqual(plain(payload));
  expect(createDataConverter({ encrypt_payloads: false, secrets_keys: [] })).toEqual({});
});
