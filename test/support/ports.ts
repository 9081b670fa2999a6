import { pickPort, startOnFreePort } from '../../dev/embedded/ports';

/**
 * Picks below the ports that the system hands out by itself: no client takes it first, and Temporal's database, whose
 * ports are smallints, takes it.
 */
export async function pickTestPort(): Promise<number> {
  for (;;) {
    const port = anyTestPort();
    if ((await pickPort(port)) === port) return port;
  }
}

/** Starts an embedded server, and again on another port when another run takes the first one. */
export function startOnTestPort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  return startOnFreePort(anyTestPort(), start);
}

// Each worker of Jest has a thousand ports and hands out one after the other: a server that listens a second
// after its port was picked finds it taken by no other test.
const PORTS_EACH = 1_000;
const first = 20_000 + (Number(process.env['JEST_WORKER_ID'] ?? 0) % 10) * PORTS_EACH;
let next = Math.floor(Math.random() * PORTS_EACH);

/** It may be in use by another program. */
export function anyTestPort(): number {
  next = (next + 1) % PORTS_EACH;
  return first + next;
}
