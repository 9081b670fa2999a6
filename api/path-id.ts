// The id in a path. A text that is no UUID gets the same 404 as an unknown id.

import type { ErrorCode } from '../domain/errors';
import { isUuid } from '../domain/ids';
import { Refusal } from '../domain/refusal';
import type { ApiRequest } from './context';

/** @throws Refusal with this code */
export function readId({ params }: Pick<ApiRequest, 'params'>, not_found: ErrorCode): string {
  const id = params['id'] ?? '';
  if (!isUuid(id)) throw new Refusal(not_found);
  return id;
}
