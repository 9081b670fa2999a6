// URLs that may be none.

import { parseUrl, parseWebUrl } from '../../domain/url';

it('is read the same however often it was read before', () => {
  // `URL.canParse` of Node 20 refused such an address from about the 4,500th call on.
  const refused: number[] = [];
  for (let call = 0; call < 50_000; call++) {
    if (parseUrl('https://boutique-été.example/merci') === undefined) refused.push(call);
  }
  expect(refused).toEqual([]);
});

it.each([
  '',
  'shop.example',
  '//shop.example',
  'https://',
  'https://[::1',
  'https://shop.example:99999',
])('%j is none', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});

it('of the web has one of two schemes', () => {
  expect(parseWebUrl('HTTPS://Shop.Example')?.href).toBe('https://shop.example/');
  expect(parseWebUrl('http://127.0.0.1:8080/hook')?.port).toBe('8080');
  expect(parseWebUrl('javascript:alert(1)')).toBeUndefined();
  expect(parseWebUrl('ftp://shop.example')).toBeUndefined();
  expect(parseWebUrl('shop.example')).toBeUndefined();
});
