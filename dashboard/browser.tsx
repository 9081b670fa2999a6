// Tells use cases about a browser and this installation, and answers a browser that must wait.

import { networkOf } from '../http/network';
import type { Browser } from '../use-cases/sessions';
import type { Writing } from '../use-cases/registration';
import type { DashboardDependencies, PageAnswer, Visit } from './context';
import { getCookie } from './cookies';
import { troublePage } from './trouble';

export function browserOf({ ctx }: Pick<Visit, 'ctx'>): Browser {
  const { ip } = ctx.state;
  const user_agent = ctx.get('User-Agent');
  return { ip, network: networkOf(ip), user_agent, device: getCookie(ctx, 'device') };
}

export function writingOf(dependencies: DashboardDependencies): Writing {
  const { db, operator_db, sealer, wakeMail, config } = dependencies;
  return { db, operator_db, sealer, wakeMail, dashboard_url: config.dashboard_url };
}

/** The answer to too many attempts. */
export function waitPage({ ctx, language }: Visit, seconds: number): PageAnswer {
  ctx.set('Retry-After', String(seconds));
  return troublePage(language, { kind: 'limit', seconds });
}
