// One call: its key, its tries, and the question what became of it. See CONTRIBUTING.md beside the clients.

import { ApiError, ConnectionError, InvalidArgument, OutcomeUnknown } from './errors.js';
import { VERSION } from './generated/version.js';
import { parseJson, writeJson } from './json.js';

export interface LogEntry {
  readonly event: 'request' | 'response' | 'failure' | 'pause' | 'ask';
  readonly method: string;
  /** The template of the path, without what stands in it. */
  readonly path: string;
  /** From 1. */
  readonly try: number;
  readonly status?: number;
  readonly request_id?: string | undefined;
  readonly wait_ms?: number;
}

export interface ClientOptions {
  /** The address of the API, such as `https://pay.example/api/public/v1`. */
  readonly baseUrl: string;
  /** Takes `http` to another machine too: who listens in between reads the key. */
  readonly allowHttp?: boolean;
  /** How often a call is tried again; 3 when left out. */
  readonly retries?: number;
  /**
   * Milliseconds for each try; 30,000 when left out. Node gives up connecting after 10,000, and nothing was sent.
   * Below that a try that ends while it connects may have left, for all that is known: the call ends as
   * `OutcomeUnknown`, and is made again with its key.
   */
  readonly timeout?: number;
  /** Milliseconds for all tries of a call, with their pauses; 60,000 when left out. */
  readonly deadline?: number;
  /** Gets an entry for each request, response and pause. It never sees a key, an address or a body. */
  readonly log?: (entry: LogEntry) => void;
  /** Another `fetch`, for a proxy or in tests. */
  readonly fetch?: typeof fetch;
  /** For tests of the client. */
  readonly testing?: Partial<Surroundings>;
}

