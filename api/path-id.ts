// The id in a path. What has not the form of one is answered as an id that nobody has.

import type { ErrorCode } from '../domain/errors';
import { UUID_PATTERN } from '../domain/ids';
import { ApiError } from './api-error';
import type { ApiRequest } from './context';

const UUID = new RegExp(UUID_PATTERN);

/** @throws ApiError with this code */
export function readId({ params }: Pick<ApiRequest, 'params'>, not_found: ErrorCode): string {
  const id = params['id'] ?? '';
  if (!UUID.test(id)) throw new ApiError(not_found);
  return id;
}
