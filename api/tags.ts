// How the OpenAPI document groups the operations, in the order in which a reader meets them.

export const TAGS = {
  Service: 'Whether the service is up, and whether its parts work.',
  Account: "The key's owner, and the wallets.",
  Transfers:
    'Money sent to another user, by username. It arrives at once; its sender cannot recall it, and its recipient can give it back.',
  'Transfer batches': 'Up to 10,000 transfers in one order, such as wages.',
  Transactions: 'The history of the wallets: every movement of money, newest first.',
  Statements:
    'What a wallet held at the beginning and at the end of a month, and what moved it: for the books.',
  'Payment links':
    'A payment intent is a sum that a customer is asked to pay. Its `pay_url` is the link to give to the customer; its status and the webhooks say what became of it.',
  'Payments by phone':
    'For shops with pages of their own: a customer pays a payment intent by mobile money. The pay page does the same.',
  'Reusable links':
    'A link that any number of customers may pay, for a counter, a table or a product: each payment of it is a payment intent of its own.',
  Refunds:
    'Money of a paid link that goes back to the customer, whole or in parts, as the gateway makes it.',
  Disputes:
    "Payments that a customer's bank takes back (chargebacks): what was taken, what is owed, and who has won.",
  Payouts:
    'Money that leaves a wallet for a phone or a bank account. The fee comes on top of what the recipient gets.',
  'Payout batches':
    'Up to 10,000 payouts in one order, such as wages: their recipients’ names are compared first.',
  Fees: 'The fee of a movement before it is ordered, and the invoices of fees.',
  'Webhook endpoints':
    'The addresses that events are delivered to, and the secrets that sign them.',
  'Webhook deliveries':
    'What was delivered and what was not, with every attempt; anything can be sent again.',
  Events: 'What happened, in order. Whoever reads them after an outage has missed nothing.',
  Sandbox:
    'Bad days to rehearse: the clock, faults on order, money to try with, and the values that mean something. Only test keys may call it.',
  Webhooks:
    'What this service sends to your endpoints: a signed POST with the event. Respond with 2xx within 15 seconds. Whatever else happens, it is tried again for days; the same event may arrive twice, with the same `id`.',
} as const;

export type Tag = keyof typeof TAGS;
