import { spawn } from 'node:child_process';

// A log file needs to know that something is still alive, not each second of it.
const LINE_EVERY_SECONDS = 15;

/**
 * Runs a program that may take long: says what it is doing, how long it has been, and, when it
 * fails, what it had to say. With `passthrough` it speaks for itself, to stderr.
 */
export async function run({ message, command, args, cwd, passthrough = false }) {
  const progress = passthrough ? undefined : startProgress(message);
  let output = '';
  try {
    await new Promise((resolve, reject) => {
      const pipes = passthrough ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'];
      const child = spawn(command, args, { cwd, stdio: pipes });
      const collect = (chunk) => (output += chunk.toString('utf8'));
      child.stdout?.on('data', collect);
      child.stderr?.on('data', collect);
      child.once('error', () => reject(new Error(`The program ${command} cannot be started.`)));
      child.once('close', (code) => {
        if (code === 0) return resolve();
        // What passes through has been said already.
        if (passthrough) process.exit(code ?? 1);
        reject(new Error(`${message} failed:\n${output.trim()}`));
      });
    });
  } finally {
    progress?.end();
  }
}

/** On a terminal the seconds run in place; elsewhere a line is written now and then. */
export function startProgress(message) {
  const { stderr } = process;
  const started = Date.now();
  stderr.write(stderr.isTTY ? `${message} …` : `${message} …\n`);
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    if (stderr.isTTY) stderr.write(`\r${message} … ${seconds} s`);
    else if (seconds % LINE_EVERY_SECONDS === 0) stderr.write(`${message} … ${seconds} s\n`);
  }, 1000);
  return {
    end() {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\n');
    },
  };
}
