// Transfers as JSON for scripts and as text for people.

import type {
  KeyOutcome,
  OperatorTransfer,
  TransferEntry,
  UnpostedItem,
} from '../db/transfers/operator-transfers';
import type { ReversalRow } from '../db/transfers/reversals';
import { amountJson } from '../domain/money';
import type { CommandResult } from './context';
import { amountText } from './intent-text';
import { table } from './table';
import type { FoundWorkflow } from './temporal';
import { printable } from './terminal';

export interface TransferStory {
  readonly transfer: OperatorTransfer;
  readonly entries: readonly TransferEntry[];
  /** The reversals, oldest first. */
  readonly reversals: readonly ReversalRow[];
  readonly workflow: FoundWorkflow;
}

export function transferResult(story: TransferStory): CommandResult {
  const { transfer, entries, reversals, workflow } = story;
  const { amount_minor, fee_minor, tax_minor, reversed_minor, ...rest } = transfer;
  return {
    json: {
      transfer: {
        ...rest,
        amount: amountJson(amount_minor),
        fee: amountJson(fee_minor),
        tax: amountJson(tax_minor),
        reversed_amount: amountJson(reversed_minor),
      },
      entries: entries.map(({ account, currency, ...entry }) => ({
        account,
        currency,
        amount: amountJson(entry.amount_minor),
        balance_after: amountJson(entry.balance_after_minor),
      })),
      reversals: reversals.map(({ amount_minor: minor, ...reversal }) => ({
        ...reversal,
        amount: amountJson(minor),
      })),
      workflow: { ...workflow },
    },
    text: [
      describeTransfer(transfer),
      describeEntries(entries),
      ...(reversals.length === 0 ? [] : [describeReversals(reversals)]),
      describeWorkflow(workflow),
    ].join('\n\n'),
  };
}

function describeTransfer(transfer: OperatorTransfer): string {
  const { currency, reference, status, from_username, to_username, environment } = transfer;
  const amount = amountText(transfer.amount_minor, currency);
  return [
    `${reference}: ${amount} from ${from_username} to ${to_username} (${environment}), ${status}`,
    '',
    table([
      ['fee', amountText(transfer.fee_minor, currency)],
      ['tax', amountText(transfer.tax_minor, currency)],
      ['reversed', amountText(transfer.reversed_minor, currency)],
      ...(transfer.description === null ? [] : [['description', transfer.description]]),
      ['created_at', transfer.created_at],
      ['idempotency_key', transfer.idempotency_key ?? '-'],
      ...(transfer.batch_id === null ? [] : [['batch_id', transfer.batch_id]]),
      ['request_id', transfer.request_id],
    ]),
  ].join('\n');
}

function describeEntries(entries: readonly TransferEntry[]): string {
  if (entries.length === 0) return 'Nothing was posted: transfers of the sandbox move no money.';
  const rows = entries.map(({ account, currency, amount_minor, balance_after_minor }) => [
    account,
    amountText(amount_minor, currency),
    amountText(balance_after_minor, currency),
  ]);
  return table([['ACCOUNT', 'POSTED', 'BALANCE AFTER IT'], ...rows]);
}

function describeReversals(reversals: readonly ReversalRow[]): string {
  const rows = reversals.map(({ reference, currency, amount_minor, created_at, reason }) => [
    reference,
    amountText(amount_minor, currency),
    created_at,
    printable(reason ?? ''),
  ]);
  return table([['REVERSAL', 'AMOUNT', 'AT', 'REASON'], ...rows]);
}

function describeWorkflow({ id, state, fault, url }: FoundWorkflow): string {
  if (fault === 'unreachable') return 'Temporal cannot be reached.';
  if (id === null) {
    return 'Temporal knows its workflow no more: it keeps closed ones for a time only.';
  }
  return `Workflow ${id}: ${state}${url === null ? '' : `\n${url}`}`;
}

export function refusalResult(outcome: KeyOutcome, other: KeyOutcome | undefined): CommandResult {
  const { environment, http_status, request_id, created_at } = outcome;
  return {
    json: { transfer: null, refusal: { environment, http_status, request_id, created_at } },
    text: [
      `Refused with ${http_status} (${environment}) at ${created_at}, request ${request_id}: nothing was moved.`,
      ...(other ? [`The key was used in ${other.environment} too.`] : []),
    ].join('\n'),
  };
}

export function itemResult(item: UnpostedItem): CommandResult {
  const { batch_id, index, environment, status, refusal } = item;
  const what = status === 'pending' ? 'not posted yet' : `refused: ${refusal}`;
  return {
    json: { transfer: null, item: { ...item } },
    text: `Transfer ${index} of batch ${batch_id} (${environment}), ${what}; nothing was moved. See: batches show ${batch_id}`,
  };
}
