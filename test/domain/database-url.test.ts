import { hasSoundHosts, hostUrls, roleOf, targetOf } from '../../domain/database-url';

const SEVERAL =
  'postgres://app%40x:p,w@a:5432,[::1]:5433,c/db?sslmode=verify-full&sslrootcert=%2Fca&target_session_attrs=read-write';

it('gives each host the role, the database and the parameters of the address', () => {
  const rest = '/db?sslmode=verify-full&sslrootcert=%2Fca&target_session_attrs=read-write';
  expect(hostUrls(SEVERAL)).toEqual(
    ['a:5432', '[::1]:5433', 'c'].map((host) => `postgres://app%40x:p,w@${host}${rest}`),
  );
  expect(roleOf(SEVERAL)).toBe('app@x');
  expect(targetOf(SEVERAL)).toBe('read-write');
});

it.each(['postgres://u:a,b@h/d', 'postgresql:///d?host=/tmp', 'postgres://h/a,b?x=1,2'])(
  'leaves %s with one host as it is',
  (url) => {
    expect([hostUrls(url), targetOf(url), hasSoundHosts(url)]).toEqual([[url], undefined, true]);
  },
);

it.each([
  'postgres://u@a,,b/d',
  'postgres://u@a:x,b/d',
  'postgres://u@,a/d',
  'postgres://a,b:99999',
])('sees that %s has a host that is none', (url) => expect(hasSoundHosts(url)).toBe(false));
