// The operators' command line as a process.

import { runCli } from '../cli/main';

// The reader of a pipe has closed it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

void runCli(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
