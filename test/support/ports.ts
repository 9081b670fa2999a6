import { pickPort, startOnFreePort } from '../../dev/embedded/ports';

/** Below the ports that the system hands out by itself, so that no client takes it in between. */
export function pickTestPort(): Promise<number> {
  return pickPort(anyTestPort());
}

/** For an embedded server: when another run takes the port first, it is started on another one. */
export function startOnTestPort<Server>(start: (port: number) => Promise<Server>): Promise<Server> {
  return startOnFreePort(anyTestPort(), start);
}

/** One in ten thousand; it may be in use. */
export function anyTestPort(): number {
  return 20_000 + Math.floor(Math.random() * 10_000);
}
