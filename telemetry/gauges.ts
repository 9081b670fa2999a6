// Figures that a process looks up when it is asked for its metrics: the state of its parts, and what
// only the database knows. A figure that cannot be found out is left out: an old one would look like
// a good one.

import { Gauge, type Registry } from 'prom-client';

export interface GaugeReading {
  readonly gauge: string;
  readonly environment?: string;
  readonly status?: string;
  readonly check?: string;
  readonly kind?: string;
  readonly currency?: string;
  readonly value: number;
}

export interface GaugeSources {
  /** Readings of the database, for all processes; undefined when it cannot be asked. */
  readonly readGauges: () => Promise<
    { readonly age_seconds: number; readonly readings: readonly GaugeReading[] } | undefined
  >;
  /** Whether each part works. */
  readonly findChecks: () => Promise<Readonly<Record<string, 'ok' | 'failed'>>>;
  readonly countConnections: () => Readonly<Record<'used' | 'free' | 'waiting', number>>;
}

/** Help texts by the name in take_readings (db/health/gauges.sql). */
const FROM_DATABASE: Readonly<Record<string, string>> = {
  payment_intents: 'Payment intents that have not ended, by status; counted up to 100,000 each',
  payment_intents_overdue: 'Payment intents that should have ended a minute ago and have not',
  webhook_deliveries_pending: 'Webhook deliveries to be made or tried again, up to 100,000',
  webhook_oldest_pending_seconds: 'Age of the oldest webhook delivery that is pending',
  webhook_endpoints_overdue: 'Endpoints with a delivery due for 30 s that no worker is at',
  suspense_items: 'Payments held until an operator decides, and those being refunded',
  payouts_unfinished: 'Payouts that have not ended, by status or stage; up to 100,000 each',
  payouts_in_doubt:
    'Payouts asked of their provider a day ago, or the days that a bank takes, whose end is not known',
  payouts_contradicted: 'Payouts that were paid after their money was given back, not settled',
  risk_cases_held: 'Orders and payments that wait for a decision about their risk, up to 100,000',
  risk_oldest_hold_seconds: 'Age of the oldest of them: it is refused after 72 hours',
  treasury_breaks: 'Open differences of live settlement files and books, by kind',
  safeguarding_shortfall: 'Live money of customers that is not held, by currency',
  gateway_notifications_waiting: 'Notifications of gateways that are stored and not applied',
  gateway_oldest_notification_seconds: 'Age of the oldest notification that is not applied',
  mails_waiting: 'Mails that are not sent yet',
  transfer_batches_processing: 'Bulk transfers that are not over',
  reconciliation_findings: 'What the last reconciliation has found, by check',
  reconciliation_not_checked:
    '1 for a check that the last reconciliation could not make to its end',
  reconciliation_age_seconds: 'Since a check of the reconciliation last came to its end',
};

const LABELS: Readonly<
  Record<string, readonly ('environment' | 'status' | 'check' | 'kind' | 'currency')[]>
> = {
  payment_intents: ['environment', 'status'],
  suspense_items: ['environment', 'status'],
  payouts_unfinished: ['environment', 'status'],
  payouts_in_doubt: ['environment'],
  payouts_contradicted: ['environment'],
  risk_cases_held: ['environment'],
  risk_oldest_hold_seconds: ['environment'],
  treasury_breaks: ['kind'],
  safeguarding_shortfall: ['currency'],
  reconciliation_findings: ['check'],
  reconciliation_not_checked: ['check'],
  reconciliation_age_seconds: ['check'],
};

/** Adds them to the registry. The function that is returned looks them up; it never throws. */
export function addGauges(registry: Registry, sources: GaugeSources): () => Promise<void> {
  const registers = [registry];
  const ready = new Gauge({
    name: 'payment_api_ready',
    help: '1 for each part that works for this process, as GET /ready finds it',
    labelNames: ['check'],
    registers,
  });
  const connections = new Gauge({
    name: 'payment_api_database_pool_connections',
    help: 'Connections of the pool: used, free, and requests that wait for one',
    labelNames: ['state'],
    registers,
  });
  const age = new Gauge({
    name: 'payment_api_gauges_age_seconds',
    help: 'Age of the figures from the database, which one process reads for all',
    registers,
  });
  const figures = Object.entries(FROM_DATABASE).map(([gauge, help]) => ({
    gauge,
    metric: new Gauge<string>({
      name: `payment_api_${gauge}`,
      help,
      labelNames: LABELS[gauge] ?? [],
      registers,
    }),
  }));
  const showFigures = async (): Promise<void> => {
    const found = await sources.readGauges().catch(() => undefined);
    const mine = (gauge: string): readonly GaugeReading[] =>
      found?.readings.filter((reading) => reading.gauge === gauge) ?? [];
    age.remove();
    if (found) age.set(found.age_seconds);
    for (const { gauge, metric } of figures) {
      metric.reset();
      // One without labels would be 0, which looks like a figure.
      if (LABELS[gauge] === undefined) metric.remove();
      for (const { environment, status, check, kind, currency, value } of mine(gauge)) {
        const labels = { environment, status, check, kind, currency };
        const given = Object.entries(labels).filter(([, word]) => word !== undefined);
        metric.set(Object.fromEntries(given) as Record<string, string>, value);
      }
    }
  };
  return async () => {
    for (const [state, count] of Object.entries(sources.countConnections())) {
      connections.set({ state }, count);
    }
    const [checks] = await Promise.all([sources.findChecks(), showFigures()]);
    for (const [check, state] of Object.entries(checks)) {
      ready.set({ check }, state === 'ok' ? 1 : 0);
    }
  };
}
