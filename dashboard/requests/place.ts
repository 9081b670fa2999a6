// A request's place in the log, as addresses have it: `<instant>_<id>`.

import type { LogPlace } from '../../db/requests/access-log';
import { isUuid } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';

export function placeOf(text: string): LogPlace | undefined {
  const [at = '', id = ''] = text.split('_');
  const instant = parseInstant(at);
  return instant !== undefined && isUuid(id) ? { at: instant, id } : undefined;
}

export function placeText({ at, id }: LogPlace): string {
  return `${at}_${id}`;
}
