// `workflows restart`: for when Temporal has lost its data.

import { counted, formatCount } from '../../domain/language';
import { startLostWorkflows } from '../../use-cases/lost-workflows';
import { command, group, run } from '../command';
import { withTemporal } from '../temporal';

export const workflows = group([
  command(
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
          onProgress: ({ open, started }) =>
            note(
              `${counted('en', open, 'open link', 'open links')}, ${formatCount('en', started)} started …`,
            ),
        }),
      );
      const { open, started } = restarted;
      return {
        json: { ...restarted },
        text: `${counted('en', open, 'payment link is', 'payment links are')} open. ${counted('en', started, 'workflow was', 'workflows were')} missing and started.`,
      };
    }),
  ),
]);
