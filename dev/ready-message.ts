// `npm start` prints this when everything is running.

import type { Config } from '../config/load';
import type { Demo } from './demo-file';
import type { DemoUser } from './demo-users';

export function readyMessage(
  config: Config,
  { users, webhook_sink, metrics_urls }: Demo & { readonly metrics_urls: readonly string[] },
  demo_file: string,
): string {
  const base = `${config.public_url}/api/public/v1`;
  const [merchant, customer, operator, second] = users as [DemoUser, DemoUser, DemoUser, DemoUser];
  return `
Payment API is ready.

  Dashboard     ${config.dashboard_url} (sign in as ${merchant.username}, password ${merchant.password})
  Operators     ${config.dashboard_url}/operators (sign in as ${operator.username}, password ${operator.password};
                a second one: ${second.username}, password ${second.password})
  API           ${base}
  Docs          ${config.public_url}/docs (and ${config.public_url}/openapi.json)
  Mails         ${config.smtp ? '(sent)' : `${config.dashboard_url}/mails (what would be sent)`}
  Metrics       ${metrics_urls.join(', ') || '(none)'}
  Gateway       ${config.gateway.simulator?.url ?? '(yours)'} (a simulator${(config.gateway.stripe ?? config.gateway.pawapay) ? '' : ', for live payments too'})
  Webhooks      ${webhook_sink.page} (a receiver that shows what arrives)
  Temporal UI   ${config.temporal_ui_url ?? '(yours)'}
  Everything    ${demo_file}

  ${merchant.username.padEnd(12)}  live ${merchant.live_key}
                test ${merchant.test_key}
  ${customer.username.padEnd(12)}  live ${customer.live_key}
                test ${customer.test_key}

Send money:

  curl -s ${base}/transfers \\
    -H 'Authorization: Bearer ${merchant.live_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to_username": "${customer.username}", "currency": "XOF", "amount": 5000}'

Or make a payment link, and open its pay_url:

  curl -s ${base}/payment-intents \\
    -H 'Authorization: Bearer ${merchant.test_key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"amount": 49.90, "currency": "EUR", "description": "Two books"}'

Ctrl-C stops everything; the data stays.`;
}
