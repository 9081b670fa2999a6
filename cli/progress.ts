// A line that shows how far something has come, on a terminal and nowhere else.

import { surroundings } from './surroundings';

export interface ProgressBar {
  show(done: number, total: number): void;
  /** Ends the line, so that the next output begins on its own. */
  end(): void;
}

const WIDTH = 40;
const TO_LINE_START = '\r';

/** The bar is on standard error: what is piped stays clean. */
export function progressBar(stream = surroundings().stderr): ProgressBar {
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined };
  return {
    show(done, total) {
      stream.write(`${TO_LINE_START}${renderProgress(done, total)}`);
    },
    end() {
      stream.write('\n');
    },
  };
}

export function renderProgress(done: number, total: number): string {
  const filled = Math.floor((WIDTH * done) / total);
  const percent = Math.floor((100 * done) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${String(percent).padStart(3)} % ${done}/${total}`;
}
