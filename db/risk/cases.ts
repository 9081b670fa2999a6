// Cases of risk: listed and shown for operators, and ended when their time is over. Operators decide by
// db/operators/settings.ts.

import type { Environment } from '../../domain/environment';
import type { CaseStatus } from '../../domain/risk';
import { columns, type RowOf } from '../columns';
import { call, callValue, execute, type Db } from '../connect';

const SHOWN = columns(`risk_cases c:
  reference decision status subject_type subject environment user_id counterparty currency amount_minor reasons
  asked created_at decided_at decided_by reason`);
const COLUMNS = `${SHOWN}, c.subject_id, u.username, shown_due(c.expires_at, c.clock_seconds) as expires_at`;

export interface RiskCase extends RowOf<typeof SHOWN> {
  readonly username: string;
  /** The id of a payout or an intent. */
  readonly subject_id: string | null;
  /** On the account's clock; null if it was refused at once. */
  readonly expires_at: string | null;
}

export interface CaseQuery {
  readonly status?: CaseStatus | undefined;
  /** The account of either side. */
  readonly user_id?: string | undefined;
  readonly environment?: Environment | undefined;
  /** The reference of the last case of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const LIST = {
  name: 'list_risk_cases',
  text: `select ${COLUMNS} from risk_cases c join users u on u.id = c.user_id
          where ($1::text is null or c.status = $1) and ($2::uuid is null or $2 in (c.user_id, c.recipient_id))
            and ($3::text is null or c.environment = $3)
            and ($4::text is null
                 or (c.created_at, c.reference) < (select x.created_at, x.reference from risk_cases x where x.reference = $4))
          order by c.created_at desc, c.reference desc limit $5`,
};

/** The newest first. */
export function listCases(
  db: Db,
  { status, user_id, environment, after, limit }: CaseQuery,
): Promise<RiskCase[]> {
  const values = [status ?? null, user_id ?? null, environment ?? null, after ?? null, limit];
  return execute<RiskCase>(db, LIST, values);
}

const FIND = {
  name: 'find_risk_case',
  text: `select ${COLUMNS} from risk_cases c join users u on u.id = c.user_id where c.reference = $1`,
};

export async function findCase(db: Db, reference: string): Promise<RiskCase | undefined> {
  return (await execute<RiskCase>(db, FIND, [reference]))[0];
}

const RELATED = {
  name: 'list_related_risk_cases',
  text: `select ${COLUMNS}
           from risk_cases o
           join risk_cases c on c.reference <> o.reference
                -- That of an account is of both environments.
                and coalesce(c.environment = o.environment, true)
                and (c.user_id in (o.user_id, o.recipient_id) or c.recipient_id in (o.user_id, o.recipient_id))
                and c.created_at > o.created_at - interval '90 days'
                and c.created_at <= coalesce(o.decided_at, o.created_at)
           join users u on u.id = c.user_id
          where o.reference = $1 order by c.created_at desc, c.reference limit 1000`,
};

/** Other cases of both sides, of the 90 days before it and until it was decided. The newest first. */
export const listRelatedCases = (db: Db, reference: string): Promise<RiskCase[]> =>
  execute<RiskCase>(db, RELATED, [reference]);

/** The parts of a case's file, JSON each. */
export interface CaseParts {
  /** Null: it was refused at once, and is none. */
  readonly subject: string | null;
  readonly account: string;
  readonly counterparty: string | null;
  readonly transactions: string;
}

/** An operator takes one away: the audit log has it. */
export async function exportCase(
  db: Db,
  reference: string,
  actor: string,
): Promise<CaseParts | undefined> {
  return (await call<CaseParts>(db, 'export_risk_case', [reference, actor]))[0];
}

/** An operator looks at one: the audit log has it. */
export const viewCase = (db: Db, reference: string, actor: string): Promise<void> =>
  callValue(db, 'view_risk_case', [reference, actor]);

/** To be told of a case that is decided: its payout or intent goes on. */
export type DecidedCase = Pick<
  RiskCase,
  'reference' | 'subject_type' | 'subject_id' | 'environment'
>;

/** Holds that are over, the oldest first. */
export const listExpiredCases = (db: Db, most: number): Promise<DecidedCase[]> =>
  call(db, 'list_expired_cases', [most]);

/** `limit_exceeded`: the wallet is too full to take the money back. */
export const expireCase = (
  db: Db,
  reference: string,
  pay_url_base: string,
): Promise<'done' | 'case_decided' | 'limit_exceeded'> =>
  callValue(db, 'expire_risk_case', [reference, pay_url_base]);

/** Orders from and to the account that were held for accounts' cases alone, all of which are released. */
export const listClearedCases = (db: Db, user_id: string, most: number): Promise<DecidedCase[]> =>
  call(db, 'list_cleared_cases', [user_id, most]);

/** A limit or a freeze leaves it held. */
export const releaseClearedCase = (
  db: Db,
  reference: string,
  pay_url_base: string,
): Promise<void> => callValue(db, 'release_cleared_case', [reference, pay_url_base]);

export const dropOrigins = (db: Db): Promise<void> => callValue(db, 'drop_risk_origins', []);
