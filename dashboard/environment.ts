// The switch between live and sandbox, and between the accounts of a person.

import { showInSession } from '../db/people/sessions';
import { parseEnvironment } from '../domain/environment';
import { formRoute, seeOther } from './context';
import { BASE_PATH } from './frame';
import { safeNext } from './next';

export const ENVIRONMENT_ROUTES = [
  formRoute('/environment', 'signed_in', null, async ({ db }, { form, session }) => {
    const environment = parseEnvironment(form.get('environment') ?? '');
    const user_id = session.account?.user_id;
    if (environment === undefined || user_id === undefined) {
      return undefined;
    }
    await showInSession(db, session.id, user_id, environment);
    // An object of one environment does not exist in the other; its list does.
    const path = (form.get('path') ?? '').replace(BASE_PATH, '').replace(/\?.*$/, '');
    const [, section = ''] = path.split('/');
    return seeOther(safeNext(`/${section}`));
  }),
];
