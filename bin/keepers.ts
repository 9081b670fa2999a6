// What each process does by itself, again and again.

import { tendAccessDays } from './access-days';
import { startArchiveKeeper } from './archive-keeper';
import { tendAttemptMonths } from './attempt-months';
import { startExpirySweeper } from './expiry-sweeper';
import { startLedgerSealer } from './ledger-sealer';
import type { Parts } from './parts';
import type { Closers, ServiceOptions } from './service';

export function startKeepers(parts: Parts, roles: ServiceOptions['roles'], closers: Closers): void {
  const { config, db, log, metrics } = parts;
  const keepers = [
    tendAccessDays({
      ...{ db, log, days: config.access_log_days },
      identity_data_days: config.identity_checks.data_days,
    }),
    ...startGrowthKeepers(parts, roles),
    startLedgerSealer({ db, log, metrics }),
    startExpirySweeper({ ...parts, pay_url_base: config.pay_url_base }),
  ];
  for (const keeper of keepers) closers.push(() => keeper.stop());
}

/** Workers drop and archive: they are given the folder of archives, and API processes need not be. */
function startGrowthKeepers(
  { config, patient_db: db, log }: Parts,
  { webhooks }: ServiceOptions['roles'],
) {
  const { archive_directory: directory } = config;
  const days = webhooks ? config.webhooks.attempt_days : 0;
  const attempt_months = tendAttemptMonths({ db, log, days, archive_directory: directory });
  if (directory === undefined || !webhooks) return [attempt_months];
  return [attempt_months, startArchiveKeeper({ db, log, directory })];
}
