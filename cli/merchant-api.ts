// The API as a merchant calls it, with a key of theirs: `listen`, `trigger` and `sandbox play` need nothing
// else, and so work for a service that others run.

import { Option } from '@commander-js/extra-typings';
import { randomUUID } from 'node:crypto';
import { loadConfig } from '../config/load';
import { CommandError, fetchFailure } from './error';
import { readService } from './options';
import { findRunningSystem, type DemoFile } from './running-system';
import { readSecretInput, type GivenSecret } from './secret-input';
import { surroundings } from './surroundings';
import type { Printer } from './context';

const RESPONSE_WITHIN_MS = 15_000;
const TEST_KEY = /_test_/;

export const apiOption = new Option(
  '--api <url>',
  'where the service is, such as https://pay.example.com (otherwise the one that runs here)',
).argParser(readService('api'));

export interface MerchantApi {
  readonly key: string;
  /** The file of `npm start`, when it runs here and no other service is named. */
  readonly demo: DemoFile | undefined;
  /** @throws CommandError `no_answer` when there is no response */
  call(
    method: Method,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer>;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the API's own JSON, whose fields the callers name
  readonly json: any;
}

/** The options of a command that a merchant gives with a key. */
export interface GivenApi {
  readonly api?: string | undefined;
  readonly keyStdin?: GivenSecret['from_stdin'];
  readonly key?: GivenSecret['in_plain'];
}

export async function openMerchantApi(
  printer: Printer,
  given: GivenApi,
  within_ms?: number,
): Promise<MerchantApi> {
  const demo = given.api === undefined ? findDemo() : undefined;
  const key = await requireKey(printer, given, demo);
  if (key === demo?.users?.[0]?.test_key) {
    printer.note('With the test key of the demo’s first merchant.');
  }
  return merchantApi(await baseUrl(given.api, demo), key, demo, within_ms);
}

/** Without a given key it is the test key of the first user that `npm start` created. */
export async function requireKey(
  printer: Pick<Printer, 'note'>,
  { keyStdin: from_stdin, key: in_plain }: GivenApi,
  demo: DemoFile | undefined,
): Promise<string> {
  const given = await readSecretInput(printer, 'key', { from_stdin, in_plain });
  const key = given ?? demo?.users?.[0]?.test_key;
  if (key !== undefined) return key;
  throw new CommandError('usage', '--key-stdin is required: an API key on standard input');
}

/** @throws CommandError for a live key: what follows is for the sandbox only */
export function requireTestKey({ key }: MerchantApi): void {
  if (TEST_KEY.test(key)) return;
  throw new CommandError('usage', 'The key must be a test key: …_test_…');
}

export function merchantApi(
  base_url: string,
  key: string,
  demo?: DemoFile,
  within_ms = RESPONSE_WITHIN_MS,
): MerchantApi {
  return {
    key,
    demo,
    async call(method, path, body, headers) {
      try {
        const response = await fetch(base_url + path, {
          method,
          headers: headersOf(key, body, headers),
          redirect: 'manual',
          signal: AbortSignal.timeout(within_ms),
          ...(body === undefined ? {} : { body }),
        });
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
      } catch (error) {
        throw new CommandError('no_answer', `No response from ${base_url}: ${fetchFailure(error)}`);
      }
    },
  };
}

function headersOf(
  key: string,
  body: string | undefined,
  given: Readonly<Record<string, string>> = {},
): Headers {
  const headers = new Headers(given);
  headers.set('Authorization', `Bearer ${key}`);
  if (body === undefined) return headers;
  headers.set('Content-Type', 'application/json');
  if (!headers.has('Idempotency-Key')) headers.set('Idempotency-Key', randomUUID());
  return headers;
}

/** @throws CommandError with the API's code and message */
export function accepted({ status, json }: ApiAnswer): ApiAnswer['json'] {
  if (status < 300) return json;
  const { code = 'failed', message = `The API responded with status ${status}` } = json.error ?? {};
  throw new CommandError(code, message);
}

function findDemo(): DemoFile | undefined {
  try {
    return findRunningSystem(loadConfig(surroundings().env, 'command_line')).demo;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

async function baseUrl(url: string | undefined, demo: DemoFile | undefined): Promise<string> {
  const { PREFIX } = await import('../http/prefix.js');
  if (url !== undefined) return new URL(url).origin + PREFIX;
  if (demo?.base_url !== undefined) return demo.base_url;
  const config = loadConfig(surroundings().env, 'command_line');
  if (config.given.has('PUBLIC_URL')) return config.public_url + PREFIX;
  throw new CommandError('usage', '--api is required: no service runs here');
}
