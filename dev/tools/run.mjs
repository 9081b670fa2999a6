import { spawn } from 'node:child_process';

// In a log file an occasional line is enough to show that the work continues.
const LINE_EVERY_SECONDS = 15;

/**
 * Runs a program that may take long: shows what it does, for how long, and its output if it fails. With
 * `passthrough` the program writes to stderr itself.
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
        // With `passthrough` the program has printed its error already.
        if (passthrough) process.exit(code ?? 1);
        reject(new Error(`${message} failed:\n${output.trim()}`));
      });
    });
  } finally {
    progress?.end();
  }
}

/** On a terminal the seconds count in place; elsewhere a line is written now and then. */
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
