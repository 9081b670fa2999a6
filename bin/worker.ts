// A worker alone: takes over what other processes left behind.

import { runService } from './process';

void runService({ api: false });
