import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectOnce, SLIPS } from './slips';

const ROOT = join(__dirname, '..', '..');

describe('the slips of `npm run mutants`', () => {
  it.each(SLIPS)('can be made: $id', (slip) => {
    expectOnce(slip);
    expect(slip.to).not.toBe(slip.from);
    expect(slip.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('have names of their own', () => {
    const ids = SLIPS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('are refused when the sources have outgrown them', () => {
    const slip = { id: 'X1', file: 'package.json', from: 'what nobody has written' };
    expect(() => expectOnce(slip)).toThrow(
      'X1: “what nobody has written” is 0 times in package.json, and must be there once.',
    );
  });
});
