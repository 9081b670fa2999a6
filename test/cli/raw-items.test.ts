import { rawItems } from '../../cli/raw-items';

it.each([
  ['{"ok":true,"events":[],"has_more":false}', []],
  ['{"ok":true}', []],
  [
    '{"ok":true,"events":[{"a":5000.00},{"b":{"c":[{"d":1}]}}],"more":[{"e":1}]}',
    ['{"a":5000.00}', '{"b":{"c":[{"d":1}]}}'],
  ],
  [
    '{"events":[{"text":"a \\"brace\\" }]\\\\"},{"x":"{["}]}',
    ['{"text":"a \\"brace\\" }]\\\\"}', '{"x":"{["}'],
  ],
])('finds the items of %s as they stand', (json, items) => {
  expect(rawItems(json, 'events')).toEqual(items);
});
