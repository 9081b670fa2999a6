// Limits of an account as bars, each with its figures in words.

import type { LimitRow } from '../../db/limits/limits';
import type { Language } from '../../domain/language';
import { formatDay, formatMoney } from '../../pages/formats';
import { useFrame } from '../frame';
import { LIMIT_WORDS } from './words';

/** "1,999,000 of 2,000,000 F CFA", and when it begins anew. */
export function limitText(
  language: Language,
  { limit_name, currency, maximum_minor, used_minor, resets_at }: LimitRow,
): string {
  const words = LIMIT_WORDS[language];
  const [used, maximum] = [used_minor, maximum_minor].map((minor) =>
    formatMoney(language, minor, currency),
  ) as [string, string];
  if (limit_name.startsWith('single')) return words.at_most(maximum);
  const text = words.used(used, maximum);
  return resets_at === null
    ? text
    : `${text}, ${words.resets(formatDay(language, resets_at.slice(0, 10)))}`;
}

export function LimitBars({ limits }: { readonly limits: readonly LimitRow[] }) {
  const { language } = useFrame();
  const words = LIMIT_WORDS[language];
  if (limits.length === 0) return null;
  return (
    <>
      <h3>{words.limits}</h3>
      {limits.map((limit) => {
        const { limit_name, maximum_minor, used_minor } = limit;
        const id = `limit-${limit.currency}-${limit_name}`;
        return (
          <p class="limit">
            <span id={id}>{words.names[limit_name]}</span>
            {!limit_name.startsWith('single') && (
              <meter
                min={0}
                max={Number(maximum_minor)}
                value={Number(used_minor < maximum_minor ? used_minor : maximum_minor)}
                aria-labelledby={id}
              />
            )}
            <span class="hint">{limitText(language, limit)}</span>
          </p>
        );
      })}
    </>
  );
}
