// The API process, with a worker inside so that workflows it starts run here at once (eager start).

import { runService } from './run-service';

void runService({ api: true, webhooks: false });
