import * as fc from 'fast-check';
import {
  createAddressRule,
  DENIED_IPV4,
  DENIED_IPV6,
  isPublicAddress,
} from '../../webhooks/addresses';

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

// Row S4 of the research, as it is written there.
const S4 = [
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
].map(readRange);
const OURS = [...DENIED_IPV4, ...DENIED_IPV6].map(([range]) => readRange(range));

const isWithin = (number: bigint, bits: number): boolean =>
  OURS.some((range) => range.bits === bits && range.first <= number && number <= range.last);

describe('isPublicAddress', () => {
  it.each([...S4, ...OURS])(
    'S4 denies $range: its first, its last, and what is between',
    (range) => {
      const { bits, first, last } = range;
      for (const number of [first, last, (first + last) / 2n]) {
        expect(isPublicAddress(toAddress(number, bits))).toBe(false);
      }
      fc.assert(
        fc.property(fc.bigInt(first, last), (number) => {
          expect(isPublicAddress(toAddress(number, bits))).toBe(false);
        }),
      );
    },
  );

  it.each([...S4, ...OURS])(
    'S4 allows the neighbours of $range, unless another has them',
    (range) => {
      const { bits, first, last } = range;
      const neighbours = [first - 1n, last + 1n].filter(
        (one) => one >= 0n && one < 1n << BigInt(bits),
      );
      for (const number of neighbours) {
        expect(isPublicAddress(toAddress(number, bits))).toBe(!isWithin(number, bits));
      }
    },
  );

  it('S4 denies no other IPv4 address, and every IPv6 address outside of 2000::/3', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 32n) - 1n), (number) => {
        expect(isPublicAddress(toAddress(number, 32))).toBe(!isWithin(number, 32));
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 128n) - 1n), (number) => {
        expect(isPublicAddress(toAddress(number, 128))).toBe(
          number >> 125n === 1n && !isWithin(number, 128),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2a00:1450:4007:80e::200e',
    '2001:200::1',
    '2003::',
    '3ffe::1',
  ])('S4 allows %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    'fd00:ec2::254',
    'FE80::1',
    '168.63.129.16',
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '255.255.255.255',
    '0.0.0.0',
    '::',
  ])('S4 denies %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    'fe80::1%eth0',
    '2606:4700::1%1',
    '2606:4700::1%',
    '::1%lo',
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
  ])('S4 denies %j, which is no address, or one with a zone', (text) => {
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
