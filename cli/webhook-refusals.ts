// The refusals of the use cases of webhook endpoints, in words for operators.

import { MAX_ENDPOINTS } from '../domain/webhook';
import type { Refused, RefusedUrl } from '../use-cases/webhook-endpoints';
import { CommandError } from './error';
import { endpointNotFound } from './lookups';

export function refusal(
  refused: RefusedUrl | Refused<'limit' | 'not_found' | 'disabled'>,
  id = '',
): CommandError {
  switch (refused.error) {
    case 'invalid_url':
      return new CommandError('invalid_url', refused.fault);
    case 'limit':
      return new CommandError(
        'webhook_endpoint_limit',
        `This merchant has reached the limit of ${MAX_ENDPOINTS} webhook endpoints per environment`,
      );
    case 'not_found':
      return endpointNotFound(id);
    case 'disabled':
      return new CommandError(
        'webhook_endpoint_disabled',
        `This webhook endpoint is disabled. To enable it: webhooks update ${id} --status enabled`,
      );
  }
}
