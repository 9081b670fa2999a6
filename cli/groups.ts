// The first words of the command line. Each is an export of the file of its name, which is loaded when it is called.

import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** The summaries of the groups. */
export const GROUPS = {
  users: 'Create, list, limit, freeze and unfreeze accounts; say who is an operator',
  kyc: 'List identity checks that wait, and decide about them',
  keys: 'Create, list, revoke and rotate API keys',
  wallets: 'What wallets hold; credit one',
  transfers: 'What became of a transfer, and what it posted',
  batches: 'Order, watch and cancel transfers in bulk',
  tiers: 'Show and set what accounts may hold, receive and send',
  fees: 'Show and set the fees of transfers, payments and payouts',
  intents: 'Create, list, show and cancel payment links',
  refunds: 'Give payments back for merchants; list and show refunds',
  payouts: 'Pay phones and bank accounts; settle what is in doubt',
  gateway: 'Send a notification as the simulated gateway would',
  risk: 'Rules and lists of names that hold or refuse orders, and the cases that wait for a decision',
  suspense: 'Decide about money that no payment link could take',
  losses: 'Settle what gateways gave back beyond the books',
  treasury: 'Banks and providers: what moved, and settlement files compared with the books',
  report: 'What customers have, and what is held for it',
  approvals: 'Decide about what waits for a second operator',
  webhooks: 'Manage the webhook endpoints of merchants; send events again',
  events: 'What happened to payments, with every delivery and attempt',
  listen: 'Forward new events, signed, to your own receiver until Ctrl-C',
  trigger: 'Make a payment, a refund, a payout or a transfer in the sandbox, and show its event',
  sandbox: 'Rehearse a bad day: play a scene in the sandbox, and see what comes of it',
  workflows: 'Start what Temporal has lost',
  ledger: 'Verify the ledger, and list its seals',
  reconcile: 'Compare with the gateways, Temporal and itself: now, and what was found before',
  archive: 'Write months to files that are kept, verify them, and read them back',
  audit: 'What operators did: listed and verified',
} as const;

export type Group = keyof typeof GROUPS;

export async function loadGroup(name: Group): Promise<CommandUnknownOpts> {
  const file = (await import(`./commands/${name}.js`)) as Record<Group, CommandUnknownOpts>;
  return file[name];
}
