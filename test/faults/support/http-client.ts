// Plain HTTP over kept-alive connections, without any retry of its own: what a caller saw, and
// nothing else, is what an experiment judges.

import { Agent, request, type IncomingHttpHeaders } from 'node:http';

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
  readonly headers: IncomingHttpHeaders;
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

export function createHttpClient(max_sockets = 256): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: max_sockets });
  return {
    send: (asked) => send(agent, asked),
    close: () => agent.destroy(),
  };
}

function send(agent: Agent, asked: HttpRequest): Promise<Reply | NoReply> {
  const { method, url, headers, body, body_after, timeout_ms } = asked;
  const started = Date.now();
  return new Promise((resolve) => {
    const fail = (fault: string): void => {
      clearTimeout(timer);
      resolve({ status: undefined, fault, ms: Date.now() - started });
    };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', (error) => fail(error.message));
      answer.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString('utf8');
        const status = answer.statusCode ?? 0;
        resolve({ status, headers: answer.headers, text, ms: Date.now() - started });
      });
    });
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
