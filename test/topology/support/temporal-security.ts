// A Temporal that lets no caller in without credentials, as a cluster outside of closed networks should be,
// and as Temporal Cloud is.

import { join } from 'node:path';
import { writeCertificate } from '../../support/certificate';
import { pickTestPort } from '../../support/ports';
import type { Variables } from '../harness/compose-file';
import type { Ports } from '../harness/local';
import type { Prepared, TopologyOptions } from '../harness/topology';

/**
 * `mtls`: a certificate of the caller's, by an authority that Temporal trusts. `api_key`: a signed token (JWT),
 * over TLS.
 */
export type TemporalSecurity =
  | { readonly kind: 'mtls' }
  | {
      readonly kind: 'api_key';
      /** Temporal finds the keys (JWKS) that sign tokens there. */
      readonly keys_url: string;
      /** The token of a service of docker-compose.yml. */
      readonly keyOf: (service: string) => string;
    };

interface Security {
  /** Returns what a process of Temporal needs; a second frontend in it listens on the ports. */
  server(internal: Ports | undefined): Variables;
  /** Returns what a process that calls it needs. */
  client(service: string): Variables;
}

const SERVER_NAME = 'temporal';
const SERVERS = ['temporal-frontend', 'temporal-history', 'temporal-matching', 'temporal-worker'];
const CLIENTS = ['api', 'worker', 'cli', 'temporal-namespace'];

/** The settings of Temporal and its callers beside docker-compose.yml. */
export async function securedBy(
  wanted: TemporalSecurity,
): Promise<NonNullable<TopologyOptions['settingsOf']>> {
  const internal = new Map<string, Ports>();
  for (const name of ['temporal-frontend-1', 'temporal-frontend-2']) {
    const [main, membership] = [await pickTestPort(), await pickTestPort()];
    internal.set(name, { main, membership, http: await pickTestPort() });
  }
  let security: Security | undefined;
  return (service, name, prepared) => {
    security ??= secureTemporal(wanted, prepared);
    if (SERVERS.includes(service)) return security.server(internal.get(name));
    return CLIENTS.includes(service) ? security.client(service) : {};
  };
}

function secureTemporal(
  security: TemporalSecurity,
  { authority, folder, ca_file }: Prepared,
): Security {
  const certificate = (name: string): readonly [string, string] => {
    const files = { cert_file: join(folder, `${name}.crt`), key_file: join(folder, `${name}.key`) };
    writeCertificate(files, authority.issue({ names: [name] }));
    return [files.cert_file, files.key_file];
  };
  const [cert, key] = certificate(SERVER_NAME);
  const frontend = {
    TEMPORAL_TLS_FRONTEND_CERT: cert,
    TEMPORAL_TLS_FRONTEND_KEY: key,
    TEMPORAL_TLS_FRONTEND_SERVER_NAME: SERVER_NAME,
  };
  const trust = {
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca_file,
    TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
  };
  if (security.kind === 'api_key') {
    return {
      server: (internal) => ({
        ...frontend,
        TEMPORAL_ALLOW_NO_AUTH: 'false',
        TEMPORAL_AUTH_AUTHORIZER: 'default',
        TEMPORAL_AUTH_CLAIM_MAPPER: 'default',
        TEMPORAL_JWT_KEY_SOURCE1: security.keys_url,
        // Temporal's own workflows have no token: they use a frontend that its processes alone know.
        USE_INTERNAL_FRONTEND: 'true',
        ...(internal && internalFrontend(internal)),
      }),
      client: (service) => ({ ...trust, TEMPORAL_API_KEY: security.keyOf(service) }),
    };
  }
  const [client_cert, client_key] = certificate('payment-api');
  return {
    server: () => ({
      ...frontend,
      TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
      // The template names both.
      TEMPORAL_TLS_CLIENT1_CA_CERT: ca_file,
      TEMPORAL_TLS_CLIENT2_CA_CERT: ca_file,
      // Temporal's own processes use these among themselves.
      TEMPORAL_TLS_SERVER_CA_CERT: ca_file,
      TEMPORAL_TLS_SERVER_CERT: cert,
      TEMPORAL_TLS_SERVER_KEY: key,
      TEMPORAL_TLS_INTERNODE_SERVER_NAME: SERVER_NAME,
    }),
    client: () => ({
      ...trust,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client_cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client_key,
    }),
  };
}

function internalFrontend({ main, membership, http }: Ports): Variables {
  return {
    TEMPORAL_SERVICES: 'frontend,internal-frontend',
    INTERNAL_FRONTEND_GRPC_PORT: String(main),
    INTERNAL_FRONTEND_MEMBERSHIP_PORT: String(membership),
    INTERNAL_FRONTEND_HTTP_PORT: String(http),
  };
}
