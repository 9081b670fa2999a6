import fc from 'fast-check';
import { readBounded } from '../../domain/bounded-body';

const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 });

const lengthOf = (body: readonly Uint8Array[]): number =>
  body.reduce((sum, { length }) => sum + length, 0);

/** Notes how many chunks were asked for, and whether it was ended early. */
function source(body: readonly Uint8Array[]) {
  const seen = { asked: 0, is_ended: false };
  async function* give(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of body) {
        seen.asked += 1;
        yield chunk;
      }
    } finally {
      seen.is_ended = true;
    }
  }
  return { seen, body: give() };
}

describe('readBounded', () => {
  it('returns every chunk of a body that is no longer than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(5), async (body, room) => {
        expect(await readBounded(source(body).body, lengthOf(body) + room)).toEqual(body);
      }),
    );
  });

  it('returns nothing of a longer one, and reads no further than the first byte too many', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.nat(200), async (body, limit) => {
        fc.pre(lengthOf(body) > limit);
        const { seen, body: given } = source(body);
        expect(await readBounded(given, limit)).toBeUndefined();
        expect(lengthOf(body.slice(0, seen.asked - 1))).toBeLessThanOrEqual(limit);
        expect(seen.is_ended).toBe(true);
      }),
    );
  });

  it('throws what the body throws', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(3);
      throw new Error('the caller went away');
    }
    await expect(readBounded(broken(), 10)).rejects.toThrow('the caller went away');
  });
});
