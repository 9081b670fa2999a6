// Calls of the API with a merchant's key, by commands that do what merchants do.

import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../domain/json';
import type { CommandContext } from './context';
import { CommandError, fetchFailure } from './error';
import { readSecretInput, type GivenSecret } from './secret-input';

const RESPONSE_WITHIN_MS = 15_000;

/** Reads the given key; without one, the test key of the first user that `npm start` created. */
export async function readKey(context: CommandContext, given: GivenSecret): Promise<string> {
  const { demo } = context.system;
  const key = (await readSecretInput(context, 'key', given)) ?? demo?.users?.[0]?.test_key;
  if (key !== undefined) return key;
  throw new CommandError('usage', '--key-stdin is required: an API key on standard input');
}

export type ApiBody = Readonly<Record<string, JsonValue>>;

/** Returns the body of the response. @throws CommandError with the API's code and message */
export async function postToApi(
  context: CommandContext,
  path: string,
  call: { readonly key: string; readonly body: string },
): Promise<ApiBody> {
  const { status, json } = await post((await baseUrl(context)) + path, call);
  if (status === 201) return json;
  const { code = 'failed', message = `The API responded with status ${status}` } = json.error ?? {};
  throw new CommandError(code, message);
}

async function baseUrl({ config, system }: CommandContext): Promise<string> {
  if (system.demo?.base_url !== undefined) return system.demo.base_url;
  // The import loads the whole API, so it comes only when it is needed.
  const { PREFIX } = await import('../http/prefix.js');
  return config.public_url + PREFIX;
}

interface ApiResponse {
  readonly status: number;
  readonly json: ApiBody & {
    readonly error?: { readonly code?: string; readonly message?: string };
  };
}

async function post(
  url: string,
  { key, body }: { readonly key: string; readonly body: string },
): Promise<ApiResponse> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    });
    return { status: response.status, json: (await response.json()) as ApiResponse['json'] };
  } catch (error) {
    throw new CommandError('no_answer', `No response from ${url}: ${fetchFailure(error)}`);
  }
}
