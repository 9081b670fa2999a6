// The id in a path. A text that is no UUID gets the same 404 as an unknown id.

import type { ErrorCode } from '../domain/errors';
import { isUuid } from '../domain/ids';
import { ApiError } from './api-error';
import type { ApiRequest } from './context';

/** @throws ApiError with this code */
export function readId({ params }: Pick<ApiRequest, 'params'>, not_found: ErrorCode): string {
  const id = params['id'] ?? '';
  if (!isUuid(id)) throw new ApiError(not_found);
  return id;
}
