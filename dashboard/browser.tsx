// What use cases get to know about a browser and about this installation, and the answer to whoever has
// to wait.

import { networkOf } from '../api/rate-limits/network';
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

export function writingOf({ db, sealer, wakeMail, config }: DashboardDependencies): Writing {
  return { db, sealer, wakeMail, dashboard_url: config.dashboard_url };
}

/** 429: too many attempts. */
export function waitPage({ ctx, language }: Visit, seconds: number): PageAnswer {
  ctx.set('Retry-After', String(seconds));
  return troublePage(language, { kind: 'limit', seconds: String(seconds) });
}
