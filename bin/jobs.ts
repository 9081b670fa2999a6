// The jobs of a process: what it does again and again beside its work. Every process tries each of its jobs; where
// only one may be at it, the database lets one, and the others find nothing to do.

import { followDisputes, takeOwed } from '../activities/disputes';
import { createExpiryJob, endCutOff } from '../activities/expiries';
import { dropOldAttempts, keepBooks } from '../db/archives/keep';
import { ArchiveError } from '../db/archives/manifest';
import { markGoneGateways } from '../db/disputes/disputes';
import { dropAccessDays } from '../db/requests/access-log';
import { purgeIdentityData } from '../db/accounts/identity-checks';
import { issueMonth } from '../db/ledger/fee-invoices';
import { sealLedger } from '../db/ledger/ledger-seals';
import { dropOrigins } from '../db/risk/cases';
import { dropLists } from '../db/risk/lists';
import { openClearingAccounts, resolveBreaks } from '../db/treasury/treasury';
import { purgeSignIn } from '../db/people/login-tokens';
import { ENVIRONMENTS, type Environment } from '../domain/environment';
import { callTemporal } from '../temporal/calls';
import { repairTemporal } from '../temporal/connect';
import { endOfLastMonth, issuerOf } from '../use-cases/fees';
import { expireCases } from '../use-cases/risk/cases';
import { tellNews } from '../use-cases/news';
import { screenAccounts } from '../use-cases/screening/screen';
import type { Parts } from './parts';
import { repeat } from './repeat';
import type { Closers, ServiceOptions } from './service';

interface Job {
  /** The job's name in the log. */
  readonly part: string;
  readonly environment?: Environment;
  readonly turn: (signal: AbortSignal) => Promise<unknown>;
  /** The pause from the end of a turn to the beginning of the next. */
  readonly pause_ms: number;
  /** The same after a turn that failed, as when Postgres is away; pause_ms when left out. */
  readonly retry_ms?: number;
}

/** Each begins at once. */
export function startJobs(parts: Parts, roles: ServiceOptions['roles'], closers: Closers): void {
  const { log } = parts;
  const jobs = jobsOf(parts, roles)
    .filter((job) => job !== false)
    .map(({ part, environment, ...job }) =>
      repeat({
        ...job,
        onError: (error) => {
          const named = environment === undefined ? { part } : { part, environment };
          if (!isAnotherAtIt(error)) log({ ...named, error: String(error) });
        },
      }),
    );
  closers.push(() => Promise.all(jobs.map((job) => job.stop())));
}

const HOURLY = { pause_ms: 60 * 60 * 1_000, retry_ms: 60 * 1_000 };
/** About as long as an entry can be changed unnoticed. A turn costs 0.3 s for 100,000 accounts. */
const SEAL_MS = 60_000;
/** A look costs one statement. */
const EXPIRY_MS = 1_000;
/** The links that it ends are over for minutes or a day already. */
const CUT_OFF_MS = 10_000;
/** A look costs one statement by an index that is nearly always empty. */
const DISPUTES_MS = 1_000;
/** The same. */
const RISK_MS = 1_000;
/** A look costs one statement by an index of what is open. */
const BREAKS_MS = 60_000;
/** A turn looks at all live wallets, as the seals do. */
const NEWS_MS = 30_000;
/** How long payments may stand still when Temporal has lost its data. A turn that finds everything is one call. */
const PREPARATION_MS = 10_000;
/** A process that stops waits for its turn under way, also while Temporal is frozen. */
const PREPARED_WITHIN_MS = 5_000;
/** Rows of each kind in a turn: its statement must stay short, and the next hour goes on. */
const PURGED_AT_ONCE = 10_000;
/** Keys of a list of names in a statement: a tenth of a second. */
const LISTED_AT_ONCE = 10_000;
/** Identity checks in a statement; a turn looks at all: 100 ms, where most are approvals that stand. */
const LOOKED_AT_ONCE = 5_000;

