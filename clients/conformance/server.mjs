// The scripted server of the conformance cases: each case has a folder of addresses of its own, where its
// responses are given in their order and every request is kept as it came. It is there by http and by https.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { responses: NAMED } = JSON.parse(
  readFileSync(new URL('named.json', import.meta.url), 'utf8'),
);

export async function startServer() {
  const scripts = new Map();
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const certificate = makeCertificate(folder, 'known');
  const receive = (request, response) => {
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
  };
  const servers = {
    http: createServer(receive),
    https: createTlsServer(certificate, receive),
    untrusted: createTlsServer(makeCertificate(folder, 'unknown'), receive),
    cut: createTcpServer((socket) => socket.destroy()),
    mute: createTcpServer((socket) => {
      socket.on('error', () => undefined).resume();
      // Later than any try; a socket that stays would keep the runners.
      setTimeout(() => socket.destroy(), 1_000);
    }),
    proxy: createServer().on('connect', tunnel),
    closed: createTcpServer(),
  };
  const ports = {};
  for (const [name, server] of Object.entries(servers)) {
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    ports[name] = server.address().port;
  }
  await new Promise((resolve) => servers.closed.close(resolve));
  return {
    /** The certificate that the clients trust. */
    authority: join(folder, 'known.pem'),
    /** A proxy, whose user has the password `open`. */
    proxy: (password) => `http://shop:${password}@127.0.0.1:${ports.proxy}`,
    /** Where no request can be handed over, by the names of case.schema.json. */
    nowhere: {
      refused: `http://127.0.0.1:${ports.closed}`,
      unknown_name: 'https://pay.invalid',
      untrusted: `https://127.0.0.1:${ports.untrusted}`,
      wrong_name: `https://localhost:${ports.https}`,
      no_tls: `https://127.0.0.1:${ports.http}`,
      cut: `https://127.0.0.1:${ports.cut}`,
      mute: `https://127.0.0.1:${ports.mute}`,
      blocked: 'http://127.0.0.1:6000',
    },
    /** Returns the base URL of a case, and what was asked there. */
    script(id, responses, scheme = 'http') {
      const requests = [];
      scripts.set(id, { responses: responses.map(readResponse), requests });
      return { base_url: `${scheme}://127.0.0.1:${ports[scheme]}/${id}`, requests };
    },
    close() {
      rmSync(folder, { recursive: true });
      for (const name of ['http', 'https', 'untrusted', 'proxy'])
        servers[name].closeAllConnections();
      for (const name of ['http', 'https', 'untrusted', 'cut', 'mute', 'proxy'])
        servers[name].close();
    },
  };
}

function tunnel({ url, headers }, socket) {
  const password = Buffer.from(headers['proxy-authorization']?.split(' ')[1] ?? '', 'base64');
  if (String(password) !== 'shop:open') {
    return void socket.end(
      'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n',
    );
  }
  const { hostname, port } = new URL(`http://${url}`);
  const service = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    service.pipe(socket).pipe(service);
  });
  for (const end of [socket, service])
    end.on('error', () => [socket, service].map((one) => one.destroy()));
  return undefined;
}

function makeCertificate(folder, name) {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=conformance`;
  const alternative = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...words.split(' '), ...alternative], { stdio: 'pipe' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
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
  const { status, headers = {}, truncate, chunked } = scripted;
  const body = Buffer.from(scripted.refusal ? refusalBody(scripted) : scripted.body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(chunked ? {} : { 'Content-Length': body.length }),
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
