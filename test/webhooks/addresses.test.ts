import * as fc from 'fast-check';
import { createAddressRule, isPublicAddress } from '../../webhooks/addresses';

// An arithmetic of its own, so that the rule is not compared with itself: addresses as numbers.
function toNumber(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  }
  const [left = '', right] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const tail = right === undefined ? [] : groups(right);
  const zeros = Array.from({ length: 8 - groups(left).length - tail.length }, () => '0');
  const all = [...groups(left), ...zeros, ...tail];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function toAddress(number: bigint, bits: number): string {
  const [width, base, mark] = bits === 32 ? [8, 10, '.'] : [16, 16, ':'];
  const parts: string[] = [];
  for (let shift = bits - width; shift >= 0; shift -= width) {
    parts.push(((number >> BigInt(shift)) & ((1n << BigInt(width)) - 1n)).toString(base));
  }
  return parts.join(mark);
}

interface Range {
  readonly range: string;
  readonly bits: number;
  readonly first: bigint;
  readonly last: bigint;
}

function readRange(range: string): Range {
  const [address = '', prefix] = range.split('/');
  const bits = address.includes(':') ? 128 : 32;
  const first = toNumber(address);
  return { range, bits, first, last: first + (1n << BigInt(bits - Number(prefix))) - 1n };
}

// Row S4 of the research as it is written there, and what we deny beside it. It is the test's own list, so that a range
// that is added by mistake is noticed as well as one that is lost.
const DENIED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
  '::/96',
  // Azure's host, and what is not assigned as unicast.
  '168.63.129.16/32',
  '2001::/23',
  '::/3',
  '4000::/2',
  '8000::/1',
].map(readRange);

const isWithin = (number: bigint, bits: number): boolean =>
  DENIED.some((range) => range.bits === bits && range.first <= number && number <= range.last);

/** Compares the rule with the list above. */
function expectRule(number: bigint, bits: number): void {
  const address = toAddress(number, bits);
  expect([address, isPublicAddress(address)]).toEqual([address, !isWithin(number, bits)]);
}

describe('isPublicAddress', () => {
  it.each(DENIED)('S4 denies $range, and nothing beside it', ({ bits, first, last }) => {
    const edges = [first - 1n, first, last, last + 1n];
    for (const number of edges)
      if (number >= 0n && number < 1n << BigInt(bits)) expectRule(number, bits);
    fc.assert(fc.property(fc.bigInt(first, last), (number) => expectRule(number, bits)));
  });

  it('S4 denies no other IPv4 address, and every IPv6 address outside of 2000::/3', () => {
    for (const bits of [32, 128]) {
      const any = fc.bigInt(0n, (1n << BigInt(bits)) - 1n);
      const property = fc.property(any, (number) => expectRule(number, bits));
      fc.assert(property, { numRuns: 1_000 });
    }
    const public_ones = ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4007:80e::200e'];
    expect(public_ones.filter(isPublicAddress)).toEqual(public_ones);
  });

  it.each([
    // IPv4 within IPv6, in every spelling.
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::169.254.169.254',
    'FE80::1',
    // With a zone, or no address at all.
    'fe80::1%eth0',
    '2606:4700::1%1',
    '2606:4700::1%',
    '',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8',
    '8.8.8.8.8',
    '134744072',
    '0x08080808',
    '010.8.8.8',
    '8.8.8.8/32',
    '[2606:4700::1]',
    'example.com',
    '8.8.8.8\n',
    '8.8.8.8\0',
  ])('S4 denies the text %j', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

describe('createAddressRule', () => {
  const nothing = (): readonly string[] => [];

  it('allows public addresses, and those that the operator has listed', () => {
    const allowed = ['127.0.0.1', '10.1.0.0/16', 'fd00:1::/32', '::1'];
    const { isAllowed, isExempt } = createAddressRule({ allowed, own: nothing });
    for (const ip of [
      '127.0.0.1',
      '10.1.0.0',
      '10.1.255.255',
      'fd00:1::1',
      'fd00:1:ffff::',
      '::1',
    ]) {
      expect([ip, isAllowed(ip), isExempt(ip)]).toEqual([ip, true, true]);
    }
    for (const ip of ['127.0.0.2', '10.0.255.255', '10.2.0.0', 'fd00:2::', '::2', '0.0.0.0']) {
      expect([ip, isAllowed(ip), isExempt(ip)]).toEqual([ip, false, false]);
    }
    for (const ip of ['8.8.8.8', '2606:4700::1']) {
      expect([ip, isAllowed(ip), isExempt(ip)]).toEqual([ip, true, false]);
    }
  });

  it('does not accept a listed IPv4 address written as IPv6', () => {
    const { isAllowed } = createAddressRule({ allowed: ['127.0.0.1', '10.0.0.0/8'], own: nothing });
    for (const ip of ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::10.0.0.1', '::127.0.0.1']) {
      expect(isAllowed(ip)).toBe(false);
    }
  });

  it('S5 denies the addresses of this machine, public or not, unless they are listed', () => {
    const own = (): readonly string[] => ['8.8.8.8', '2606:4700::1', 'fe80::1', '10.0.0.5'];
    const rule = createAddressRule({ allowed: [], own });
    for (const ip of ['8.8.8.8', '2606:4700::1', '2606:4700:0:0:0:0:0:1', '2606:4700::0001']) {
      expect(rule.isAllowed(ip)).toBe(false);
    }
    expect(rule.isAllowed('8.8.4.4')).toBe(true);
    const listed = createAddressRule({ allowed: ['8.8.8.8', '10.0.0.0/8'], own });
    expect(['8.8.8.8', '10.0.0.5'].map(listed.isAllowed)).toEqual([true, true]);
  });

  it('S5 reads the addresses of this machine each time, because they change', () => {
    let own = ['8.8.8.8'];
    const { isAllowed } = createAddressRule({ allowed: [], own: () => own });
    expect(['8.8.8.8', '8.8.4.4'].map(isAllowed)).toEqual([false, true]);
    own = ['8.8.4.4'];
    expect(['8.8.8.8', '8.8.4.4'].map(isAllowed)).toEqual([true, false]);
  });

  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    'fe80::1%eth0',
    '10.0.0.0/08x',
    '*',
    '10.0.0.0 /8',
  ])('says that %j is neither an address nor a range', (range) => {
    expect(() => createAddressRule({ allowed: [range], own: nothing })).toThrow('neither');
  });
});
