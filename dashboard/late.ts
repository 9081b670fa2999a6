// A form that comes too late: its session has ended, or another one has begun in this browser. Nothing is carried out.
// The person signs in and is back at the page, which is filled in as it was sent; only a file has to be chosen again.

import { showInSession } from '../db/people/sessions';
import { parseEnvironment } from '../domain/environment';
import { parseUrl } from '../domain/url';
import { isUuid } from '../domain/ids';
import { seeOther, type Answer, type DashboardDependencies, type Visit } from './context';
import { PAGE_FIELD, SHOWN_FIELD, shownOf } from './forms';
import { BASE_PATH } from './frame';
import { KEPT_PARAM, keepFields, type Kept } from './kept';
import { safeNext } from './next';
import { pathHere, pathWith } from './paths';
import { WORDS } from './words';

type LateDependencies = Pick<DashboardDependencies, 'db' | 'sealer'>;

/** More than a path of ours has with all that it keeps. */
const LONGEST_PAGE = 6_000;
const LONGEST_SHOWN = 60;

/** The page to come back to. Undefined when no page of ours has sent the form: another site must fill in nothing. */
export function pageOfLate(
  dependencies: LateDependencies,
  { ctx, form }: Visit,
): string | undefined {
  const page = pageBefore({ ctx, form });
  if (page === undefined) return undefined;
  const late = (form.get(SHOWN_FIELD) ?? '').slice(0, LONGEST_SHOWN);
  return keepFields(dependencies, ctx, page, { fields: [...form], late });
}

/** The page in which a form was filled in; undefined when it is none of ours. */
export function pageBefore({ ctx, form }: Pick<Visit, 'ctx' | 'form'>): string | undefined {
  const { host, pathname = '', search } = parseUrl(ctx.get('Referer')) ?? {};
  if (host !== ctx.host || !pathname.startsWith(BASE_PATH)) return undefined;
  const page = safeNext(form.get(PAGE_FIELD) ?? pathname.slice(BASE_PATH.length) + search);
  return page.length > LONGEST_PAGE ? undefined : page;
}

/** After signing in: shows the account and environment of the form, says what has happened, and leads on to its page. */
export async function comeBack(
  dependencies: LateDependencies,
  { ctx, session, language }: Visit,
  { fields, late }: Kept,
): Promise<Answer | undefined> {
  if (late === undefined || !session || session.second_factor === 'awaited') return undefined;
  const here = pathWith(pathHere(ctx), { [KEPT_PARAM]: null });
  if (late !== '' && late !== shownOf(session)) {
    const [user_id = '', name = ''] = late.split('/');
    const environment = parseEnvironment(name);
    const isShown =
      isUuid(user_id) &&
      environment !== undefined &&
      (await showInSession(dependencies.db, session.id, user_id, environment));
    // It was another person's.
    if (!isShown) return seeOther(here);
  }
  const notice = WORDS[language].was_late;
  return seeOther(keepFields(dependencies, ctx, here, { fields }), {
    flash: { notice, tone: 'quiet' },
  });
}
