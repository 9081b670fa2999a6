import { pickPort } from '../../embedded/ports';

/** Below the ports that the system hands out by itself, so that no client takes it in between. */
export function pickTestPort(): Promise<number> {
  return pickPort(20_000 + Math.floor(Math.random() * 10_000));
}
