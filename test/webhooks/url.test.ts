import * as fc from 'fast-check';
import { checkWebhookUrl, MAX_URL_LENGTH, type WebhookUrlPolicy } from '../../webhooks/url';

const LIVE: WebhookUrlPolicy = {
  allowed_addresses: [],
  ports: [8443],
  own_hosts: [
    'pay.example.com',
    'API.Example.org.',
    '8.8.8.8',
    '2606:4700::1',
    'zahlen.münchen.de',
  ],
};
const EMBEDDED: WebhookUrlPolicy = {
  allowed_addresses: ['127.0.0.1'],
  ports: [],
  own_hosts: ['127.0.0.1'],
};

function faultOf(text: string, policy = LIVE): string {
  const checked = checkWebhookUrl(text, policy);
  return checked.ok ? `none: ${checked.url}` : checked.fault;
}

describe('checkWebhookUrl', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com:443/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
    ['HTTPS://Hooks.Example.COM/Path', 'https://hooks.example.com/Path'],
    ['  https://hooks.example.com/\n', 'https://hooks.example.com/'],
    ['https://hooks.example.com./a', 'https://hooks.example.com/a'],
    ['https://hooks.example.com/a#', 'https://hooks.example.com/a'],
    ['https://münchen.example/é', 'https://xn--mnchen-3ya.example/%C3%A9'],
    ['https://hooks.example.com/a/../b', 'https://hooks.example.com/b'],
    ['https://a_b.example.com/', 'https://a_b.example.com/'],
    ['https://1.1.1.1/hook', 'https://1.1.1.1/hook'],
    ['https://[2606:4700:4700:0::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://notpay.example.com/', 'https://notpay.example.com/'],
  ])('takes %j as %s', (text, url) => {
    expect(checkWebhookUrl(text, LIVE)).toEqual({ ok: true, url });
    // The stored URL is checked again at each send.
    expect(checkWebhookUrl(url, LIVE)).toEqual({ ok: true, url });
  });

  it.each([
    ['must be complete', ['', 'hooks.example.com', '/hook', 'https://', 'https://ex ample.com']],
    ['must be complete', ['https://1.2.3.4.5/', 'https://[fe80::1%25eth0]/', 'https://a.b:70000/']],
    [
      'begin with https',
      ['http://hooks.example.com/', 'ftp://a.example.com', 'file:///etc/passwd'],
    ],
    ['begin with https', ['data:text/plain,a', 'javascript:alert(1)', 'ws://hooks.example.com/']],
    [
      'user name',
      ['https://user@a.example.com/', 'https://a:b@c.example.com/', 'https://:b@c.de/'],
    ],
    ['fragment', ['https://hooks.example.com/#a', 'https://hooks.example.com/?a#b']],
    ['port must be 443 or 8443', ['https://a.example.com:80/', 'https://a.example.com:22/']],
    ['port must be 443 or 8443', ['https://a.example.com:0/', 'https://1.1.1.1:5432/']],
    ['full name', ['https://intranet/', 'https://postgres/', 'https://com./']],
    ['inner network', ['https://localhost/', 'https://a.localhost/', 'https://LOCALHOST./']],
    ['inner network', ['https://printer.local/', 'https://metadata.google.internal/']],
    ['inner network', ['https://nas.lan/', 'https://a.home.arpa/', 'https://home.arpa./']],
    [
      'DNS can have',
      ['https://a..example.com/', 'https://example.com../', 'https://-a.example.com/'],
    ],
    ['DNS can have', [`https://${'a'.repeat(64)}.com/`, `https://${'a.'.repeat(127)}com/`]],
    [
      'DNS can have',
      ['https://exa$mple.com/', "https://a'b.example.com/", 'https://a.example.com;/'],
    ],
    ['not public', ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[::1]/']],
    ['not public', ['https://[::]/', 'https://0.0.0.0/', 'https://0/', 'https://[fd00::1]/']],
  ])('S1 refuses, saying %j: %j', (fault, texts) => {
    for (const text of texts)
      expect([text, faultOf(text)]).toEqual([text, expect.stringContaining(fault)]);
  });

  it.each([
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '127.0.0.1',
    '127.0.0.1.',
    '0x7f.1',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '017700000001',
    '①②⑦.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ])('S2 judges https://%s/ by the address that it is', (host) => {
    expect(faultOf(`https://${host}/`)).toContain('not public');
    expect(faultOf(`http://${host}/`)).toContain('https');
  });

  it('S5 refuses the names and addresses of this service itself', () => {
    const names = ['pay.example.com:8443', 'PAY.example.com.', 'api.example.org'];
    const addresses = ['8.8.8.8', '0x08080808', '134744072', '[2606:4700:0::0:1]'];
    const unicode = ['zahlen.münchen.de', 'zahlen.xn--mnchen-3ya.de'];
    for (const host of [...names, ...addresses, ...unicode]) {
      const fault = faultOf(`https://${host}/`);
      expect([host, fault]).toEqual([host, 'The URL must not lead to this service itself.']);
    }
  });

  it('takes plain HTTP to a listed literal on any port, and to no name', () => {
    const [one, other] = ['http://127.0.0.1:4000/hook', 'https://127.0.0.1:4000/'];
    for (const url of ['http://127.0.0.1/', one, other]) {
      expect(checkWebhookUrl(url, EMBEDDED)).toEqual({ ok: true, url });
    }
    expect(faultOf('http://127.1:4000', EMBEDDED)).toBe('none: http://127.0.0.1:4000/');
    for (const host of ['0.0.0.0', '127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', 'a.com']) {
      expect(faultOf(`http://${host}:4000/`, EMBEDDED)).toContain('https');
    }
    expect(faultOf('http://u@127.0.0.1/', EMBEDDED)).toContain('user name');
    expect(faultOf('http://127.0.0.1/#a', EMBEDDED)).toContain('fragment');
  });

  it('says to write 127.0.0.1 instead of localhost, where that helps', () => {
    for (const url of ['http://localhost:4000/', 'https://LOCALHOST./', 'http://a.localhost/']) {
      expect(faultOf(url, EMBEDDED)).toContain('127.0.0.1, not as localhost');
      expect(faultOf(url)).not.toContain('127.0.0.1');
    }
  });

  it('takes at most 2,048 characters, written and escaped', () => {
    const start = 'https://hooks.example.com/';
    const longest = start + 'a'.repeat(MAX_URL_LENGTH - start.length);
    expect(faultOf(longest)).toBe(`none: ${longest}`);
    expect(faultOf(`${longest}a`)).toContain('at most 2048');
    // Six characters for one.
    expect(faultOf(start + 'é'.repeat(400))).toContain('at most 2048');
  });

  it('never throws, returns one sentence, and accepts its own result', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.domain()), (text) => {
        const checked = checkWebhookUrl(text, LIVE);
        if (!checked.ok) expect(checked.fault).toMatch(/^The URL.*[.]$/);
        else expect(checkWebhookUrl(checked.url, LIVE)).toEqual(checked);
      }),
      { numRuns: 1_000 },
    );
  });
});
