import { pickPort, startOnFreePort } from '../../dev/embedded/ports';

/** Picks below the ports that the system hands out by itself, so that no client takes it first. */
export function pickTestPort(): Promise<number> {
  return pickPort(anyTestPort());
}

/** Starts an embedded server, and again on another port when another run takes the first one. */
export function startOnTestPort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  return startOnFreePort(anyTestPort(), start);
}

/** One in ten thousand; it may be in use. */
export function anyTestPort(): number {
  return 20_000 + Math.floor(Math.random() * 10_000);
}