export interface CallOptions {
  /** One is made when left out. Give one that outlives your process, such as the number of the order. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sent with each try. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is not the same at each run. */
export interface Surroundings {
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** What came with the result of a call. */
export interface LastResponse {
  readonly status: number;
  /** `idempotent-replayed`, `ratelimit` and all others. */
  readonly headers: Headers;
  readonly requestId: string | undefined;
}
/** A result; its `lastResponse` is not enumerable, so it is neither written as JSON nor compared. */
export type Responded<T> = T & { readonly lastResponse: LastResponse };

export interface Operation {
  readonly http: string;
  readonly path: string;
  /** The operation of its Idempotency-Key, when it takes one. */
  readonly keyed?: string | undefined;
  /** The type of the file that it returns. */
  readonly accept?: string;
}

export interface Arguments {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

interface Request extends Operation {
  readonly accept: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type ListPromise<Page, Row> = Promise<Page> & {
  /** Every row, page after page: `for await (const row of list.autoPaging())`. */
  autoPaging(): AsyncGenerator<Row, void, undefined>;
};
export type { ListPromise as List };

const JSON_TYPE = 'application/json';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** How often the outcome of a key is asked for. */
const QUESTIONS = 4;
/** The part of the deadline that is kept for them. */
const KEPT_FOR_QUESTIONS = 1 / 6;
const HEADER = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** Decided before the key is looked at, so they say nothing about an earlier try. */
const BEFORE_THE_KEY = [401, 403, 408, 429];
const TRIED_AGAIN = [429, 502, 503, 504];
const OWN_HEADERS = ['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'User-Agent'];
const DAY_MS = 86_400_000;
const BASE_URL = /^(https?):\/\/([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#\\]*)?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** The errors of connections that did not come about: Node's `fetch` reports them before anything is sent. */
const unconnected = new WeakSet<object>();
const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Diagnostics } };
process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  .subscribe('undici:client:connectError', ({ error }) => unconnected.add(error));
interface Diagnostics {
  subscribe(channel: string, hear: (message: { readonly error: object }) => void): void;
}
/** What tells the same elsewhere. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Next.js would keep the first response for ever. Some workers refuse the field. */
const UNCACHED = ((): RequestInit => {
  try {
    const init: RequestInit = { cache: 'no-store' };
    void new Request('https://localhost', init);
    return init;
  } catch {
    return {};
  }
})();

const SURROUNDINGS: Surroundings = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Cancelled());
      const abort = (): void => {
        clearTimeout(timer);
        reject(new Cancelled());
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** The caller has cancelled; what is thrown is the signal's reason. */
class Cancelled extends Error {}

export class Core {
  readonly #key: string;
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #retries: number;
  readonly #timeout: number;
  readonly #deadline: number;
  readonly #around: Surroundings;

  constructor(api_key: string, options: ClientOptions) {
    if (typeof api_key !== 'string' || !HEADER.test(api_key)) {
      throw new InvalidArgument('api_key', 'The API key is missing, or is not one line of ASCII.');
    }
    this.#key = api_key;
    this.#options = options;
    this.#base = readBaseUrl(options?.baseUrl, options?.allowHttp);
    this.#retries = within('retries', options.retries ?? 3, 0, 100);
    this.#timeout = within('timeout', options.timeout ?? 30_000, 1, DAY_MS);
    this.#deadline = within('deadline', options.deadline ?? 60_000, 1, DAY_MS);
    for (const name of ['log', 'fetch'] as const) {
      if (options[name] !== undefined && typeof options[name] !== 'function')
        throw new InvalidArgument(name, `${name} is a function.`);
    }
    this.#around = { ...SURROUNDINGS, ...options.testing };
  }

  async call<T>(operation: Operation, given: Arguments, options: CallOptions = {}): Promise<T> {
    const { keyed } = operation;
    const key = keyed === undefined ? undefined : (options.idempotencyKey ?? crypto.randomUUID());
    if (key !== undefined && !HEADER.test(key)) {
      throw new InvalidArgument(
        'idempotency_key',
        'An Idempotency-Key is one line of at most 255 printable ASCII characters, with no space at its ends.',
      );
    }
    const request = this.#request(operation, given, options, key);
    options.signal?.throwIfAborted();
    const end = this.#around.now() + this.#deadline;
    try {
      const received =
        keyed === undefined || key === undefined
          ? await this.#tries(request, end)
          : await this.#onceForAll(request, { key, keyed, end });
      const { status, headers, body } = received;
      const requestId = headers.get('x-request-id') ?? undefined;
      if (isObject(body))
        Object.defineProperty(body, 'lastResponse', { value: { status, headers, requestId } });
      return body as T;
    } catch (error) {
      throw error instanceof Cancelled ? options.signal?.reason : error;
    }
  }

  list<Page, Row>(
    operation: Operation & { readonly items: string; readonly cursor?: string },
    given: Arguments,
    options: CallOptions = {},
  ): ListPromise<Page, Row> {
    const first = this.call<Page>(operation, given, options);
    return Object.assign(first, {
      autoPaging: () => this.#rows<Page, Row>(first, operation, given, options),
    });
  }

  async *#rows<Page, Row>(
    first: Promise<Page>,
    operation: Operation & { readonly items: string; readonly cursor?: string },
    given: Arguments,
    options: CallOptions,
  ): AsyncGenerator<Row, void, undefined> {
    let page = (await first) as Record<string, unknown>;
    let before: unknown;
    for (;;) {
      yield* (page[operation.items] ?? []) as Row[];
      const { next_cursor, has_more } = page;
      if (has_more !== true || typeof next_cursor !== 'string' || !operation.cursor) return;
      if (next_cursor === before) {
        const message = 'The next page is the one that was just read.';
        throw new ApiError({ code: 'unexpected_response', status: 200, message, retryable: false });
      }
      before = next_cursor;
      const query = { ...given.query, [operation.cursor]: next_cursor };
      page = await this.call<Record<string, unknown>>(operation, { ...given, query }, options);
    }
  }

  #request(
    { http, path, keyed, accept = JSON_TYPE }: Operation,
    given: Arguments,
    { headers, signal }: CallOptions,
    key: string | undefined,
  ): Request {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given.query ?? {})) {
      if (value !== undefined && value !== null) query.append(name, String(value));
    }
    const sent = new Headers(headers);
    const own = OWN_HEADERS.find((name) => sent.has(name));
    if (own !== undefined)
      throw new InvalidArgument('headers', `${own} is a header of the client’s own.`);
    sent.set('Authorization', `Bearer ${this.#key}`);
    sent.set('Accept', accept);
    sent.set('User-Agent', `payments-client-typescript/${VERSION}`);
    if (given.body) sent.set('Content-Type', 'application/json');
    if (key !== undefined) sent.set('Idempotency-Key', key);
    const filters = String(query);
    const url = `${this.#base}${fill(path, given.path ?? {})}${filters === '' ? '' : `?${filters}`}`;
    const body = given.body ? writeJson(given.body) : null;
    return { http, path, keyed, accept, url, headers: sent, body, signal };
  }

