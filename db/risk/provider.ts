// The provider that is asked about orders: its setting, and its questions. It is set by db/operators/settings.ts.

import type { AskedOrder } from '../../domain/risk';
import { columns, type RowOf } from '../columns';
import { call, execute, type Db } from '../connect';

const SHOWN = columns(
  'risk_provider p: url watches deadline_ms on_silence environment sealed_secret',
);
export type RiskProvider = RowOf<typeof SHOWN>;

/** Undefined: none is asked. */
export async function findProvider(db: Db): Promise<RiskProvider | undefined> {
  const text = `select ${SHOWN} from risk_provider p`;
  return (await execute<RiskProvider>(db, { name: 'find_risk_provider', text }, []))[0];
}

/** Its secret is sealed with this context. */
export const SECRET_CONTEXT = 'risk_provider';

export interface AskedProvider extends Pick<
  RiskProvider,
  'url' | 'deadline_ms' | 'on_silence' | 'sealed_secret'
> {
  /** Another one after each change. */
  readonly set_at: string;
  /** The text that is sent. */
  readonly body: string;
}

/** Undefined when it is not asked about such orders. */
export async function findQuestion(db: Db, order: AskedOrder): Promise<AskedProvider | undefined> {
  return (await call<AskedProvider>(db.lookUps, 'risk_question', [JSON.stringify(order)]))[0];
}
