// §5.7 and §8: TLS 1.2 or later is mandatory.

import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect, createServer, type SecureVersion, type TLSSocket } from 'node:tls';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { startTestService, type TestService } from '../support/service';
import { readStack } from '../support/stack';
import { buildAccount, type Account } from './support/accounts';
import { makeCertificate, type CertificateFiles } from '../support/certificate';
import { callApi } from './support/contract';

let files: CertificateFiles;
let database: TestDatabase;
let service: TestService;
let account: Account;

beforeAll(async () => {
  files = makeCertificate(mkdtempSync(join(readStack().folder, 'tls-')));
  database = await createTestDatabase();
  service = await startTestService({ database, overrides: { tls: files, production: true } });
  account = await buildAccount(database, { live: { XOF: 1_000n } });
});

// A current client offers the old versions at a lower security level only.
const OLD_TOO = 'DEFAULT@SECLEVEL=0';

async function handshake(port: number, version: SecureVersion): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    ca: readFileSync(files.cert_file),
    minVersion: version,
    maxVersion: version,
    ciphers: OLD_TOO,
  });
  try {
    await once(socket, 'secureConnect');
    return socket;
  } finally {
    socket.on('error', () => undefined);
    socket.end();
  }
}

describe('§5 TLS', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is accepted', async (version) => {
    const socket = await handshake(service.config.port, version);
    expect(socket.getProtocol()).toBe(version);
    expect(socket.authorized).toBe(true);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async (version) => {
    await expect(handshake(service.config.port, version)).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });

  it("TLSv1.1 is supported by this test's client", async () => {
    const port = await pickTestPort();
    const server = createServer({
      cert: readFileSync(files.cert_file),
      key: readFileSync(files.key_file),
      minVersion: 'TLSv1',
      ciphers: OLD_TOO,
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    closeAfterFile(() => void server.close());
    expect((await handshake(port, 'TLSv1.1')).getProtocol()).toBe('TLSv1.1');
  });

  it('plain HTTP gets no response, and affects no other request', async () => {
    const socket = connectPlain(service.config.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.write(`GET /api/public/v1/me HTTP/1.1\r\nAuthorization: Bearer ${account.live}\r\n\r\n`);
    await once(socket, 'close');
    expect(received).not.toContain('HTTP/1.1 200');
    expect((await callApi(service, 'GET', '/me', { key: account.live })).status).toBe(200);
  });
});

describe('a service that serves TLS itself', () => {
  it('is secure in production without a proxy', async () => {
    expect(service.config.production).toBe(true);
    const recipient = await buildAccount(database);
    const body = { to_username: recipient.username, currency: 'XOF', amount: 1 };
    const response = await callApi(service, 'POST', '/transfers', { key: account.live, body });
    expect(response.status).toBe(200);
  });

  it('ignores a forwarded header that says otherwise', async () => {
    const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '6.6.6.6' };
    expect((await request(service, 'GET', '/health', { headers })).status).toBe(200);
  });
});