  /** All tries, and the question about the outcome when no try has told it. */
  async #onceForAll(
    request: Request,
    { key, keyed, end }: { readonly key: string; readonly keyed: string; readonly end: number },
  ): Promise<Received> {
    const kept = this.#deadline * KEPT_FOR_QUESTIONS;
    const state = { isUnknown: false };
    try {
      return await this.#tries(request, end - kept, state);
    } catch (error) {
      if (!state.isUnknown || isSettled(error)) throw error;
      if (error instanceof Cancelled) throw new OutcomeUnknown(key, keyed, request.signal?.reason);
      const outcome = await this.#ask(key, keyed, request, end);
      if (outcome === 'nothing') {
        (error as Error).message += ' The service was asked since: nothing was carried out.';
        throw error;
      }
      if (outcome === undefined) throw new OutcomeUnknown(key, keyed, error);
      const { status, body } = outcome;
      if (status >= 300) throw refusal(status, new Headers(), body);
      return outcome;
    }
  }

  async #tries(request: Request, end: number, state = { isUnknown: false }): Promise<Received> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.#send(request, count, end);
      } catch (error) {
        state.isUnknown ||= leavesUnknown(error);
        const pause = this.#pause(error, count);
        if (
          count > this.#retries ||
          !mayRepeat(error, request) ||
          this.#around.now() + pause >= end
        )
          throw error;
        await this.#sleep(request, pause, count);
      }
    }
  }

  /** Undefined when it stays unknown. */
  async #ask(
    key: string,
    operation: string,
    call: Request,
    end: number,
  ): Promise<Received | 'nothing' | undefined> {
    const question = { http: 'GET', path: '/idempotency-keys/{key}' };
    const given = { path: { key }, query: { operation } };
    const request = this.#request(question, given, { signal: call.signal }, undefined);
    for (let count = 1; count <= QUESTIONS; count += 1) {
      let error: unknown;
      try {
        this.#log(request, { event: 'ask', try: count });
        const { body, headers } = await this.#send(request, count, end);
        const { state, http_status, response } = body as KeptOutcome;
        if (state === 'completed' && typeof http_status === 'number' && isObject(response))
          return { status: http_status, headers, body: response };
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.code === 'idempotency_key_not_found')
          return 'nothing';
        if (!mayRepeat(thrown, request) && !leavesUnknown(thrown)) return undefined;
        error = thrown;
      }
      const pause = this.#pause(error, count);
      if (count === QUESTIONS || this.#around.now() + pause >= end) return undefined;
      try {
        await this.#sleep(request, pause, count);
      } catch {
        // Cancelled while it waited.
        return undefined;
      }
    }
    return undefined;
  }

  async #sleep(request: Request, pause: number, count: number): Promise<void> {
    this.#log(request, { event: 'pause', try: count, wait_ms: pause });
    await this.#around.sleep(pause, request.signal);
  }

  /** What the service asks for, and a jitter that keeps callers apart. */
  #pause(error: unknown, count: number): number {
    const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
    const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - 1));
    return asked + grown * (0.5 + this.#around.random() / 2);
  }

  /** One try. Throws ApiError for a refusal and ConnectionError for a response that was lost. */
  async #send(request: Request, count: number, end: number): Promise<Received> {
    const { http, url, headers, body, signal, accept } = request;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const limit = Math.min(this.#timeout, Math.max(end - this.#around.now(), 0));
    const timer = setTimeout(abort, limit);
    try {
      this.#log(request, { event: 'request', try: count });
      const response = await (this.#options.fetch ?? fetch)(url, {
        method: http,
        headers,
        body,
        redirect: 'manual',
        signal: controller.signal,
        ...UNCACHED,
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const { status } = response;
      const request_id = response.headers.get('x-request-id') ?? undefined;
      this.#log(request, { event: 'response', try: count, status, request_id });
      return readResponse(accept, status, response.headers, bytes);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted) throw new Cancelled();
      this.#log(request, { event: 'failure', try: count });
      if (error instanceof ConnectionError) throw error;
      const { message } = (error as { cause?: Error }).cause ?? (error as Error);
      const what = controller.signal.aborted
        ? 'did not answer in time.'
        : `could not be reached, or its response was lost: ${message}`;
      throw new ConnectionError(`The service ${what}`, {
        cause: error,
        isUnsent: isUnsent(error),
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #log({ http, path }: Request, entry: Omit<LogEntry, 'method' | 'path'>): void {
    // A log that fails, at once or later, must not hide what became of the money.
    (async () => this.#options.log?.({ method: http, path, ...entry }))().catch(() => undefined);
  }
}

interface KeptOutcome {
  readonly state: string;
  readonly http_status: number;
  readonly response: unknown;
}

function readResponse(
  accept: string,
  status: number,
  headers: Headers,
  bytes: Uint8Array,
): Received {
  const isSuccess = status >= 200 && status < 300;
  const isFile = isSuccess && accept !== JSON_TYPE;
  const isMeant = !isFile || headers.get('content-type')?.startsWith(accept);
  const text = new TextDecoder().decode(bytes);
  const body = isFile ? (isMeant ? bytes : undefined) : parseOrNothing(text);
  if (isSuccess && body === undefined) {
    throw new ConnectionError('The response did not arrive whole, or is not the service’s.');
  }
  if (isSuccess) return { status, headers, body };
  throw refusal(status, headers, body);
}

function parseOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // What is no JSON is not the service's; the status decides what becomes of it.
    return undefined;
  }
}

function refusal(status: number, headers: Headers, body: unknown): ApiError {
  const error = (body as { error?: Record<string, unknown> } | undefined)?.error;
  const text = (name: string): string | undefined => {
    const value = error?.[name];
    return typeof value === 'string' ? value : undefined;
  };
  const waits = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  return new ApiError({
    status,
    code: text('code') ?? 'unexpected_response',
    message: text('message') ?? 'The response has not the form of the service’s errors.',
    param: text('param'),
    requestId: text('request_id') ?? headers.get('x-request-id') ?? undefined,
    retryable: error ? error['retryable'] === true : status === 429 || status >= 500,
    retryAfter: waits === undefined ? undefined : Number(waits),
    details: error?.['details'],
    docUrl: text('doc_url'),
  });
}

/** A POST without a key is repeated only when it certainly had no effect. */
function mayRepeat(error: unknown, { http, keyed }: Operation): boolean {
  const isSafe = http !== 'POST' || keyed !== undefined;
  if (error instanceof ConnectionError) return isSafe || error.isUnsent;
  if (!(error instanceof ApiError) || !error.retryable) return false;
  if (error.status === 429) return true;
  return isSafe && (TRIED_AGAIN.includes(error.status) || isInProgress(error));
}

function leavesUnknown(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.isUnsent;
  if (error instanceof ApiError)
    return (error.status >= 500 && error.retryable) || isInProgress(error);
  return error instanceof Cancelled;
}

/** Whether the refusal tells the outcome of the key, and not only of this try. */
function isSettled(error: unknown): boolean {
  if (!(error instanceof ApiError) || isInProgress(error)) return false;
  return error.status >= 400 && error.status < 500 && !BEFORE_THE_KEY.includes(error.status);
}

function isInProgress({ code }: ApiError): boolean {
  return code === 'idempotency_in_progress';
}

function isUnsent(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  if (!isObject(cause)) return false;
  // The last are the words of `fetch` for the ports that it never opens.
  return (
    unconnected.has(cause) || UNSENT.includes(String(cause.code)) || cause.message === 'bad port'
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function within(name: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new InvalidArgument(
    name,
    `${name} is a number from ${least} to ${most}; this is ${value}.`,
  );
}

function readBaseUrl(text: string, allowHttp = false): string {
  const [, scheme = '', host = ''] = BASE_URL.exec(text) ?? [];
  if (typeof text !== 'string' || scheme === '' || !isUrl(text)) {
    throw new InvalidArgument(
      'base_url',
      'The base URL is the address of the API, such as https://pay.example/api/public/v1, without a user or a query.',
    );
  }
  if (scheme.toLowerCase() === 'http' && !allowHttp && !LOOPBACK.test(host)) {
    throw new InvalidArgument(
      'base_url',
      'The base URL begins with https://: by http anybody in between reads the API key. Where nobody is in between, give allowHttp: true.',
    );
  }
  return text.replace(/\/+$/, '');
}

function isUrl(text: string): boolean {
  try {
    return new URL(text).port !== '0';
  } catch {
    return false;
  }
}

function fill(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
      throw new InvalidArgument(
        name,
        `${name} is the name of one thing; this is ${JSON.stringify(value)}.`,
      );
    }
    return encodeURIComponent(value);
  });
}
