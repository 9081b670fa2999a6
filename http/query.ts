// The query of a request is bounded before anything reads it.

import type { HttpContext } from './context';
import { HttpError } from './http-error';

/** A list with all of its filters has a third of it. */
const MOST = { characters: 4_096, parameters: 100 };

/** @throws HttpError malformed_request */
export function checkQuery({ querystring }: Pick<HttpContext, 'querystring'>): void {
  const isTooLong = querystring.length > MOST.characters;
  if (!isTooLong && querystring.split('&').length <= MOST.parameters) return;
  throw new HttpError('malformed_request', {
    message: `The query is too long: send at most ${MOST.parameters} parameters in ${MOST.characters} characters.`,
  });
}