/** Workers drop and archive: they are given the folder of archives, and API processes need not be. */
function jobsOf(parts: Parts, { webhooks: isWorker }: ServiceOptions['roles']): (Job | false)[] {
  const { config, db, patient_db, link, metrics } = parts;
  const { access_log_days, archive_directory, pay_url_base, webhooks } = config;
  const { data_days } = config.identity_checks;
  return [
    {
      part: 'access-days',
      ...HOURLY,
      turn: () => dropAccessDays(db, access_log_days),
    },
    {
      part: 'sign-in-purge',
      ...HOURLY,
      turn: () => purgeSignIn(db, PURGED_AT_ONCE),
    },
    data_days > 0 && {
      part: 'identity-purge',
      ...HOURLY,
      turn: (signal) => purgeIdentityData(db, data_days, LOOKED_AT_ONCE, signal),
    },
    {
      part: 'attempt-months',
      ...HOURLY,
      turn: (signal) =>
        dropOldAttempts(
          patient_db,
          isWorker ? webhooks.attempt_days : 0,
          archive_directory,
          signal,
        ),
    },
    isWorker &&
      archive_directory !== undefined && {
        part: 'archive-keeper',
        ...HOURLY,
        turn: (signal) => keepBooks(patient_db, archive_directory, signal),
      },
    {
      part: 'fee-invoices',
      ...HOURLY,
      turn: (signal) => issueMonth(db, endOfLastMonth(), issuerOf(pay_url_base), signal),
    },
    {
      part: 'ledger-sealer',
      pause_ms: SEAL_MS,
      turn: async (signal) => {
        await sealLedger(db, signal);
        metrics.noteLedgerSealed();
      },
    },
    ...Object.values(parts.gateways)
      .flat()
      .map((gateway) => ({
        part: 'expiries',
        environment: gateway.environment,
        pause_ms: EXPIRY_MS,
        turn: createExpiryJob({ ...parts, pay_url_base }, gateway),
      })),
    {
      part: 'expiries',
      pause_ms: CUT_OFF_MS,
      turn: (signal) => endCutOff({ ...parts, pay_url_base }, signal),
    },
    ...Object.values(parts.gateways)
      .flat()
      .map((gateway) => ({
        part: 'disputes',
        environment: gateway.environment,
        pause_ms: DISPUTES_MS,
        turn: () => followDisputes(parts, gateway),
      })),
    ...ENVIRONMENTS.map((environment) => ({
      part: 'disputes',
      environment,
      ...HOURLY,
      turn: () =>
        markGoneGateways(
          db,
          environment,
          parts.gateways[environment].map(({ name }) => name),
        ),
    })),
    ...ENVIRONMENTS.map((environment) => ({
      part: 'clearing-accounts',
      environment,
      ...HOURLY,
      turn: () =>
        openClearingAccounts(db, environment, [
          ...new Set(
            [...parts.gateways[environment], ...parts.payout_providers[environment]].map(
              ({ name }) => name,
            ),
          ),
        ]),
    })),
    {
      part: 'treasury-breaks',
      pause_ms: BREAKS_MS,
      turn: () => resolveBreaks(db),
    },
    {
      part: 'risk',
      pause_ms: RISK_MS,
      turn: (signal) => expireCases({ ...parts, pay_url_base }, signal),
    },
    {
      part: 'risk-origins',
      ...HOURLY,
      turn: () => dropOrigins(db),
    },
    {
      part: 'risk-screening',
      pause_ms: RISK_MS,
      turn: (signal) => screenAccounts({ ...parts, ...parts.screening, pay_url_base }, signal),
    },
    {
      part: 'risk-lists',
      ...HOURLY,
      turn: async (signal) => {
        while (!signal.aborted && (await dropLists(db, LISTED_AT_ONCE)));
      },
    },
    {
      part: 'owed-disputes',
      pause_ms: DISPUTES_MS,
      turn: (signal) => takeOwed(db, signal),
    },
    // Temporal starts no workflow without our search attributes, and nothing lost is found again
    // without the schedule.
    {
      part: 'temporal-preparation',
      pause_ms: PREPARATION_MS,
      turn: () =>
        callTemporal(link.client, Date.now() + PREPARED_WITHIN_MS, () =>
          repairTemporal(link, config),
        ),
    },
    // Where no mail can leave, a page for developers shows them.
    isWorker &&
      (parts.startMail !== undefined || !config.production) && {
        part: 'news',
        pause_ms: NEWS_MS,
        turn: (signal) => tellNews({ ...parts, dashboard_url: config.dashboard_url }, signal),
      },
  ];
}

/** Another worker writes or has just written an archive; or these are the first minutes of a month. */
function isAnotherAtIt(error: unknown): boolean {
  return (
    error instanceof ArchiveError &&
    ['archive_busy', 'archive_exists', 'month_not_over'].includes(error.code)
  );
}
