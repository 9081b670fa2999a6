// Whether a program that was written for the released API works with this one (docs/stability.md). oasdiff lists the
// changes between two documents; what counts as a break is decided here.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_LIMIT_MS, goTool } from '../support/go-tools';

const CURRENT = 'api/openapi.json';
/** A copy of the document, made with each release. */
const RELEASED = 'api/openapi-released.json';

interface Schema {
  readonly properties: Record<string, unknown>;
  readonly required: string[];
  readonly enum: string[];
}
interface Document {
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Change {
  readonly id: string;
  readonly text: string;
  readonly operation: string;
  readonly path: string;
  /** 3: oasdiff takes it for a break. */
  readonly level: 1 | 2 | 3;
}

/** Programs accept values that they do not know. */
const PROMISED = new Set(['response-property-enum-value-added']);
/** oasdiff takes them for harmless, or only warns: unknown fields of requests get 422, and of webhooks we are the sender. */
const BREAKS_TOO = new Set([
  'request-property-removed',
  'request-property-type-changed',
  'response-optional-property-removed',
]);

let folder: string;
let oasdiff: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'compatibility-'));
  oasdiff = await goTool('oasdiff');
}, BUILD_LIMIT_MS);
afterAll(() => rmSync(folder, { recursive: true }));

/** Differences over which a program of the one document would stumble in the other. */
function findBreaks(before: string, after: string): string[] {
  const args = ['changelog', before, after, '--format', 'json'];
  const told = execFileSync(oasdiff, args, { encoding: 'utf8', maxBuffer: 100_000_000 });
  const changes = JSON.parse(told || '[]') as readonly Change[];
  return changes
    .filter(({ id, level }) => BREAKS_TOO.has(id) || (level === 3 && !PROMISED.has(id)))
    .map(({ id, text, operation, path }) => `${id}: ${operation} ${path}: ${text}`);
}

function findBreaksOf(change: (document: Document) => void): string[] {
  const document = JSON.parse(readFileSync(CURRENT, 'utf8')) as Document;
  change(document);
  const file = join(folder, 'changed.json');
  writeFileSync(file, JSON.stringify(document));
  return findBreaks(CURRENT, file);
}

const remove = (list: string[], name: string): void => {
  expect(list).toContain(name);
  list.splice(list.indexOf(name), 1);
};

it('nothing that was released is broken', () => {
  expect(findBreaks(RELEASED, CURRENT)).toEqual([]);
});

const BREAKS: Readonly<Record<string, readonly [(document: Document) => void, string]>> = {
  'a field of an answer that is gone': [
    ({ components: { schemas } }) => {
      delete schemas['Transfer']!.properties['net_amount'];
      remove(schemas['Transfer']!.required, 'net_amount');
    },
    'response-required-property-removed: GET /transfers/{reference}',
  ],
  'a field of events that is gone': [
    ({ components: { schemas } }) => {
      delete schemas['Event']!.properties['sequence'];
      remove(schemas['Event']!.required, 'sequence');
    },
    'request-property-removed: POST webhook:payment.succeeded',
  ],
  'a field that requests must have now': [
    ({ components: { schemas } }) => {
      schemas['CreateTransferRequest']!.properties['purpose'] = { type: 'string' };
      schemas['CreateTransferRequest']!.required.push('purpose');
    },
    'new-required-request-property: POST /transfers',
  ],
  'a field that requests may not have any more': [
    ({ components: { schemas } }) => {
      delete schemas['CreateTransferRequest']!.properties['metadata'];
    },
    'request-property-removed: POST /transfers',
  ],
  'a value that requests may not have any more': [
    ({ components: { schemas } }) => remove(schemas['Currency']!.enum, 'USD'),
    'request-property-enum-value-removed: POST /transfers',
  ],
  'a call that is gone': [
    ({ paths }) => {
      delete paths['/wallets'];
    },
    'api-path-removed-without-deprecation: GET /wallets',
  ],
};

it.each(Object.entries(BREAKS))('%s is a break', (_, [change, expected]) => {
  const breaks = findBreaksOf(change);
  expect(breaks.filter((one) => one.startsWith(expected))).not.toEqual([]);
});

it('what comes in addition is none', () => {
  const breaks = findBreaksOf(({ paths, components: { schemas } }) => {
    schemas['Transfer']!.properties['purpose'] = { type: 'string' };
    schemas['Transfer']!.required.push('purpose');
    schemas['CreateTransferRequest']!.properties['purpose'] = { type: 'string' };
    schemas['PayoutStatus']!.enum.push('paused');
    schemas['ErrorCode']!.enum.push('too_early');
    paths['/purposes'] = paths['/wallets'];
  });
  expect(breaks).toEqual([]);
});
