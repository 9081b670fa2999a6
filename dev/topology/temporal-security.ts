// A Temporal that lets nobody in without a certificate, as a cluster that is not behind networks of its own
// should be, and as Temporal Cloud is.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  writeCertificate,
  type Authority,
  type CertificateFiles,
} from '../../embedded/certificate';
import type { Variables } from './compose-file';

/** `mtls`: a certificate of the caller's, by an authority that Temporal trusts. */
export type TemporalSecurity = 'mtls';

export interface Security {
  /** Of each process of Temporal. */
  readonly server: Variables;
  /** Of each process that calls it. */
  readonly client: Variables;
}

const SERVER_NAME = 'temporal';

export function secureTemporal(
  _: TemporalSecurity,
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
  const client = certificate('payment-api');
  return {
    server: {
      TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
      // Between its own processes.
      TEMPORAL_TLS_SERVER_CA_CERT: ca_file,
      TEMPORAL_TLS_SERVER_CERT: server.cert_file,
      TEMPORAL_TLS_SERVER_KEY: server.key_file,
      TEMPORAL_TLS_INTERNODE_SERVER_NAME: SERVER_NAME,
      // Towards us.
      TEMPORAL_TLS_FRONTEND_CERT: server.cert_file,
      TEMPORAL_TLS_FRONTEND_KEY: server.key_file,
      TEMPORAL_TLS_FRONTEND_SERVER_NAME: SERVER_NAME,
      // The template names both.
      TEMPORAL_TLS_CLIENT1_CA_CERT: ca_file,
      TEMPORAL_TLS_CLIENT2_CA_CERT: ca_file,
    },
    client: {
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.cert_file,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.key_file,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca_file,
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
    },
  };
}
