// Which language a reader gets: asked for, else the browser's, else English.

import { isLanguage, LANGUAGES, type Language } from '../domain/language';
import { parameterOf } from './query';

interface Asking {
  readonly querystring: string;
  /** Koa's: the best of these by `Accept-Language`. */
  acceptsLanguages(...languages: string[]): string | false | string[];
}

/** `known` is what the reader chose before; `?lang=fr` wins over it. */
export function pickLanguage(request: Asking, known?: string | null): Language {
  const asked = parameterOf(request, 'lang');
  if (isLanguage(asked)) return asked;
  if (isLanguage(known)) return known;
  const best = request.acceptsLanguages(...LANGUAGES);
  return isLanguage(best) ? best : 'en';
}
