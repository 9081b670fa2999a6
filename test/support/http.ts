// Requests over real HTTP, as a caller makes them.

import { Agent, request as send } from 'undici';
import { closeAfterFile } from './cleanup';
import type { TestService } from './service';
import { noteSeen, waitFor } from './wait';

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case; a repeated header is an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it was sent: `5000.00` and `5000` differ here. */
  readonly text: string;
  /** The body parsed; undefined when it is not JSON. */
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

export interface RequestOptions {
  /** An API key, sent as bearer token. */
  readonly key?: string;
  readonly idempotency_key?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

let agent: Agent | undefined;

/** `path` is relative to the prefix; a whole URL is taken as it is. */
export async function request(
  service: Pick<TestService, 'base_url'>,
  method: string,
  path: string,
  { key, idempotency_key, headers = {}, body }: RequestOptions = {},
): Promise<HttpResponse> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await send(/^https?:/.test(path) ? path : service.base_url + path, {
    method: method as 'GET',
    dispatcher: sharedAgent(),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
  });
  const text = await answer.body.text();
  noteSeen(`${method} ${path}`, `${answer.statusCode} ${text}`);
  return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) };
}

/** Repeats a request while a busy machine has no time for it, or still carries it out, as callers do. */
export function insist<
  T extends Pick<HttpResponse, 'status'> & Partial<Pick<HttpResponse, 'json'>>,
>(send: () => Promise<T>): Promise<T> {
  return waitFor(async () => {
    const response = await send();
    const isBusy =
      [503, 504].includes(response.status) ||
      response.json?.error?.code === 'idempotency_in_progress';
    return !isBusy && response;
  });
}

function sharedAgent(): Agent {
  if (agent) return agent;
  const fresh = new Agent({ connections: 64, connect: { rejectUnauthorized: false } });
  closeAfterFile(() => {
    agent = undefined;
    return fresh.close();
  });
  agent = fresh;
  return fresh;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whether the body is JSON is for the test to judge.
    return undefined;
  }
}
