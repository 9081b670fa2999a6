// A case as a file, for a financial intelligence unit.

import { listAuditRows } from '../../db/operators/audit';
import { exportCase, findCase, listRelatedCases, type RiskCase } from '../../db/risk/cases';
import { JsonText, renderJson, type JsonValue } from '../../domain/json';
import { amountJson } from '../../domain/money';
import type { Requesting } from '../approvals';

const DECISIONS: readonly string[] = ['risk.release', 'risk.refuse'];
/** Most are one, after a request that another operator rejected. */
const MOST_ROWS = 1_000;

/** JSON, of which only what begins with `generated_` differs from one time to the next. Undefined: there is no such case. */
export async function renderCase(
  { db, actor }: Requesting,
  reference: string,
): Promise<string | undefined> {
  const [found, parts] = [
    await findCase(db, reference),
    await exportCase(db, reference, actor),
  ] as const;
  if (!found || !parts) return undefined;
  const [related, rows] = await Promise.all([
    listRelatedCases(db, reference),
    listAuditRows(db, { subject: `risk/${reference}` }, MOST_ROWS),
  ]);
  const json = (text: string | null): JsonValue => (text === null ? null : new JsonText(text));
  const { provider = null, screening = null } = found.asked;
  return renderJson({
    format: 'risk-case/1',
    generated_at: new Date().toISOString(),
    generated_by: actor,
    case: presentCase(found),
    subject: json(parts.subject),
    account: json(parts.account),
    counterparty: json(parts.counterparty),
    transactions: json(parts.transactions),
    related_cases: related.map(presentCase),
    decisions: rows
      .filter(({ action }) => DECISIONS.includes(action))
      .map(({ at, actor: by, action, details }) => ({ at, actor: by, action, details }))
      .reverse(),
    provider: json(provider && JSON.stringify(provider)),
    screening: json(screening && JSON.stringify(screening)),
  });
}

export function presentCase(one: RiskCase): Record<string, JsonValue> {
  const { reference, decision, status, subject_type, subject, environment, username } = one;
  return {
    reference,
    decision,
    status,
    subject: { type: subject_type, reference: subject },
    environment,
    username,
    counterparty: one.counterparty,
    currency: one.currency,
    // An account's case has none.
    amount: one.amount_minor === null ? null : amountJson(one.amount_minor),
    reasons: one.reasons.map(({ source, name, detail }) => ({ source, name, detail })),
    created_at: one.created_at,
    expires_at: one.expires_at,
    decided_at: one.decided_at,
    decided_by: one.decided_by,
    reason: one.reason,
  };
}
