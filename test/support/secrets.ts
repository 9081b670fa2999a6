// The key of the services that tests start, and what tests sign with it.

import { createWorkflowMessages } from '../../secrets/workflow-messages';

export const TEST_SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

export const testMessages = createWorkflowMessages([TEST_SECRETS_KEY]);
