// Puts the message and the stack of a failure into a payload, which the codec then encrypts. Loaded
// by Temporal's SDK, by its path and this name.

import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
