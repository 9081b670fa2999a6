import { parseUsage } from '../../cli/command';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };

describe('parseUsage', () => {
  it.each([
    ['users list', 'users list', undefined, {}],
    ['events show ID', 'events show', 'ID', {}],
    ['suspense list [--all]', 'suspense list', undefined, { all: FLAG }],
    [
      'listen --forward-to URL [--after now|N]',
      'listen',
      undefined,
      { 'forward-to': TEXT, after: TEXT },
    ],
    [
      'trigger payment.failed|payment.expired [--key KEY]',
      'trigger',
      'payment.failed|payment.expired',
      { key: TEXT },
    ],
    [
      'hooks rotate-secret --id ID [--not-final] [--code C --message M]',
      'hooks rotate-secret',
      undefined,
      { id: TEXT, 'not-final': FLAG, code: TEXT, message: TEXT },
    ],
  ])('reads name, argument and options of %s', (usage, name, argument, options) => {
    expect(parseUsage(usage)).toEqual({ name, argument, options });
  });
});
