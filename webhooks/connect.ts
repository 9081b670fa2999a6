// Opens a connection to where a URL's host is, if we may go there. Resolved once, every answer judged,
// and the socket goes to the addresses that were judged: a name that changes its mind in between
// (DNS rebinding) changes nothing. Proxies of the environment are not used.

import { Resolver } from 'node:dns';
import { connect as connectTcp, isIPv4, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { createAddressRule, isAddress, type AddressRule } from './addresses';
import type { WebhookUrlPolicy } from './url';

// Three tries of 1, 2 and 4 s: a server that never answers leaves half of the usual deadline to a
// family of addresses that another has answered for.
const DNS_LIMITS = { timeout: 1_000, tries: 3 };
/** A name with more is a list to be scanned, not a receiver. */
const MAX_ADDRESSES = 64;
const MAX_TRIED_PER_FAMILY = 3;
// Node's own 250 ms would give up an address on another continent.
const NEXT_ADDRESS_AFTER_MS = 1_000;
// What is read at once: the answers that we keep are as long.
const READ_BYTES = 16 * 1_024;

export type ConnectOutcome = 'blocked' | 'dns_failed' | 'connection_failed' | 'tls_failed';

/** Few classes, and no banner, port state or address of what was met: merchants see them. */
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
  /** Instead of the authorities that Node trusts. */
  readonly ca?: string;
  /** Instead of the system's. */
  readonly dns_servers?: readonly string[];
}

/** Gives up what is under way, and leaves no query and no socket behind. */
export type Cancel = () => void;
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => Cancel;

export function createConnect({ policy, ca, dns_servers }: ConnectOptions): Connect {
  const rule = createAddressRule({
    allowed: policy.allowed_addresses,
    own: () => [...interfaceAddresses(), ...policy.own_hosts.filter(isAddress)],
  });
  // One for all: to read the authorities takes longer than a handshake.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  });

  return (target, callback) => {
    let socket: Socket | undefined;
    let cancelLookup = (): void => {};
    const goTo = (addresses: readonly string[]): void => {
      const outcome = judge(addresses, rule);
      if (outcome !== 'allowed') return callback(new ConnectFault(outcome), null);
      socket = openSocket(target, addresses, secureContext);
      report({ socket, is_tls: isSecure(target), rule, callback });
    };
    // A literal is never looked up.
    if (isAddress(target.hostname)) goTo([target.hostname]);
    else cancelLookup = resolve(target.hostname, dns_servers, goTo);
    return () => {
      cancelLookup();
      socket?.destroy();
    };
  };
}

/** Node's resolver of its own, not the system's: that one holds a thread for each name that hangs. */
function resolve(
  name: string,
  servers: readonly string[] | undefined,
  callback: (addresses: readonly string[]) => void,
): Cancel {
  // One for each lookup, so that it can be given up alone.
  const resolver = new Resolver(DNS_LIMITS);
  if (servers) resolver.setServers(servers);
  const found: string[] = [];
  let missing = 2;
  let is_cancelled = false;
  // A family that a name does not have, or that its servers do not answer for, is an error here.
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

/** One denied answer is enough: who mixes them in with others is trying something. */
function judge(addresses: readonly string[], rule: AddressRule): 'allowed' | ConnectOutcome {
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) return 'dns_failed';
  return addresses.every(rule.isAllowed) ? 'allowed' : 'blocked';
}

function openSocket(
  target: buildConnector.Options,
  judged: readonly string[],
  secureContext: SecureContext,
): Socket {
  const { hostname, port } = target;
  const options = {
    host: hostname,
    port: Number(port) || (isSecure(target) ? 443 : 80),
    lookup: lookupAmong(judged),
    // Asks the lookup for all addresses, and tries one after the other.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    highWaterMark: READ_BYTES,
    noDelay: true,
  };
  if (!isSecure(target)) return connectTcp(options);
  return connectTls({
    ...options,
    // No name for a literal: the certificate must be for the address then.
    ...(isAddress(hostname) ? {} : { servername: hostname }),
    secureContext,
    // Said, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
}

/** Node asks here instead of the system, and is told what was judged. */
function lookupAmong(judged: readonly string[]): LookupFunction {
  const ipv4 = judged.filter((address) => isIPv4(address)).slice(0, MAX_TRIED_PER_FAMILY);
  const ipv6 = judged.filter((address) => isIPv6(address)).slice(0, MAX_TRIED_PER_FAMILY);
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
  // Before TLS says its first word.
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
  // Stays for the socket's life: what comes later is for whoever uses the socket.
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
