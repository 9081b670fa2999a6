// The OpenAPI document's duties to people and to generators of clients. Each test names the gaps of a new operation.

import { buildOpenApi } from '../../api/openapi';
import { nameSchemas } from '../../api/named-schemas';
import { EVENT_TYPES } from '../../domain/event';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;
type PathItems = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = buildOpenApi('') as Json & {
  readonly info: Json;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: PathItems;
  readonly webhooks: PathItems;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};
const { schemas } = document.components;

const operationsOf = (items: PathItems): Operation[] => Object.values(items).flatMap(Object.values);
const CALLS = operationsOf(document.paths);
const ALL = [...CALLS, ...operationsOf(document.webhooks)];

const contentOf = (content: Content | undefined) => content?.['application/json'];
const names = (operations: readonly Operation[]) =>
  operations.map(({ operationId }) => operationId);

/** The places of objects with fields that have no name of their own. */
function inlineObjects(value: unknown, place: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) => inlineObjects(one, `${place}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value)
    .filter(([key]) => key !== 'example' && key !== 'examples')
    .flatMap(([key, inner]) => inlineObjects(inner, `${place}/${key}`));
  const is_object = 'type' in value && value.type === 'object' && 'properties' in value;
  return is_object ? [place, ...inside] : inside;
}

/** The names of the schemas that something refers to, directly or not. */
function reached(value: unknown, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name!)) continue;
    found.add(name!);
    reached(schemas[name!], found);
  }
  return found;
}

describe('the named schemas', () => {
  it('have names of letters, which every language can use for a type', () => {
    expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z]*$/.test(name))).toEqual([]);
  });

  it('are all that a client needs: no operation and no schema has an object without a name in it', () => {
    expect(inlineObjects(document.paths, 'paths')).toEqual([]);
    expect(inlineObjects(document.webhooks, 'webhooks')).toEqual([]);
    for (const [name, { properties }] of Object.entries(schemas)) {
      expect(inlineObjects(properties, name)).toEqual([]);
    }
  });

  it('are the answer of every operation, and the one form of every failure', () => {
    const unnamed = CALLS.filter(({ responses }) =>
      Object.entries(responses).some(([status, { content }]) => {
        const ref = contentOf(content)?.schema['$ref'];
        return Number(status) < 400 ? ref === undefined : ref !== '#/components/schemas/Error';
      }),
    );
    expect(names(unnamed)).toEqual([]);
  });

  it('are one type where they are one thing: a link is the same in an answer, a list and an event', () => {
    const link = { $ref: '#/components/schemas/PaymentIntent' };
    const { createPaymentIntent, getPaymentIntent, cancelPaymentIntent } = Object.fromEntries(
      CALLS.map((call) => [call.operationId, call]),
    );
    for (const call of [createPaymentIntent, getPaymentIntent, cancelPaymentIntent]) {
      const [success] = Object.values(call!.responses);
      expect(contentOf(success!.content)!.schema).toEqual(link);
    }
    expect(schemas['PaymentIntentList']).toMatchObject({
      properties: { payment_intents: { items: link } },
    });
    const refund = { $ref: '#/components/schemas/Refund' };
    const dispute = { $ref: '#/components/schemas/Dispute' };
    const transfer = { $ref: '#/components/schemas/Transfer' };
    const payout = { $ref: '#/components/schemas/Payout' };
    expect(schemas['Event']).toMatchObject({
      properties: { data: { anyOf: [link, refund, dispute, transfer, payout] } },
    });
    expect(schemas['RefundList']).toMatchObject({
      properties: { refunds: { items: refund } },
    });
  });

  it('let answers have fields that are added later, and requests none', () => {
    const requests = reached(ALL.filter((one) => one.requestBody).map((one) => one.requestBody));
    const answers = reached(CALLS.map(({ responses }) => responses));
    const isStrict = (name: string) => schemas[name]!['additionalProperties'] === false;
    expect([...answers].filter(isStrict)).toEqual([]);
    const bodies = [...requests].filter((name) => name.endsWith('Request'));
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.filter((name) => !isStrict(name))).toEqual([]);
  });

  it('are refused when two that differ have the same title', () => {
    const one = { title: 'Twin', type: 'string', enum: ['a'] };
    expect(() => nameSchemas([one, { ...one, enum: ['b'] }])).toThrow('title Twin');
    // Annotations may differ from place to place.
    const { refer } = nameSchemas([{ ...one, default: 'a' }, one]);
    expect(refer({ ...one, default: 'a' })).toEqual({
      $ref: '#/components/schemas/Twin',
      default: 'a',
    });
  });
});

describe('a body', () => {
  it('has no default in it, which would make the field required in generated clients', () => {
    expect(JSON.stringify(schemas['CreatePaymentIntentRequest'])).not.toContain('"default"');
    expect(schemas['CreatePaymentIntentRequest']).toMatchObject({
      properties: { expires_in: { description: expect.stringContaining('86400') as string } },
    });
  });
});

describe('each operation', () => {
  it('has a summary and a description', () => {
    expect(names(ALL.filter(({ summary, description }) => !summary || !description))).toEqual([]);
  });

  it('has one tag, and every tag is explained and used', () => {
    const explained = document.tags.filter(({ description }) => description.length > 20);
    expect(names(ALL.filter(({ tags }) => tags?.length !== 1))).toEqual([]);
    const used = new Set(ALL.flatMap(({ tags = [] }) => tags));
    expect(explained.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('says what each parameter is', () => {
    const silent = ALL.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description }) => !description)
        .map(({ name }) => `${operationId}: ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it('has an example of its success, and one of its body', () => {
    const lacking = CALLS.filter(({ requestBody, responses }) => {
      const [success] = Object.values(responses);
      const has_body = !requestBody || contentOf(requestBody.content)?.example !== undefined;
      return !has_body || contentOf(success!.content)?.example === undefined;
    });
    expect(names(lacking)).toEqual([]);
  });
});

describe('the document', () => {
  it('describes each webhook with its signature, its body and an example', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
    for (const type of EVENT_TYPES) {
      const { parameters, requestBody } = document.webhooks[type]!['post']!;
      expect(parameters.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['x-service-signature', 'webhook-id', 'webhook-signature']),
      );
      expect(contentOf(requestBody?.content)?.example).toMatchObject({ type });
    }
  });

  it('introduces links and webhooks, and says where to turn', () => {
    const { contact, description } = buildOpenApi('https://pay.example.com')['info'] as Json;
    expect(contact).toEqual({ name: 'Payment API', url: 'https://pay.example.com/docs' });
    for (const word of ['Payment links', 'Webhooks', 'Idempotency-Key', '/docs/errors']) {
      expect(description).toContain(word);
    }
  });
});
