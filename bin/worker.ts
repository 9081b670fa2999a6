// A worker alone: takes over what other processes left behind.

import { runService } from './run-service';

void runService({ api: false, webhooks: true });
