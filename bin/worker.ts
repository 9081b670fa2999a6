// The worker process: runs workflows and activities, and delivers webhooks.

import { runService } from './run-service';

void runService({ api: false, webhooks: true });
