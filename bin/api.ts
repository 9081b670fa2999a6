// The API with a worker inside, so that the workflows it starts begin in this very process.

import { runService } from './run-service';

void runService({ api: true, webhooks: false });
