// The scripted server of the conformance cases: each case has a folder of addresses of its own, where its
// responses are given in their order and every request is kept as it came.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { responses: NAMED } = JSON.parse(
  readFileSync(new URL('named.json', import.meta.url), 'utf8'),
);

export async function startServer() {
  const scripts = new Map();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const [, id, address] = /^\/([^/]+)(.*)$/.exec(request.url) ?? [];
      const script = scripts.get(id);
      if (!script) return request.socket.destroy();
      const { method, headers } = request;
      script.requests.push({
        line: `${method} ${address}`,
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      answer(request, response, script.responses[script.requests.length - 1]);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    /** Returns the base URL of a case, and what was asked there. */
    script(id, responses) {
      const requests = [];
      scripts.set(id, { responses: responses.map(readResponse), requests });
      return { base_url: `${origin}/${id}`, requests };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A port of this machine at which nothing listens. */
export async function closedPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function readResponse(scripted) {
  if (typeof scripted === 'string') return readResponse({ like: scripted });
  const { like, ...own } = scripted;
  if (!like) return own;
  if (!NAMED[like]) throw new Error(`named.json has no response ${like}.`);
  return { ...NAMED[like], ...own };
}

function answer(request, response, scripted) {
  // More requests than were expected: the comparison tells.
  if (!scripted) return void response.writeHead(418).end();
  if (scripted.hang) return undefined;
  if (scripted.destroy) return void request.socket.destroy();
  if (scripted.drip) return drip(response);
  const { status, headers = {}, truncate } = scripted;
  const body = Buffer.from(scripted.refusal ? refusalBody(scripted) : scripted.body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    ...headers,
  });
  if (!truncate) return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
  return undefined;
}

/** Something comes all the time, and never the end. */
function drip(response) {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

/** The one form of an error; see api/openapi.json. */
function refusalBody({ refusal, status, param, request_id = 'req-1', retryable }) {
  return JSON.stringify({
    ok: false,
    error: {
      code: refusal,
      message: `The service says ${refusal}.`,
      param,
      doc_url: `https://pay.example/docs/errors#${refusal}`,
      request_id,
      retryable: retryable ?? (status === 409 || status === 429 || status >= 500),
    },
  });
}
