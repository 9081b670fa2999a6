// Plain HTTP over kept-alive connections, without any retry of its own: what a caller saw, and
// nothing else, is what an experiment judges.

import * as http from 'node:http';
import * as https from 'node:https';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The headers go out at once, the body only after this. */
  readonly body_after?: Promise<void>;
  readonly timeout_ms: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
}

/** The connection broke or nothing came in time: whether anything happened is unknown. */
export interface NoReply {
  readonly status: undefined;
  readonly fault: string;
  readonly ms: number;
}

export interface HttpClient {
  send(request: HttpRequest): Promise<Reply | NoReply>;
  close(): void;
}

export interface HttpClientOptions {
  readonly max_sockets?: number;
  /** The authority that must have signed a server's certificate, in PEM. */
  readonly ca?: string | undefined;
}

interface Agents {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
}

export function createHttpClient({ max_sockets = 256, ca }: HttpClientOptions = {}): HttpClient {
  const options = { keepAlive: true, maxSockets: max_sockets };
  const agents = {
    plain: new http.Agent(options),
    secure: new https.Agent({ ...options, ...(ca === undefined ? {} : { ca }) }),
  };
  return {
    send: (asked) => send(agents, asked),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

export interface KeyedRequest {
  /** The API key of the caller. */
  readonly user_key: string;
  /** The idempotency key; none when left out. */
  readonly key?: string | undefined;
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longer than the service takes for any response unless the experiment says otherwise. */
  readonly timeout_ms?: number;
  readonly body_after?: Promise<void> | undefined;
}

const TIMEOUT_MS = 20_000;

/** One request of a caller of the API. */
export function postAs(
  client: HttpClient,
  { base_url }: { readonly base_url: string },
  { user_key, key, path, body, body_after, timeout_ms = TIMEOUT_MS, ...more }: KeyedRequest,
): Promise<Reply | NoReply> {
  return client.send({
    method: 'POST',
    url: base_url + path,
    headers: {
      authorization: `Bearer ${user_key}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(body_after === undefined ? {} : { body_after }),
    timeout_ms,
  });
}

/** A proxy reached no process: an answer of the service or the simulator would have passed. */
function isOfProxyItself({ statusCode = 0, headers }: http.IncomingMessage): boolean {
  return statusCode >= 502 && headers.server === 'Caddy' && headers.via === undefined;
}

function send({ plain, secure }: Agents, asked: HttpRequest): Promise<Reply | NoReply> {
  const { method, url, headers, body, body_after, timeout_ms } = asked;
  const started = Date.now();
  return new Promise((resolve) => {
    const fail = (fault: string): void => {
      clearTimeout(timer);
      resolve({ status: undefined, fault, ms: Date.now() - started });
    };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length } };
    const onAnswer = (answer: http.IncomingMessage): void => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', (error) => fail(error.message));
      answer.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString('utf8');
        const status = answer.statusCode ?? 0;
        if (isOfProxyItself(answer)) return fail(`the proxy responded ${status}`);
        resolve({ status, headers: answer.headers, text, ms: Date.now() - started });
      });
    };
    const sent = url.startsWith('https:')
      ? https.request(url, { ...options, agent: secure }, onAnswer)
      : http.request(url, { ...options, agent: plain }, onAnswer);
    const timer = setTimeout(() => sent.destroy(new Error('no response in time')), timeout_ms);
    sent.on('error', (error) => fail(error.message));
    if (body_after) {
      sent.flushHeaders();
      void body_after.then(() => sent.end(body));
    } else {
      sent.end(body);
    }
  });
}
