// `workflows restart`: for when Temporal has lost its data.

import { startLostWorkflows } from '../../use-cases/lost-workflows';
import { command, group, run } from '../command';
import { withTemporal } from '../temporal';

const workflowsRestart = command(
  'restart',
  'Start the workflows of open payment links again after Temporal has lost its data; what runs is left alone',
).action(
  run(async (context) => {
    const { createIntentStarter } = await import('../../temporal/payment-intents.js');
    const { config, db, note } = context;
    const restarted = await withTemporal(context, (client) =>
      startLostWorkflows({
        db,
        startIntent: createIntentStarter(client, config.task_queue),
        onProgress: ({ open, started }) => note(`${open} open links, ${started} started …`),
      }),
    );
    const { open, started } = restarted;
    return {
      json: { ...restarted },
      text: `${open} payment links are open. ${started} had no workflow and have one now.`,
    };
  }),
);

export const workflows = group([workflowsRestart]);
