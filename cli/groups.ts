// The first words of the command line. A group's file is loaded when it is called.

import type { CommandUnknownOpts } from '@commander-js/extra-typings';

interface Group {
  readonly summary: string;
  readonly load: () => Promise<CommandUnknownOpts>;
}

export const GROUPS: Readonly<Record<string, Group>> = {
  users: {
    summary: 'Create, list, limit, freeze and unfreeze accounts; say who is an operator',
    load: async () => (await import('./commands/users.js')).users,
  },
  kyc: {
    summary: 'List identity checks that wait, and decide about them',
    load: async () => (await import('./commands/kyc.js')).kyc,
  },
  keys: {
    summary: 'Create, list, revoke and rotate API keys',
    load: async () => (await import('./commands/keys.js')).keys,
  },
  wallets: {
    summary: 'What wallets hold; credit one',
    load: async () => (await import('./commands/wallets.js')).wallets,
  },
  transfers: {
    summary: 'What became of a transfer, and what it posted',
    load: async () => (await import('./commands/transfers.js')).transfers,
  },
  batches: {
    summary: 'Order, watch and cancel transfers in bulk',
    load: async () => (await import('./commands/batches.js')).batches,
  },
  fees: {
    summary: 'Show and set the fees of transfers, payments and payouts',
    load: async () => (await import('./commands/fees.js')).fees,
  },
  intents: {
    summary: 'Create, list, show and cancel payment links',
    load: async () => (await import('./commands/intents.js')).intents,
  },
  refunds: {
    summary: 'Give payments back for merchants; list and show refunds',
    load: async () => (await import('./commands/refunds.js')).refunds,
  },
  payouts: {
    summary: 'Pay phones and bank accounts; settle what is in doubt',
    load: async () => (await import('./commands/payouts.js')).payouts,
  },
  gateway: {
    summary: 'Send a notification as the simulated gateway would',
    load: async () => (await import('./commands/gateway.js')).gateway,
  },
  suspense: {
    summary: 'Decide about money that no payment link could take',
    load: async () => (await import('./commands/suspense.js')).suspense,
  },
  losses: {
    summary: 'Settle what gateways gave back beyond the books',
    load: async () => (await import('./commands/losses.js')).losses,
  },
  approvals: {
    summary: 'Decide about what waits for a second operator',
    load: async () => (await import('./commands/approvals.js')).approvals,
  },
  webhooks: {
    summary: 'Manage the webhook endpoints of merchants; send events again',
    load: async () => (await import('./commands/webhooks.js')).webhooks,
  },
  events: {
    summary: 'What happened to payments, with every delivery and attempt',
    load: async () => (await import('./commands/events.js')).events,
  },
  listen: {
    summary: 'Forward new events, signed, to your own receiver until Ctrl-C',
    load: async () => (await import('./commands/listen.js')).listen,
  },
  trigger: {
    summary: 'Make a payment, a refund, a payout or a transfer in the sandbox, and show its event',
    load: async () => (await import('./commands/trigger.js')).trigger,
  },
  sandbox: {
    summary: 'Rehearse a bad day: play a scene in the sandbox, and see what comes of it',
    load: async () => (await import('./commands/sandbox.js')).sandbox,
  },
  workflows: {
    summary: 'Start what Temporal has lost',
    load: async () => (await import('./commands/workflows.js')).workflows,
  },
  ledger: {
    summary: 'Verify the ledger, and list its seals',
    load: async () => (await import('./commands/ledger.js')).ledger,
  },
  reconcile: {
    summary: 'Compare with the gateways, Temporal and itself: now, and what was found before',
    load: async () => (await import('./commands/reconcile.js')).reconcile,
  },
  archive: {
    summary: 'Write months to files that are kept, verify them, and read them back',
    load: async () => (await import('./commands/archive.js')).archive,
  },
  audit: {
    summary: 'What operators did: listed and verified',
    load: async () => (await import('./commands/audit.js')).audit,
  },
};
