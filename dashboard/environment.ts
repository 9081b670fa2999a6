// The switch between live and sandbox, and between the accounts of a person.

import { showInSession } from '../db/people/sessions';
import { parseEnvironment } from '../domain/environment';
import {
  formRoute,
  seeOther,
  type Answer,
  type DashboardDependencies,
  type SignedInVisit,
} from './context';
import { BASE_PATH } from './frame';
import { safeNext } from './next';
import { troublePage } from './trouble';

async function switchEnvironment(
  { db }: DashboardDependencies,
  { form, language, session }: SignedInVisit,
): Promise<Answer> {
  const environment = parseEnvironment(form.get('environment') ?? '');
  const user_id = session.account?.user_id;
  if (environment === undefined || user_id === undefined) {
    return troublePage(language, { kind: 'unknown' });
  }
  await showInSession(db, session.id, user_id, environment);
  // An object of one environment does not exist in the other; its list does.
  const path = (form.get('path') ?? '').replace(BASE_PATH, '').replace(/\?.*$/, '');
  const [, section = ''] = path.split('/');
  return seeOther(safeNext(`/${section}`));
}

export const ENVIRONMENT_ROUTES = [formRoute('/environment', 'signed_in', null, switchEnvironment)];
