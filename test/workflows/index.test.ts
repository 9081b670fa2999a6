import * as workflows from '../../workflows/index';
import { WORKFLOW_TYPES } from '../../workflows/messages';

// The service starts workflows by these names, and the worker's bundle finds them by their exports.
it('exports exactly the workflow types that are started, under their names', () => {
  expect(Object.keys(workflows).sort()).toEqual(Object.values(WORKFLOW_TYPES).sort());
  expect(Object.keys(WORKFLOW_TYPES)).toEqual(Object.values(WORKFLOW_TYPES));
});
