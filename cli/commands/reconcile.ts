// Reconciliations: begun now, listed, and shown with their findings.

import {
  findReconciliation,
  listFindings,
  listReconciliations,
  type CheckResult,
  type Reconciliation,
  type StoredFinding,
} from '../../db/reconciliation/reconciliations';
import { reconciliationWorkflowId } from '../../domain/ids';
import type { JsonValue } from '../../domain/json';
import { KEPT_FINDINGS, needsAttention, RECONCILIATION_CHECKS } from '../../domain/reconciliation';
import { reconcileNow } from '../../use-cases/reconciliations';
import { command, group, run } from '../command';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { cursorOption, limitOption, readSince } from '../options';
import { listedPage } from '../page';
import { table } from '../table';
import { printable } from '../terminal';
import { withTemporal } from '../temporal';

function endText({ ended_at, is_broken_off }: Reconciliation): string {
  return is_broken_off ? 'broken off' : (ended_at ?? 'runs');
}

function checkText(check: CheckResult | undefined): string {
  if (check === undefined) return '-';
  const { status, found, repaired } = check;
  if (found === 0n) return status;
  return `${status}: ${String(found)}${repaired > 0n ? `, ${String(repaired)} repaired` : ''}`;
}

function readId(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new CommandError('usage', '<id> must be a number that reconcile list printed');
}

async function showOne({ db }: Pick<CommandContext, 'db'>, id: bigint): Promise<CommandResult> {
  const one = await findReconciliation(db, id);
  if (!one) throw new CommandError('not_found', `There is no reconciliation ${String(id)}`);
  const findings = await listFindings(db, id, {
    limit: KEPT_FINDINGS * RECONCILIATION_CHECKS.length,
  });
  const checks = one.checks.map((check) => [
    check.name,
    checkText(check),
    String(check.compared),
    check.checked_from,
    check.checked_to,
    check.detail === null ? '' : printable(check.detail),
  ]);
  const header = ['CHECK', 'RESULT', 'COMPARED', 'FROM', 'TO', 'WHY'];
  const rows = findings.map(({ check, kind, reference, detail, is_repaired }) => [
    check,
    kind,
    printable(reference),
    printable(detail),
    is_repaired ? 'repaired' : '',
  ]);
  const found = rows.length === 0 ? 'Nothing was found.' : table(rows);
  return {
    json: { ...present(one), findings: findings.map(presentFinding) },
    text: `Reconciliation ${String(id)}: ${endText(one)}\n\n${table([header, ...checks])}\n\n${found}`,
    exit_status: one.checks.some(needsAttention) || one.is_broken_off ? 1 : 0,
  };
}

function present({ id, checks, ...one }: Reconciliation): Record<string, JsonValue> {
  return {
    id: Number(id),
    ...one,
    checks: checks.map(({ compared, found, repaired, ...check }) => ({
      ...check,
      compared: Number(compared),
      found: Number(found),
      repaired: Number(repaired),
    })),
  };
}

function presentFinding({ id: _id, ...finding }: StoredFinding): Record<string, JsonValue> {
  return { ...finding };
}

export const reconcile = group([
  command(
    'run',
    'Compare now, wait for the end, and exit with status 1 when something was found or not checked',
  )
    .option('--since <instant>', 'payments and events from then on', readSince)
    .action(
      run(async (context, options) => {
        const { since } = options;
        const { task_queue } = context.config;
        const workflow_id = reconciliationWorkflowId(task_queue);
        const { createReconciliationStarter } = await import('../../temporal/reconciliations.js');
        const id = await withTemporal(context, async (client) => {
          const { db, actor } = context;
          const startReconciliation = createReconciliationStarter(client, task_queue);
          const order = since === undefined ? {} : { since };
          const reconciling = { db, actor, task_queue, startReconciliation };
          const handle = await reconcileNow(reconciling, order);
          if (!handle)
            throw new CommandError(
              'already_runs',
              'A reconciliation runs already: see reconcile list',
            );
          context.note(`Compares now: ${workflow_id}`);
          const result = (await handle.result()) as { readonly id: string };
          return BigInt(result.id);
        });
        return showOne(context, id);
      }),
    ),
  command('list', 'List reconciliations with their results, newest first')
    .addOption(limitOption)
    .addOption(cursorOption)
    .action(
      run(async ({ db }, options) => {
        const { limit, cursor: before } = options;
        const found = await listReconciliations(db, { before, limit: limit + 1 });
        const { rows: page, next_cursor, more } = listedPage(found, limit, ({ id }) => String(id));
        const rows = page.map((one) => [
          String(one.id),
          one.started_at,
          endText(one),
          ...RECONCILIATION_CHECKS.map((name) =>
            checkText(one.checks.find((check) => check.name === name)),
          ),
        ]);
        const header = ['ID', 'STARTED', 'ENDED', ...RECONCILIATION_CHECKS];
        return {
          json: { reconciliations: page.map(present), next_cursor },
          text: page.length === 0 ? 'Nothing was reconciled yet.' : table([header, ...rows]) + more,
        };
      }),
    ),
  command('show', 'Show what a reconciliation compared and found; if anything, exit with status 1')
    .argument('<id>', 'its number', readId)
    .action(run((context, id) => showOne(context, id))),
]);
