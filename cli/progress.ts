// A line that shows how far something has come, on a terminal and nowhere else.

export interface ProgressBar {
  show(done: number, total: number): void;
  /** What is printed next begins on a line of its own. */
  end(): void;
}

const WIDTH = 40;
const TO_LINE_START = '\r';

/** On standard error: what is piped stays clean. */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
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
