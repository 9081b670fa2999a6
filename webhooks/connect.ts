// Opens a connection to a URL's host, if its addresses are allowed. The name is resolved once,
// every address is checked, and the socket connects to exactly these: a name that resolves to
// something else in between (DNS rebinding) changes nothing. The environment's proxies are not
// used.

import { Resolver } from 'node:dns';
import { connect as connectTcp, isIPv4, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { createAddressRule, isAddress, type AddressRule } from './addresses';
import type { WebhookUrlPolicy } from './url';

// Three tries of 1, 2 and 4 s: if a server never answers for one address family, half of the usual
// deadline is left for the other.
const DNS_LIMITS = { timeout: 1_000, tries: 3 };
/** A name with more addresses is a list of hosts to scan, not a receiver. */
const MAX_ADDRESSES = 64;
const MAX_TRIED_PER_FAMILY = 3;
// Node's default of 250 ms would give up on an address on another continent.
const NEXT_ADDRESS_AFTER_MS = 1_000;
// One read takes as much as is kept of a response.
const READ_BYTES = 16 * 1_024;

export type ConnectOutcome = 'blocked' | 'dns_failed' | 'connection_failed' | 'tls_failed';

/** Merchants see the outcome, so it says nothing of banners, port states or addresses. */
export class ConnectFault extends Error {
  override readonly name = 'ConnectFault';
  readonly outcome: ConnectOutcome;

  constructor(outcome: ConnectOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

export interface ConnectOptions {
  readonly policy: WebhookUrlPolicy;
  /** Certificate authorities to trust instead of Node's. */
  readonly ca?: string;
  /** DNS servers to ask instead of the system's. */
  readonly dns_servers?: readonly string[];
}

/** Aborts the connection, and leaves no DNS query and no socket behind. */
export type Cancel = () => void;
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => Cancel;

export function createConnect({ policy, ca, dns_servers }: ConnectOptions): Connect {
  const rule = createAddressRule({
    allowed: policy.allowed_addresses,
    own: () => [...interfaceAddresses(), ...policy.own_hosts.filter(isAddress)],
  });
  // All connections share it: reading the authorities takes longer than a handshake.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  });

  return (target, callback) => {
    let socket: Socket | undefined;
    let cancelLookup = (): void => {};
    const connectTo = (addresses: readonly string[]): void => {
      const outcome = checkAddresses(addresses, rule);
      if (outcome !== 'allowed') return callback(new ConnectFault(outcome), null);
      socket = openSocket(target, addresses, secureContext);
      report({ socket, is_tls: isSecure(target), rule, callback });
    };
    // A literal address is never looked up.
    if (isAddress(target.hostname)) connectTo([target.hostname]);
    else cancelLookup = resolve(target.hostname, dns_servers, connectTo);
    return () => {
      cancelLookup();
      socket?.destroy();
    };
  };
}

/** Resolves with c-ares: the system's resolver blocks a thread for each name that hangs. */
function resolve(
  name: string,
  servers: readonly string[] | undefined,
  callback: (addresses: readonly string[]) => void,
): Cancel {
  // One resolver per lookup, so that a lookup can be cancelled by itself.
  const resolver = new Resolver(DNS_LIMITS);
  if (servers) resolver.setServers(servers);
  const found: string[] = [];
  let missing = 2;
  let is_cancelled = false;
  // The error of one address family is ignored: the name may have only the other.
  const collect = (_error: Error | null, addresses?: readonly string[]): void => {
    found.push(...(addresses ?? []));
    missing -= 1;
    if (missing === 0 && !is_cancelled) callback(found);
  };
  resolver.resolve4(name, collect);
  resolver.resolve6(name, collect);
  return () => {
    is_cancelled = true;
    resolver.cancel();
  };
}

/** One denied address is enough: a name that mixes them with allowed ones is an attack. */
function checkAddresses(
  addresses: readonly string[],
  rule: AddressRule,
): 'allowed' | ConnectOutcome {
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) return 'dns_failed';
  return addresses.every(rule.isAllowed) ? 'allowed' : 'blocked';
}

function openSocket(
  target: buildConnector.Options,
  addresses: readonly string[],
  secureContext: SecureContext,
): Socket {
  const { hostname, port } = target;
  const options = {
    host: hostname,
    port: Number(port) || (isSecure(target) ? 443 : 80),
    lookup: lookupAmong(addresses),
    // Node gets all addresses from the lookup, and tries one after the other.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    highWaterMark: READ_BYTES,
    noDelay: true,
  };
  if (!isSecure(target)) return connectTcp(options);
  return connectTls({
    ...options,
    // A literal address has no server name: the certificate must be for the address.
    ...(isAddress(hostname) ? {} : { servername: hostname }),
    secureContext,
    // The explicit value keeps NODE_TLS_REJECT_UNAUTHORIZED=0 from having an effect.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
}

/** Replaces Node's own lookup: it returns the addresses that were checked. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const ipv4 = addresses.filter((address) => isIPv4(address)).slice(0, MAX_TRIED_PER_FAMILY);
  const ipv6 = addresses.filter((address) => isIPv6(address)).slice(0, MAX_TRIED_PER_FAMILY);
  const tried = [
    ...ipv4.map((address) => ({ address, family: 4 })),
    ...ipv6.map((address) => ({ address, family: 6 })),
  ];
  return (_name, _options, callback) => callback(null, tried);
}

function isSecure({ protocol }: buildConnector.Options): boolean {
  return protocol === 'https:';
}

interface Opening {
  readonly socket: Socket;
  readonly is_tls: boolean;
  readonly rule: AddressRule;
  readonly callback: buildConnector.Callback;
}

function report({ socket, is_tls, rule, callback }: Opening): void {
  let is_connected = false;
  let is_reported = false;
  // This listener comes first, before TLS sends its first byte.
  socket.prependOnceListener('connect', () => {
    is_connected = true;
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !rule.isAllowed(remoteAddress)) {
      socket.destroy(new ConnectFault('blocked'));
    }
  });
  socket.once(is_tls ? 'secureConnect' : 'connect', () => {
    if (is_reported || socket.destroyed) return;
    is_reported = true;
    callback(null, socket);
  });
  // The listener stays for the socket's whole life; after the report, the connection's owner
  // handles errors.
  socket.on('error', (error) => {
    if (is_reported) return;
    is_reported = true;
    const outcome = is_connected ? 'tls_failed' : 'connection_failed';
    callback(error instanceof ConnectFault ? error : new ConnectFault(outcome), null);
  });
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
}
