import { openDatabaseClock } from '../../db/clock';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase } from '../support/database';
import { waitFor } from '../support/wait';

const TEN_MINUTES_MS = 600_000;

describe('openDatabaseClock', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    "follows Postgres and says so when this machine's clock is wrong by %s ms",
    async (wrong_by_ms) => {
      const { db } = await createTestDatabase();
      const right = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => right() + wrong_by_ms);
      const skews: number[] = [];
      const clock = openDatabaseClock({ db, onSkew: (skew_ms) => skews.push(skew_ms) });
      closeAfterFile(() => clock.close());
      await waitFor(() => skews.length > 0);
      // Nearer to the truth than to the wrong clock, on a machine however slow.
      expect(Math.abs(clock.now() - right())).toBeLessThan(TEN_MINUTES_MS / 2);
      expect(Math.sign(skews[0]!)).toBe(Math.sign(wrong_by_ms));
    },
  );

  it("is this machine's clock while Postgres has not responded", async () => {
    const { db } = await createTestDatabase();
    await db.destroy();
    const clock = openDatabaseClock({ db, onSkew: () => undefined });
    closeAfterFile(() => clock.close());
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(TEN_MINUTES_MS / 2);
  });
});
