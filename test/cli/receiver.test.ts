// The address of a receiver, as developers type it.

import { BLOCKED_PORTS, readReceiver } from '../../cli/options';

const read = readReceiver('forward-to');

it.each([
  ['http://localhost:3000/x', 'http://localhost:3000/x'],
  ['localhost:3000/x?a=b', 'http://localhost:3000/x?a=b'],
  ['LOCALHOST/x', 'http://LOCALHOST/x'],
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['[::1]:3000/x', 'http://[::1]:3000/x'],
  ['https://shop.example/x', 'https://shop.example/x'],
])('takes %s as %s', (text, url) => {
  expect(read(text)).toBe(url);
});

it.each(['shop.example/x', 'localhost.shop.example', 'file:///etc/passwd', 'localhost:99999'])(
  'refuses %s',
  (text) => {
    expect(() => read(text)).toThrow('--forward-to must be an http or https URL');
  },
);

it.each(['localhost:6000', '127.0.0.1:6667/x', 'https://shop.example:10080/x'])(
  'refuses %s, whose port `fetch` does not open',
  (text) => {
    const { port } = new URL(text.includes('://') ? text : `http://${text}`);
    expect(() => read(text)).toThrow(`--forward-to needs another port: ${port} is kept`);
  },
);

it('knows each port that `fetch` does not open', () => {
  const { badPorts } = jest.requireActual<{ readonly badPorts: readonly string[] }>(
    'undici/lib/web/fetch/constants',
  );
  expect([...BLOCKED_PORTS]).toEqual(badPorts);
});
