// A Temporal that lets nobody in without credentials, as a cluster outside of closed networks should be, and as
// Temporal Cloud is.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  writeCertificate,
  type Authority,
  type CertificateFiles,
} from '../../embedded/certificate';
import type { Variables } from './compose-file';
import type { Ports } from './local';

/**
 * `mtls`: a certificate of the caller's, by an authority that Temporal trusts. `api_key`: a signed token (JWT),
 * over TLS.
 */
export type TemporalSecurity =
  | { readonly kind: 'mtls' }
  | {
      readonly kind: 'api_key';
      /** Where Temporal finds the keys (JWKS) that sign tokens. */
      readonly keys_url: string;
      /** The token of a service of docker-compose.yml. */
      readonly keyOf: (service: string) => string;
    };

export interface Security {
  /** Of a process of Temporal. */
  server(service: string, ports: Ports): Variables;
  /** Of a process that calls it. */
  client(service: string): Variables;
}

const SERVER_NAME = 'temporal';

export function secureTemporal(
  security: TemporalSecurity,
  authority: Authority,
  folder: string,
): Security {
  const ca_file = join(folder, 'temporal-ca.pem');
  writeFileSync(ca_file, authority.cert);
  const certificate = (name: string): CertificateFiles => {
    const files = { cert_file: join(folder, `${name}.crt`), key_file: join(folder, `${name}.key`) };
    writeCertificate(files, authority.issue({ names: [name] }));
    return files;
  };
  const server = certificate(SERVER_NAME);
  const frontend = {
    TEMPORAL_TLS_FRONTEND_CERT: server.cert_file,
    TEMPORAL_TLS_FRONTEND_KEY: server.key_file,
    TEMPORAL_TLS_FRONTEND_SERVER_NAME: SERVER_NAME,
  };
  const trust = {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca_file,
    TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
  };
  if (security.kind === 'api_key') {
    return {
      server: (service, ports) => ({ ...frontend, ...tokenSettings(security, service, ports) }),
      client: (service) => ({ ...trust, TEMPORAL_API_KEY: security.keyOf(service) }),
    };
  }
  const client = certificate('payment-api');
  return {
    server: () => ({
      ...frontend,
      TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
      // The template names both.
      TEMPORAL_TLS_CLIENT1_CA_CERT: ca_file,
      TEMPORAL_TLS_CLIENT2_CA_CERT: ca_file,
      // Between its own processes.
      TEMPORAL_TLS_SERVER_CA_CERT: ca_file,
      TEMPORAL_TLS_SERVER_CERT: server.cert_file,
      TEMPORAL_TLS_SERVER_KEY: server.key_file,
      TEMPORAL_TLS_INTERNODE_SERVER_NAME: SERVER_NAME,
    }),
    client: () => ({
      ...trust,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.cert_file,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.key_file,
    }),
  };
}

/** Temporal's own workflows have no token: they use a frontend that only its processes know. */
function tokenSettings(
  { keys_url }: { readonly keys_url: string },
  service: string,
  { internal }: Ports,
): Variables {
  return {
    TEMPORAL_ALLOW_NO_AUTH: 'false',
    TEMPORAL_AUTH_AUTHORIZER: 'default',
    TEMPORAL_AUTH_CLAIM_MAPPER: 'default',
    TEMPORAL_JWT_KEY_SOURCE1: keys_url,
    USE_INTERNAL_FRONTEND: 'true',
    ...(service === 'temporal-frontend'
      ? {
          TEMPORAL_SERVICES: 'frontend,internal-frontend',
          INTERNAL_FRONTEND_GRPC_PORT: String(internal.main),
          INTERNAL_FRONTEND_MEMBERSHIP_PORT: String(internal.membership),
          INTERNAL_FRONTEND_HTTP_PORT: String(internal.http),
        }
      : {}),
  };
}
