// Notices when this very process did not run: on a machine that is suspended, or whose
// processes are stopped, every limit passes at once, and a failure says nothing about the service.

const TICK_MS = 250;
/** A busy machine is late by less. */
const STALL_MS = 3_000;

export function watchForStalls(): { stop(): number } {
  let longest = 0;
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    longest = Math.max(longest, now - last - TICK_MS);
    last = now;
  }, TICK_MS);
  return {
    /** The longest stall in ms; 0 when there was none. */
    stop() {
      clearInterval(timer);
      return longest < STALL_MS ? 0 : longest;
    },
  };
}
