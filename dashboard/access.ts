// Whether the person may have the page that a route declares.

import { mayDo } from '../domain/members';
import {
  seeOther,
  type Access,
  type Answer,
  type DashboardDependencies,
  type Visit,
} from './context';
import { pageOfLate } from './late';
import { pathHere } from './paths';
import { troublePage } from './trouble';

/** Returns undefined when the person may have the page. */
export function refuseAccess(
  visit: Visit,
  access: Access,
  dependencies: DashboardDependencies,
): Answer | undefined {
  const { ctx, language, session } = visit;
  const { config, operator_db } = dependencies;
  if (access === 'anyone') return undefined;
  if (!session) {
    const next = ctx.method === 'GET' ? pathHere(ctx) : (pageOfLate(dependencies, visit) ?? '/');
    return seeOther(`/sign-in?${new URLSearchParams({ next })}`);
  }
  if (session.second_factor === 'awaited') return seeOther('/sign-in/code');
  if (access === 'signed_in') return undefined;
  if (access === 'operator') {
    // Others get the answer of an unknown page: they need not know that it exists.
    const isServed = session.is_operator && operator_db !== undefined;
    if (!isServed) return troublePage(language, { kind: 'unknown' });
    const isEnough = !config.operators_need_second_factor || session.second_factor === 'passed';
    return isEnough ? undefined : troublePage(language, { kind: 'second_factor' });
  }
  const { account, environment } = session;
  if (!account) return troublePage(language, { kind: 'unknown' });
  if (!mayDo(account.role, access, environment))
    return troublePage(language, { kind: 'forbidden' });
  // The database refuses it too; the check here spares the person a form filled in in vain.
  const isUnchecked = environment === 'live' && account.kyc_status !== 'approved';
  return (access === 'money' || access === 'links') && isUnchecked
    ? troublePage(language, { kind: 'identity_check', since: account.kyc_since })
    : undefined;
}
