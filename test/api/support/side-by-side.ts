// pawaPay and the simulated operators, live in one installation: both take payments by phone and pay out.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Config } from '../../../config/load';
import { startPawapay, type PawapaySimulator } from '../../../dev/simulators/pawapay/server';
import { gatewayConfig } from '../../support/api';
import { closeAfterFile } from '../../support/cleanup';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { request, type HttpResponse } from '../../support/http';
import { pickTestPort } from '../../support/ports';
import { startTestGateway, type RunningGateway } from '../../support/sandbox-gateway';
import { startTestService, type TestService } from '../../support/service';
import { buildApiKey, buildUser, type TestUser } from '../../support/users';

const TOKEN = 'a-token-of-the-tests';
const UNLIMITED = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };

export type GatewayName = 'pawapay' | 'sandbox';

export interface SideBySide {
  readonly database: TestDatabase;
  readonly gateway: RunningGateway;
  readonly pawapay: PawapaySimulator;
  readonly merchant: TestUser;
  /** The one that runs now. */
  readonly service: () => TestService;
  /** With the merchant's live key; what has a body has a fresh Idempotency-Key. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<HttpResponse>;
  /** Starts the installation anew with this gateway for new links, unless it is that already. */
  choose(name: GatewayName): Promise<void>;
}

/** New links are pawaPay's. */
export async function startSideBySide(): Promise<SideBySide> {
  const database = await createTestDatabase();
  const port = await pickTestPort();
  const public_url = `http://127.0.0.1:${port}`;
  const callback_url = `${public_url}/internal/gateway/notifications`;
  const gateway = await startTestGateway({ notification_url: callback_url });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pawapay = await startPawapay({ token: TOKEN, callback_url, key: privateKey });
  closeAfterFile(() => pawapay.stop());
  const account = { url: pawapay.url, token: TOKEN, callback_keys: [pawapay.public_key] };
  const configOf = (live: GatewayName): Config['gateway'] => ({
    ...gatewayConfig(gateway),
    chosen: { live, sandbox: undefined },
    pawapay: { ...account, callback_url },
  });
  let chosen: GatewayName = 'pawapay';
  const overrides = { port, public_url, pay_url_base: public_url, gateway: configOf(chosen) };
  let service = await startTestService({ database, overrides });
  const merchant = await buildUser(database.db);
  const { key } = await buildApiKey(database.db, {
    user: merchant,
    environment: 'live',
    ...UNLIMITED,
  });
  return {
    database,
    gateway,
    pawapay,
    merchant,
    service: () => service,
    call: (method, path, body) =>
      request(service, method, path, {
        key,
        ...(body ? { body, idempotency_key: randomUUID() } : {}),
      }),
    async choose(name) {
      if (name === chosen) return;
      chosen = name;
      await service.stop();
      const { config } = service;
      service = await startTestService({
        database,
        overrides: { ...config, gateway: configOf(name) },
      });
    },
  };
}
