#!/usr/bin/env node
// The process of the operators' command line.

import { runCli } from '../cli/main';

// The reader of the pipe, such as `head`, has closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

void runCli(process.argv.slice(2), process);
