import { closestName } from '../../domain/closest';

const KNOWN = ['amount', 'currency', 'description', 'to_username', 'id'];

it.each([
  ['desc', 'description'],
  ['to_user', 'to_username'],
  ['Amount', 'amount'],
  ['amuont', 'amount'],
  ['curency', 'currency'],
])('takes %j for %s', (given, meant) => {
  expect(closestName(given, KNOWN)).toBe(meant);
});

it.each(['x', 'de', 'colour', 'username', ''])('takes %j for none', (given) => {
  expect(closestName(given, KNOWN)).toBeUndefined();
});
