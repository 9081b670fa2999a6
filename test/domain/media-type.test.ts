import { isUtf8Type } from '../../domain/media-type';

it.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json ; charset="utf-8"',
  'application/json;\tcharset="UT\\F-8"',
  'application/json;',
  'application/json; ;; ',
  'application/json;charset=utf-8;',
  'application/json;charset=utf8',
  'application/json; utf-8',
  'application/json; charset=US-ASCII',
  'application/json; odata=verbose; IEEE754Compatible=true',
  'application/json; note="; charset=latin1"; charset=utf-8',
  'application/json; note="a \\" charset=latin1"',
  'application/json; charset=utf-8; charset=utf8',
])('%j is JSON in UTF-8', (header) => {
  expect(isUtf8Type(header, 'application/json')).toBe(true);
});

it.each([
  '',
  ';',
  'json',
  '*/*',
  'application/jsonp',
  'application/json-patch+json',
  'application/json, text/plain',
  'application/json charset=utf-8',
  'application/json/x',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json; charset',
  'application/json; charset=""',
  'application/json; charset="latin1"',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; CHARSET=UTF-7',
  'application/json; charset = utf-8',
  'application/json; note="open',
  'application/json; charset=utf-8, text/plain',
  `application/json;${'a;'.repeat(4_000)}=`,
])('%j is not', (header) => {
  expect(isUtf8Type(header, 'application/json')).toBe(false);
});
