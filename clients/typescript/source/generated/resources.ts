// Written by npm run clients from api/openapi.json.

import type { CallOptions, Core, List, Responded } from '../core.js';
import type {
  AdvanceSandboxClockRequest,
  BatchedPayout,
  BatchedPayoutList,
  BatchedTransfer,
  BatchedTransferList,
  ChangePaymentLinkRequest,
  ChangeWebhookEndpointRequest,
  CheckPayoutDestinationRequest,
  ConfirmPayoutBatchRequest,
  CreatedTransfer,
  CreatedWebhookEndpoint,
  CreatePaymentAttemptRequest,
  CreatePaymentIntentRequest,
  CreatePaymentLinkRequest,
  CreatePayoutBatchRequest,
  CreatePayoutRequest,
  CreateRefundRequest,
  CreateReversalRequest,
  CreateSandboxFaultRequest,
  CreateTransferBatchRequest,
  CreateTransferRequest,
  CreateWebhookEndpointRequest,
  CreateWebhookFaultRequest,
  DeletedWebhookEndpoint,
  DestinationCheck,
  Dispute,
  DisputeList,
  DroppedSandboxFaults,
  Event,
  EventList,
  EventWithDeliveries,
  FeeInvoice,
  FeeInvoiceList,
  FeePreview,
  FundSandboxWalletRequest,
  GetIdempotencyKeyParams,
  GivePaymentOtpRequest,
  Health,
  IdempotencyKey,
  KeyOwner,
  Limits,
  ListBatchPayoutsParams,
  ListBatchTransfersParams,
  ListDisputesParams,
  ListEventsParams,
  ListFeeInvoicesParams,
  ListLinkPaymentsParams,
  ListPaymentIntentRefundsParams,
  ListPaymentIntentsParams,
  ListPaymentLinksParams,
  ListPaymentMethodsParams,
  ListPayoutBatchesParams,
  ListPayoutsParams,
  ListRefundsParams,
  ListStatementsParams,
  ListTransactionsParams,
  ListTransferBatchesParams,
  ListWebhookAttemptsParams,
  ListWebhookDeliveriesParams,
  OrderedSandboxFault,
  OrderedWebhookFault,
  PaymentAttempt,
  PaymentAttempts,
  PaymentIntent,
  PaymentIntentList,
  PaymentIntentTimeline,
  PaymentLink,
  PaymentLinkList,
  PaymentMethods,
  Payout,
  PayoutBatch,
  PayoutBatchList,
  PayoutList,
  PreviewFeeParams,
  Refund,
  RefundList,
  RejectPayoutBatchRequest,
  RejectPayoutRequest,
  ResendEventRequest,
  ResendWebhooksRequest,
  ResentEvent,
  Reversal,
  RotatedWebhookSecret,
  RotateWebhookSecretRequest,
  SandboxClock,
  SandboxClockMove,
  SandboxFaultList,
  SendTestWebhookRequest,
  SentTestEvent,
  ServiceStatus,
  Statement,
  StatementRow,
  StatementRowList,
  TestValues,
  Transaction,
  TransactionList,
  Transfer,
  TransferBatch,
  TransferBatchList,
  WalletList,
  WebhookAttempt,
  WebhookAttemptList,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookFaultList,
  WebhookResend,
} from './models.js';

export class Resources {
  readonly health: HealthResource;
  readonly status: StatusResource;
  readonly account: AccountResource;
  readonly idempotencyKeys: IdempotencyKeysResource;
  readonly wallets: WalletsResource;
  readonly limits: LimitsResource;
  readonly transactions: TransactionsResource;
  readonly statements: StatementsResource;
  readonly transfers: TransfersResource;
  readonly transferBatches: TransferBatchesResource;
  readonly paymentIntents: PaymentIntentsResource;
  readonly paymentMethods: PaymentMethodsResource;
  readonly paymentLinks: PaymentLinksResource;
  readonly refunds: RefundsResource;
  readonly disputes: DisputesResource;
  readonly payouts: PayoutsResource;
  readonly payoutDestinations: PayoutDestinationsResource;
  readonly payoutBatches: PayoutBatchesResource;
  readonly fees: FeesResource;
  readonly feeInvoices: FeeInvoicesResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhookResends: WebhookResendsResource;
  readonly events: EventsResource;
  readonly webhookDeliveries: WebhookDeliveriesResource;
  readonly sandbox: SandboxResource;
  constructor(core: Core) {
    this.health = new HealthResource(core);
    this.status = new StatusResource(core);
    this.account = new AccountResource(core);
    this.idempotencyKeys = new IdempotencyKeysResource(core);
    this.wallets = new WalletsResource(core);
    this.limits = new LimitsResource(core);
    this.transactions = new TransactionsResource(core);
    this.statements = new StatementsResource(core);
    this.transfers = new TransfersResource(core);
    this.transferBatches = new TransferBatchesResource(core);
    this.paymentIntents = new PaymentIntentsResource(core);
    this.paymentMethods = new PaymentMethodsResource(core);
    this.paymentLinks = new PaymentLinksResource(core);
    this.refunds = new RefundsResource(core);
    this.disputes = new DisputesResource(core);
    this.payouts = new PayoutsResource(core);
    this.payoutDestinations = new PayoutDestinationsResource(core);
    this.payoutBatches = new PayoutBatchesResource(core);
    this.fees = new FeesResource(core);
    this.feeInvoices = new FeeInvoicesResource(core);
    this.webhookEndpoints = new WebhookEndpointsResource(core);
    this.webhookResends = new WebhookResendsResource(core);
    this.events = new EventsResource(core);
    this.webhookDeliveries = new WebhookDeliveriesResource(core);
    this.sandbox = new SandboxResource(core);
  }
}

export class HealthResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Whether the service is up. Needs no key and asks neither the database nor Temporal: for
   * load balancers and monitors.
   */
  retrieve(options?: CallOptions): Promise<Responded<Health>> {
    return this.#core.call({ http: 'GET', path: '/health' }, {}, options);
  }
}

export class StatusResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Whether its parts work: operational or degraded. `degraded` when Postgres or Temporal does
   * not work just now. Money is safe meanwhile; writing calls may answer 503. While Postgres
   * cannot be reached at all, this answers 503 as every call with a key does: the key cannot
   * be checked. `GET /ready`, beside this API and without a key, tells which part it is.
   */
  retrieve(options?: CallOptions): Promise<Responded<ServiceStatus>> {
    return this.#core.call({ http: 'GET', path: '/status' }, {}, options);
  }
}

export class AccountResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The key's owner and environment, and what it may do. Use it to see whose key this is,
   * whether it is a test key or a live one, its scopes and when it expires. Any key may ask.
   */
  retrieve(options?: CallOptions): Promise<Responded<KeyOwner>> {
    return this.#core.call({ http: 'GET', path: '/me' }, {}, options);
  }
}

export class IdempotencyKeysResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * What became of a request whose response was lost. Asks without repeating the request. A
   * key without the scope `read` asks about the operations that it may carry out. 404 says
   * that no request with the key has had an effect, and that none that came before this one
   * still can: it takes five seconds, until the last of them would be over or is given up, and
   * for `transfer_batch` half a minute, because a batch may be long in uploading. A request
   * that comes later is a new one.
   */
  retrieve(
    key: string,
    query: GetIdempotencyKeyParams,
    options?: CallOptions,
  ): Promise<Responded<IdempotencyKey>> {
    return this.#core.call(
      { http: 'GET', path: '/idempotency-keys/{key}' },
      { path: { key: key }, query },
      options,
    );
  }
}

export class WalletsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Balances, one wallet per currency. In the environment of the key: sandbox balances are for
   * trying and are worth nothing.
   */
  list(options?: CallOptions): Promise<Responded<WalletList>> {
    return this.#core.call({ http: 'GET', path: '/wallets' }, {}, options);
  }
}

export class LimitsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Limits of the account, and what is left of them. What may come in and go out, and what
   * each wallet may hold, in the environment of the key. Above one of them an order is refused
   * with `limit_exceeded`; a payment waits for the operator of this service.
   */
  retrieve(options?: CallOptions): Promise<Responded<Limits>> {
    return this.#core.call({ http: 'GET', path: '/limits' }, {}, options);
  }
}

export class TransactionsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The history, newest first; all of it as CSV. Pass `next_cursor` as `cursor` to get the
   * next page; `has_more` says whether there is one. Rows that are added meanwhile are neither
   * skipped nor repeated on the pages that follow. As CSV all rows that match come as one
   * file, whatever the `limit`: the columns have the names of the fields, amounts two
   * decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A
   * file that could not be finished breaks off. An account can have two files at a time.
   * Operators may have moved the months before a moment to their archive: a last page and a
   * file then name the moment in the header `History-Since`.
   */
  list(
    query?: ListTransactionsParams,
    options?: CallOptions,
  ): List<Responded<TransactionList>, Transaction> {
    return this.#core.list(
      { http: 'GET', path: '/transactions', items: 'transactions', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * The history, newest first; all of it as CSV, as CSV. Pass `next_cursor` as `cursor` to get
   * the next page; `has_more` says whether there is one. Rows that are added meanwhile are
   * neither skipped nor repeated on the pages that follow. As CSV all rows that match come as
   * one file, whatever the `limit`: the columns have the names of the fields, amounts two
   * decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A
   * file that could not be finished breaks off. An account can have two files at a time.
   * Operators may have moved the months before a moment to their archive: a last page and a
   * file then name the moment in the header `History-Since`.
   */
  listCsv(query?: ListTransactionsParams, options?: CallOptions): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/transactions', accept: 'text/csv' },
      { query },
      options,
    );
  }

  /**
   * One transaction. By its id. Transactions of other users and of the other environment are
   * unknown.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<Transaction>> {
    return this.#core.call(
      { http: 'GET', path: '/transactions/{id}' },
      { path: { id: id } },
      options,
    );
  }
}

export class StatementsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The monthly statements, newest first. One for each wallet and month (of UTC) since the
   * account was made; months that operators have moved to their archive are left out. The
   * running month is there with what it has so far. Each closing balance is the opening
   * balance of the next month.
   */
  list(
    query?: ListStatementsParams,
    options?: CallOptions,
  ): List<Responded<StatementRowList>, StatementRow> {
    return this.#core.list(
      { http: 'GET', path: '/statements', items: 'statements', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * A monthly statement: JSON, CSV or PDF. All that moved the wallet in the month, oldest
   * first; what was simulated moved nothing and is left out. As CSV a file comes with a line
   * for the opening balance, one for each transaction with the balance after it, and one for
   * the closing balance; as PDF a document to print, in French if `Accept-Language` prefers
   * it, which lists 10,000 transactions at most. A response that could not be finished breaks
   * off. An account can have two at a time.
   */
  retrieve(currency: string, month: string, options?: CallOptions): Promise<Responded<Statement>> {
    return this.#core.call(
      { http: 'GET', path: '/statements/{currency}/{month}' },
      { path: { currency: currency, month: month } },
      options,
    );
  }

  /**
   * A monthly statement: JSON, CSV or PDF, as CSV. All that moved the wallet in the month,
   * oldest first; what was simulated moved nothing and is left out. As CSV a file comes with a
   * line for the opening balance, one for each transaction with the balance after it, and one
   * for the closing balance; as PDF a document to print, in French if `Accept-Language`
   * prefers it, which lists 10,000 transactions at most. A response that could not be finished
   * breaks off. An account can have two at a time.
   */
  retrieveCsv(
    currency: string,
    month: string,
    options?: CallOptions,
  ): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/statements/{currency}/{month}', accept: 'text/csv' },
      { path: { currency: currency, month: month } },
      options,
    );
  }

  /**
   * A monthly statement: JSON, CSV or PDF, as PDF. All that moved the wallet in the month,
   * oldest first; what was simulated moved nothing and is left out. As CSV a file comes with a
   * line for the opening balance, one for each transaction with the balance after it, and one
   * for the closing balance; as PDF a document to print, in French if `Accept-Language`
   * prefers it, which lists 10,000 transactions at most. A response that could not be finished
   * breaks off. An account can have two at a time.
   */
  retrievePdf(
    currency: string,
    month: string,
    options?: CallOptions,
  ): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/statements/{currency}/{month}', accept: 'application/pdf' },
      { path: { currency: currency, month: month } },
      options,
    );
  }
}

export class TransfersResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Send money to another user; simulated with a test key. The recipient gets the amount less
   * the fee, at once. The money moves exactly once: repeat a request whose response you did
   * not get with the same `Idempotency-Key`. With a test key the request is checked in the
   * same way and answers `simulated`, and nothing is moved.
   */
  create(body: CreateTransferRequest, options?: CallOptions): Promise<Responded<CreatedTransfer>> {
    return this.#core.call(
      { http: 'POST', path: '/transfers', keyed: 'transfer' },
      { body },
      options,
    );
  }

  /**
   * One transfer, for its sender and its recipient. For its sender and its recipient.
   * `direction` says which of them the key belongs to.
   */
  retrieve(reference: string, options?: CallOptions): Promise<Responded<Transfer>> {
    return this.#core.call(
      { http: 'GET', path: '/transfers/{reference}' },
      { path: { reference: reference } },
      options,
    );
  }

  /**
   * Give a received transfer back, whole or in part. For its recipient. The sender gets the
   * amount at once, from your wallet; the fee of the transfer is not given back. Repeat a
   * request whose response you did not get with the same `Idempotency-Key`: there is one
   * reversal then. With a test key nothing is moved.
   */
  createReversal(
    reference: string,
    body?: CreateReversalRequest,
    options?: CallOptions,
  ): Promise<Responded<Reversal>> {
    return this.#core.call(
      { http: 'POST', path: '/transfers/{reference}/reversals', keyed: 'reversal' },
      { path: { reference: reference }, body },
      options,
    );
  }
}

export class TransferBatchesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /** Transfer batches, newest first. Those of the environment of the key. */
  list(
    query?: ListTransferBatchesParams,
    options?: CallOptions,
  ): List<Responded<TransferBatchList>, TransferBatch> {
    return this.#core.list(
      { http: 'GET', path: '/transfer-batches', items: 'transfer_batches', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * Order up to 10,000 transfers; simulated with a test key. The order is stored, and carried
   * out in the order given while you read its progress. A fault of a single transfer refuses
   * all of them, and `param` names it (`transfers/17/amount`). With `atomic` all, at most 500,
   * are carried out or none; with `dry_run` none is, and each tells what would become of it.
   * Each completed transfer is one like any other. Batches of an account follow one another.
   * The body may have 4 MiB. More usernames that nobody has than an account may name are 429
   * `rate_limited`; `details` names some of them.
   */
  create(
    body: CreateTransferBatchRequest,
    options?: CallOptions,
  ): Promise<Responded<TransferBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/transfer-batches', keyed: 'transfer_batch' },
      { body },
      options,
    );
  }

  /** One transfer batch: how far it has come. Ask again while `status` is `processing`. */
  retrieve(id: string, options?: CallOptions): Promise<Responded<TransferBatch>> {
    return this.#core.call(
      { http: 'GET', path: '/transfer-batches/{id}' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * The transfers of a batch, in the order given; all of them as CSV. As CSV all of them come
   * as a file: index, to_username, currency, amount, status, reference, error_code,
   * error_message. `error` is what a single transfer would have been answered. In an atomic
   * batch that was refused, those that were not the reason have the code `batch_refused`.
   */
  listTransfers(
    id: string,
    query?: ListBatchTransfersParams,
    options?: CallOptions,
  ): List<Responded<BatchedTransferList>, BatchedTransfer> {
    return this.#core.list(
      {
        http: 'GET',
        path: '/transfer-batches/{id}/transfers',
        items: 'transfers',
        cursor: 'cursor',
      },
      { path: { id: id }, query },
      options,
    );
  }

  /**
   * The transfers of a batch, in the order given; all of them as CSV, as CSV. As CSV all of
   * them come as a file: index, to_username, currency, amount, status, reference, error_code,
   * error_message. `error` is what a single transfer would have been answered. In an atomic
   * batch that was refused, those that were not the reason have the code `batch_refused`.
   */
  listTransfersCsv(
    id: string,
    query?: ListBatchTransfersParams,
    options?: CallOptions,
  ): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/transfer-batches/{id}/transfers', accept: 'text/csv' },
      { path: { id: id }, query },
      options,
    );
  }

  /**
   * Stop what is not posted yet; cancelling again changes nothing. What has been completed
   * stays so; what was not begun stays pending.
   */
  cancel(id: string, options?: CallOptions): Promise<Responded<TransferBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/transfer-batches/{id}/cancel' },
      { path: { id: id } },
      options,
    );
  }
}

export class PaymentIntentsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Payment links, newest first. Pass `next_cursor` as `cursor` to get the next page. All
   * filters together narrow the list.
   */
  list(
    query?: ListPaymentIntentsParams,
    options?: CallOptions,
  ): List<Responded<PaymentIntentList>, PaymentIntent> {
    return this.#core.list(
      { http: 'GET', path: '/payment-intents', items: 'payment_intents', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * Make a payment link. Give `pay_url` to the customer, who pays at the gateway. What became
   * of it comes as a webhook, and can be read here. Without an answer, repeat the request with
   * the same `Idempotency-Key`: there is one link then.
   */
  create(
    body: CreatePaymentIntentRequest,
    options?: CallOptions,
  ): Promise<Responded<PaymentIntent>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-intents', keyed: 'payment_intent' },
      { body },
      options,
    );
  }

  /**
   * One payment link, by its id or its short code. `status` is `open` until the customer pays,
   * the link expires or you cancel it. `processing` means that the gateway has the payment and
   * does not know its outcome yet.
   */
  retrieve(idOrCode: string, options?: CallOptions): Promise<Responded<PaymentIntent>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-intents/{id_or_code}' },
      { path: { id_or_code: idOrCode } },
      options,
    );
  }

  /**
   * Cancel an open payment link; cancelling it again changes nothing. Nobody can pay it any
   * more. A link that is paid, failed or expired cannot be cancelled, nor one that is being
   * paid: the gateway has the payment, or a customer is asked on a phone.
   */
  cancel(idOrCode: string, options?: CallOptions): Promise<Responded<PaymentIntent>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-intents/{id_or_code}/cancel' },
      { path: { id_or_code: idOrCode } },
      options,
    );
  }

  /**
   * What happened to a payment link, in order. Creation, what the gateway notified, the
   * posting to the ledger and each delivery of a webhook, oldest first.
   */
  retrieveTimeline(
    idOrCode: string,
    options?: CallOptions,
  ): Promise<Responded<PaymentIntentTimeline>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-intents/{id_or_code}/timeline' },
      { path: { id_or_code: idOrCode } },
      options,
    );
  }

  /** The attempts to pay a payment intent by phone. Newest first, the last hundred. */
  listAttempts(idOrCode: string, options?: CallOptions): Promise<Responded<PaymentAttempts>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-intents/{id_or_code}/attempts' },
      { path: { id_or_code: idOrCode } },
      options,
    );
  }

  /**
   * Ask a phone to pay a payment intent. Show the customer `next_step`, and read the attempt
   * until it has ended; webhooks tell of the payment intent. It answers once the operator was
   * asked. A failed attempt leaves the payment intent open, with `last_payment_error`. A
   * payment intent has one waiting attempt at a time, and a phone is asked five times an hour,
   * and eight times a day without paying. Without an answer, repeat the request with the same
   * `Idempotency-Key`; a new try needs a new key.
   */
  createAttempt(
    idOrCode: string,
    body: CreatePaymentAttemptRequest,
    options?: CallOptions,
  ): Promise<Responded<PaymentAttempt>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-intents/{id_or_code}/attempts', keyed: 'payment_attempt' },
      { path: { id_or_code: idOrCode }, body },
      options,
    );
  }

  /**
   * One attempt to pay by phone. `waiting` until the customer has paid, has declined, or has
   * let the time pass.
   */
  retrieveAttempt(
    idOrCode: string,
    attemptId: string,
    options?: CallOptions,
  ): Promise<Responded<PaymentAttempt>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-intents/{id_or_code}/attempts/{attempt_id}' },
      { path: { id_or_code: idOrCode, attempt_id: attemptId } },
      options,
    );
  }

  /**
   * Give the one-time code that an attempt waits for. It answers with the attempt once the
   * operator was asked. A wrong code fails the attempt: begin a new one.
   */
  giveOtp(
    idOrCode: string,
    attemptId: string,
    body: GivePaymentOtpRequest,
    options?: CallOptions,
  ): Promise<Responded<PaymentAttempt>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-intents/{id_or_code}/attempts/{attempt_id}/otp' },
      { path: { id_or_code: idOrCode, attempt_id: attemptId }, body },
      options,
    );
  }

  /**
   * The refunds of a payment, newest first. Pass `next_cursor` as `cursor` to get the next
   * page.
   */
  listRefunds(
    idOrCode: string,
    query?: ListPaymentIntentRefundsParams,
    options?: CallOptions,
  ): List<Responded<RefundList>, Refund> {
    return this.#core.list(
      {
        http: 'GET',
        path: '/payment-intents/{id_or_code}/refunds',
        items: 'refunds',
        cursor: 'cursor',
      },
      { path: { id_or_code: idOrCode }, query },
      options,
    );
  }
}

export class PaymentMethodsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The operators through which customers pay by phone. As they are now, give or take a
   * quarter of a minute. Propose the one whose `prefixes` the phone has.
   */
  list(
    query?: ListPaymentMethodsParams,
    options?: CallOptions,
  ): Promise<Responded<PaymentMethods>> {
    return this.#core.call({ http: 'GET', path: '/payment-methods' }, { query }, options);
  }
}

export class PaymentLinksResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /** Reusable links, newest first. Pass `next_cursor` as `cursor` to get the next page. */
  list(
    query?: ListPaymentLinksParams,
    options?: CallOptions,
  ): List<Responded<PaymentLinkList>, PaymentLink> {
    return this.#core.list(
      { http: 'GET', path: '/payment-links', items: 'payment_links', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * Make a link that any number of customers may pay. Print `url` as a QR code for a counter
   * or a table, or post it. Each customer who sends the form of the page gets a payment intent
   * with `payment_link_id`, which expires after 30 minutes.
   */
  create(body: CreatePaymentLinkRequest, options?: CallOptions): Promise<Responded<PaymentLink>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-links', keyed: 'payment_link' },
      { body },
      options,
    );
  }

  /**
   * One reusable link, by its id or its code. `payments` and `paid_amount` count what has
   * succeeded.
   */
  retrieve(idOrCode: string, options?: CallOptions): Promise<Responded<PaymentLink>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-links/{id_or_code}' },
      { path: { id_or_code: idOrCode } },
      options,
    );
  }

  /**
   * Change a reusable link, or take it out of use. What is left out stays; null takes it away.
   * The currency, the price and what is asked for never change. A customer who is at the
   * checkout may still pay.
   */
  update(
    idOrCode: string,
    body: ChangePaymentLinkRequest,
    options?: CallOptions,
  ): Promise<Responded<PaymentLink>> {
    return this.#core.call(
      { http: 'PATCH', path: '/payment-links/{id_or_code}' },
      { path: { id_or_code: idOrCode }, body },
      options,
    );
  }

  /**
   * The payments of a reusable link, newest first; all of them as CSV. Payment intents in any
   * status. As CSV all of them come as one file, with a column for each field that the link
   * asks for.
   */
  listPayments(
    idOrCode: string,
    query?: ListLinkPaymentsParams,
    options?: CallOptions,
  ): List<Responded<PaymentIntentList>, PaymentIntent> {
    return this.#core.list(
      {
        http: 'GET',
        path: '/payment-links/{id_or_code}/payments',
        items: 'payment_intents',
        cursor: 'cursor',
      },
      { path: { id_or_code: idOrCode }, query },
      options,
    );
  }

  /**
   * The payments of a reusable link, newest first; all of them as CSV, as CSV. Payment intents
   * in any status. As CSV all of them come as one file, with a column for each field that the
   * link asks for.
   */
  listPaymentsCsv(
    idOrCode: string,
    query?: ListLinkPaymentsParams,
    options?: CallOptions,
  ): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/payment-links/{id_or_code}/payments', accept: 'text/csv' },
      { path: { id_or_code: idOrCode }, query },
      options,
    );
  }
}

export class RefundsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Give back a payment, whole or in part. The money leaves your wallet at once and goes to
   * the customer through the gateway, which may take days: `refund.succeeded` or
   * `refund.failed` says how it ended. What fails comes back to the wallet. The fee of the
   * payment is not given back. A payment has at most 50 refunds; those that failed count.
   * Without an answer, repeat the request with the same `Idempotency-Key`: there is one refund
   * then.
   */
  create(
    idOrCode: string,
    body?: CreateRefundRequest,
    options?: CallOptions,
  ): Promise<Responded<Refund>> {
    return this.#core.call(
      { http: 'POST', path: '/payment-intents/{id_or_code}/refunds', keyed: 'refund' },
      { path: { id_or_code: idOrCode }, body },
      options,
    );
  }

  /**
   * Refunds, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
   * together narrow the list.
   */
  list(query?: ListRefundsParams, options?: CallOptions): List<Responded<RefundList>, Refund> {
    return this.#core.list(
      { http: 'GET', path: '/refunds', items: 'refunds', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * One refund. `status` is `pending` until the gateway has made the refund or failed to;
   * `failure` says why it failed.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<Refund>> {
    return this.#core.call({ http: 'GET', path: '/refunds/{id}' }, { path: { id: id } }, options);
  }
}

export class DisputesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Disputes, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
   * together narrow the list.
   */
  list(query?: ListDisputesParams, options?: CallOptions): List<Responded<DisputeList>, Dispute> {
    return this.#core.list(
      { http: 'GET', path: '/disputes', items: 'disputes', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * One dispute. Its amount leaves your wallet when the customer's bank claims it. `won`
   * brings it back, and what is owed lapses; `lost` takes `fee`, too.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<Dispute>> {
    return this.#core.call({ http: 'GET', path: '/disputes/{id}' }, { path: { id: id } }, options);
  }
}

export class PayoutsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Payouts, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
   * together narrow the list. As CSV all that match come as one file.
   */
  list(query?: ListPayoutsParams, options?: CallOptions): List<Responded<PayoutList>, Payout> {
    return this.#core.list(
      { http: 'GET', path: '/payouts', items: 'payouts', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * Payouts, newest first, as CSV. Pass `next_cursor` as `cursor` to get the next page. All
   * filters together narrow the list. As CSV all that match come as one file.
   */
  listCsv(query?: ListPayoutsParams, options?: CallOptions): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/payouts', accept: 'text/csv' },
      { query },
      options,
    );
  }

  /**
   * Pay a phone or a bank account. The money leaves your wallet at once and is sent in a
   * moment: `payout.succeeded` or `payout.failed` says how it ended, and what fails comes back
   * with its fee. An operator that does not answer makes the payout `unknown`, never `failed`:
   * it is asked until it says. Without an answer, repeat the request with the same
   * `Idempotency-Key`: there is one payout then. A key answers for ever with the first
   * outcome; a new try needs a new key.
   */
  create(body: CreatePayoutRequest, options?: CallOptions): Promise<Responded<Payout>> {
    return this.#core.call({ http: 'POST', path: '/payouts', keyed: 'payout' }, { body }, options);
  }

  /** One payout. `conclusive` says whether its outcome is known. */
  retrieve(idOrReference: string, options?: CallOptions): Promise<Responded<Payout>> {
    return this.#core.call(
      { http: 'GET', path: '/payouts/{id_or_reference}' },
      { path: { id_or_reference: idOrReference } },
      options,
    );
  }

  /**
   * Confirm a payout. Has a payout sent that waits for it, once you have seen the name that
   * was found. A second call answers 200 with the payout as it is.
   */
  confirm(idOrReference: string, options?: CallOptions): Promise<Responded<Payout>> {
    return this.#core.call(
      { http: 'POST', path: '/payouts/{id_or_reference}/confirm' },
      { path: { id_or_reference: idOrReference } },
      options,
    );
  }

  /**
   * Cancel a payout. Before the operator has sent it. The money and the fee come back. A
   * second call answers 200 with the payout as it is.
   */
  cancel(idOrReference: string, options?: CallOptions): Promise<Responded<Payout>> {
    return this.#core.call(
      { http: 'POST', path: '/payouts/{id_or_reference}/cancel' },
      { path: { id_or_reference: idOrReference } },
      options,
    );
  }

  /**
   * Approve a payout. As the person who made your key: an owner of the account, in the sandbox
   * a developer too, and never the person who ordered the payout. A second call answers 200
   * with the payout as it is.
   */
  approve(idOrReference: string, options?: CallOptions): Promise<Responded<Payout>> {
    return this.#core.call(
      { http: 'POST', path: '/payouts/{id_or_reference}/approve' },
      { path: { id_or_reference: idOrReference } },
      options,
    );
  }

  /**
   * Reject a payout. Instead of an approval: the payout is canceled, and the money is back. A
   * second call answers 200 with the payout as it is.
   */
  reject(
    idOrReference: string,
    body?: RejectPayoutRequest,
    options?: CallOptions,
  ): Promise<Responded<Payout>> {
    return this.#core.call(
      { http: 'POST', path: '/payouts/{id_or_reference}/reject' },
      { path: { id_or_reference: idOrReference }, body },
      options,
    );
  }

  /**
   * What happened to a payout, in order. The order, decisions of people, what the operator
   * said, the postings and each delivery of a webhook, oldest first.
   */
  retrieveTimeline(
    idOrReference: string,
    options?: CallOptions,
  ): Promise<Responded<PaymentIntentTimeline>> {
    return this.#core.call(
      { http: 'GET', path: '/payouts/{id_or_reference}/timeline' },
      { path: { id_or_reference: idOrReference } },
      options,
    );
  }
}

export class PayoutDestinationsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Look at a destination. Whether it can be paid, by which operator, whose name it has and
   * what it would cost. Nothing moves. An account may look at a number of destinations that do
   * not exist in an hour.
   */
  check(
    body: CheckPayoutDestinationRequest,
    options?: CallOptions,
  ): Promise<Responded<DestinationCheck>> {
    return this.#core.call({ http: 'POST', path: '/payout-destinations/check' }, { body }, options);
  }
}

export class PayoutBatchesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /** Payout batches, newest first. Those of the environment of the key. */
  list(
    query?: ListPayoutBatchesParams,
    options?: CallOptions,
  ): List<Responded<PayoutBatchList>, PayoutBatch> {
    return this.#core.list(
      { http: 'GET', path: '/payout-batches', items: 'payout_batches', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * Order up to 10,000 payouts. The order is stored, and nothing is reserved: each destination
   * is looked at first, and the batch waits until you confirm it, unless the order does so
   * with `confirm: true`. Then each payout is ordered by itself, in the order given. One that
   * is refused holds up no other. With `dry_run` each payout tells what would become of it.
   * Above the account’s limit its owners approve the batch as a whole. A fault of a single
   * payout refuses all of them, and `param` names it (`payouts/17/amount`). Batches of an
   * account follow one another. The body may have 4 MiB.
   */
  create(body: CreatePayoutBatchRequest, options?: CallOptions): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/payout-batches', keyed: 'payout_batch' },
      { body },
      options,
    );
  }

  /** One payout batch: how far it has come. Ask again while `status` is `processing`. */
  retrieve(id: string, options?: CallOptions): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'GET', path: '/payout-batches/{id}' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * The payouts of a batch, in the order given; all of them as CSV. As CSV all of them come as
   * a file. One is `completed` when its payout has succeeded, and `failed` when it failed, was
   * canceled or excluded, or was refused before it became a payout.
   */
  listPayouts(
    id: string,
    query?: ListBatchPayoutsParams,
    options?: CallOptions,
  ): List<Responded<BatchedPayoutList>, BatchedPayout> {
    return this.#core.list(
      { http: 'GET', path: '/payout-batches/{id}/payouts', items: 'payouts', cursor: 'cursor' },
      { path: { id: id }, query },
      options,
    );
  }

  /**
   * The payouts of a batch, in the order given; all of them as CSV, as CSV. As CSV all of them
   * come as a file. One is `completed` when its payout has succeeded, and `failed` when it
   * failed, was canceled or excluded, or was refused before it became a payout.
   */
  listPayoutsCsv(
    id: string,
    query?: ListBatchPayoutsParams,
    options?: CallOptions,
  ): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/payout-batches/{id}/payouts', accept: 'text/csv' },
      { path: { id: id }, query },
      options,
    );
  }

  /**
   * Confirm a payout batch. Has the batch sent, without the payouts that you exclude by what
   * was found. A second call answers 200 with the batch as it is. One with another `exclude`
   * is refused.
   */
  confirm(
    id: string,
    body?: ConfirmPayoutBatchRequest,
    options?: CallOptions,
  ): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/payout-batches/{id}/confirm' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * Stop what is not ordered yet. A payout that was ordered goes on. A second call answers 200
   * with the batch as it is.
   */
  cancel(id: string, options?: CallOptions): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/payout-batches/{id}/cancel' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * Approve a payout batch. As a whole, by the people who may approve a payout. A second call
   * answers 200 with the batch as it is.
   */
  approve(id: string, options?: CallOptions): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/payout-batches/{id}/approve' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * Reject a payout batch. Instead of an approval: the batch is canceled. A second call
   * answers 200 with the batch as it is.
   */
  reject(
    id: string,
    body?: RejectPayoutBatchRequest,
    options?: CallOptions,
  ): Promise<Responded<PayoutBatch>> {
    return this.#core.call(
      { http: 'POST', path: '/payout-batches/{id}/reject' },
      { path: { id: id }, body },
      options,
    );
  }
}

export class FeesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The fee of a movement before it is ordered. The fee and its tax now: an order is charged
   * the same, unless they have changed between. Of a transfer you are the sender.
   */
  retrieve(query: PreviewFeeParams, options?: CallOptions): Promise<Responded<FeePreview>> {
    return this.#core.call({ http: 'GET', path: '/fees' }, { query }, options);
  }
}

export class FeeInvoicesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Invoices of fees, newest first. One for each currency and month in which the account bore
   * fees; they were taken when they arose. Pass `next_cursor` as `cursor` to get the next
   * page.
   */
  list(
    query?: ListFeeInvoicesParams,
    options?: CallOptions,
  ): List<Responded<FeeInvoiceList>, FeeInvoice> {
    return this.#core.list(
      { http: 'GET', path: '/fee-invoices', items: 'fee_invoices', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /**
   * One invoice: JSON or PDF. It never changes. As PDF a document to print, in French if
   * `Accept-Language` prefers it.
   */
  retrieve(number: string, options?: CallOptions): Promise<Responded<FeeInvoice>> {
    return this.#core.call(
      { http: 'GET', path: '/fee-invoices/{number}' },
      { path: { number: number } },
      options,
    );
  }

  /**
   * One invoice: JSON or PDF, as PDF. It never changes. As PDF a document to print, in French
   * if `Accept-Language` prefers it.
   */
  retrievePdf(number: string, options?: CallOptions): Promise<Responded<Uint8Array>> {
    return this.#core.call(
      { http: 'GET', path: '/fee-invoices/{number}', accept: 'application/pdf' },
      { path: { number: number } },
      options,
    );
  }
}

export class WebhookEndpointsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /** Webhook endpoints, newest first. All on one page: there are never many. */
  list(options?: CallOptions): List<Responded<WebhookEndpointList>, WebhookEndpoint> {
    return this.#core.list(
      { http: 'GET', path: '/webhook-endpoints', items: 'webhook_endpoints' },
      {},
      options,
    );
  }

  /**
   * Have events delivered to an address; answers the secret that signs them, once. Events that
   * happen from now on are delivered to it. Keep the `secret`: it verifies the signatures and
   * is shown this once.
   */
  create(
    body: CreateWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<Responded<CreatedWebhookEndpoint>> {
    return this.#core.call({ http: 'POST', path: '/webhook-endpoints' }, { body }, options);
  }

  /**
   * One webhook endpoint, and how it does. Whether it is enabled, why not, and when it last
   * failed.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<WebhookEndpoint>> {
    return this.#core.call(
      { http: 'GET', path: '/webhook-endpoints/{id}' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * Change what is named; disable it, which holds its deliveries, or enable it again. Only the
   * fields that are given change. What happens while it is disabled is held, and sent once it
   * is enabled again.
   */
  update(
    id: string,
    body: ChangeWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<Responded<WebhookEndpoint>> {
    return this.#core.call(
      { http: 'PATCH', path: '/webhook-endpoints/{id}' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * Delete an endpoint and discard what waits for it. What waits for it is discarded; its past
   * deliveries stay in the lists.
   */
  delete(id: string, options?: CallOptions): Promise<Responded<DeletedWebhookEndpoint>> {
    return this.#core.call(
      { http: 'DELETE', path: '/webhook-endpoints/{id}' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * A new secret; the old one signs beside it until the overlap ends. Give your receiver the
   * new secret during the overlap and let it accept either. With `overlap_seconds` 0 the old
   * one ends at once: for a secret that has leaked.
   */
  rotateSecret(
    id: string,
    body?: RotateWebhookSecretRequest,
    options?: CallOptions,
  ): Promise<Responded<RotatedWebhookSecret>> {
    return this.#core.call(
      { http: 'POST', path: '/webhook-endpoints/{id}/rotate-secret' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * Send a test event to this endpoint alone. The event is marked `test: true`, has the
   * sequence 0, and is signed like any other. Ask for its delivery to see whether it arrived.
   */
  test(
    id: string,
    body?: SendTestWebhookRequest,
    options?: CallOptions,
  ): Promise<Responded<SentTestEvent>> {
    return this.#core.call(
      { http: 'POST', path: '/webhook-endpoints/{id}/test' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * Send again what this endpoint was sent in a stretch of time. For what a receiver has lost:
   * deliveries created in a period, by status and type, are sent again in the background, one
   * resend of an endpoint at a time. The response names the resend, whose progress can be
   * read.
   */
  resend(
    id: string,
    body?: ResendWebhooksRequest,
    options?: CallOptions,
  ): Promise<Responded<WebhookResend>> {
    return this.#core.call(
      { http: 'POST', path: '/webhook-endpoints/{id}/resend' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * The faults that are left for an endpoint's deliveries, in their order. One that is used up
   * is not listed any more.
   */
  listFaults(id: string, options?: CallOptions): Promise<Responded<WebhookFaultList>> {
    return this.#core.call(
      { http: 'GET', path: '/webhook-endpoints/{id}/faults' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * Order a fault for the next deliveries to an endpoint. Each attempt uses up one, in their
   * order; test events, retries and resends are attempts as any other. `duplicate` sends the
   * event twice. `swap` lets it wait for the next event and go after it, or alone after five
   * minutes. `bad-signature` spoils all signatures of the attempt. `late=S` puts it off by S
   * seconds of the clock of the sandbox.
   */
  createFault(
    id: string,
    body: CreateWebhookFaultRequest,
    options?: CallOptions,
  ): Promise<Responded<OrderedWebhookFault>> {
    return this.#core.call(
      { http: 'POST', path: '/webhook-endpoints/{id}/faults' },
      { path: { id: id }, body },
      options,
    );
  }

  /**
   * Delete all faults that are left for an endpoint's deliveries. What was put off already
   * stays so; `resend` sends it at once.
   */
  deleteFaults(id: string, options?: CallOptions): Promise<Responded<DroppedSandboxFaults>> {
    return this.#core.call(
      { http: 'DELETE', path: '/webhook-endpoints/{id}/faults' },
      { path: { id: id } },
      options,
    );
  }
}

export class WebhookResendsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * How far such a resend has come. `queued` grows until the status is `completed`; the
   * deliveries themselves say whether they arrived.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<WebhookResend>> {
    return this.#core.call(
      { http: 'GET', path: '/webhook-resends/{id}' },
      { path: { id: id } },
      options,
    );
  }
}

export class EventsResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Events as they were delivered, in the order in which they happened. From the oldest on:
   * remember the last `sequence` and ask for what comes `after` it. Test events are in no
   * list.
   */
  list(query?: ListEventsParams, options?: CallOptions): List<Responded<EventList>, Event> {
    return this.#core.list(
      { http: 'GET', path: '/events', items: 'events', cursor: 'after' },
      { query },
      options,
    );
  }

  /**
   * One event with its deliveries and their last attempts. With the bytes that were signed,
   * and how each endpoint responded.
   */
  retrieve(id: string, options?: CallOptions): Promise<Responded<EventWithDeliveries>> {
    return this.#core.call({ http: 'GET', path: '/events/{id}' }, { path: { id: id } }, options);
  }

  /**
   * Send an event again, to all endpoints that have it or to the one that is named. It has the
   * same `id` as before, so that a receiver which has it already can tell.
   */
  resend(
    id: string,
    body?: ResendEventRequest,
    options?: CallOptions,
  ): Promise<Responded<ResentEvent>> {
    return this.#core.call(
      { http: 'POST', path: '/events/{id}/resend' },
      { path: { id: id }, body },
      options,
    );
  }
}

export class WebhookDeliveriesResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * Deliveries, newest first. One delivery is one event to one endpoint. Pass `next_cursor` as
   * `cursor` to get the next page.
   */
  list(
    query?: ListWebhookDeliveriesParams,
    options?: CallOptions,
  ): List<Responded<WebhookDeliveryList>, WebhookDelivery> {
    return this.#core.list(
      { http: 'GET', path: '/webhook-deliveries', items: 'webhook_deliveries', cursor: 'cursor' },
      { query },
      options,
    );
  }

  /** One delivery. Its status, how often it was tried, and when it is tried next. */
  retrieve(id: string, options?: CallOptions): Promise<Responded<WebhookDelivery>> {
    return this.#core.call(
      { http: 'GET', path: '/webhook-deliveries/{id}' },
      { path: { id: id } },
      options,
    );
  }

  /**
   * Every attempt at a delivery with what was answered, newest first. With the status and the
   * first 16 KiB of what the receiver responded. Attempts of months long past may no longer be
   * kept: the delivery still counts them.
   */
  listAttempts(
    id: string,
    query?: ListWebhookAttemptsParams,
    options?: CallOptions,
  ): List<Responded<WebhookAttemptList>, WebhookAttempt> {
    return this.#core.list(
      {
        http: 'GET',
        path: '/webhook-deliveries/{id}/attempts',
        items: 'attempts',
        cursor: 'cursor',
      },
      { path: { id: id }, query },
      options,
    );
  }

  /**
   * Send one delivery again, whether it arrived or not. As soon as possible, beside the
   * schedule of retries.
   */
  resend(id: string, options?: CallOptions): Promise<Responded<WebhookDelivery>> {
    return this.#core.call(
      { http: 'POST', path: '/webhook-deliveries/{id}/resend' },
      { path: { id: id } },
      options,
    );
  }
}

export class SandboxResource {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  /**
   * The clock of the sandbox, and what waits for it. An account has one clock in the sandbox.
   * It runs as the time does, and is ahead of it by as much as it was moved. Responses to test
   * keys then carry it in the header `Sandbox-Clock`.
   */
  retrieveClock(options?: CallOptions): Promise<Responded<SandboxClock>> {
    return this.#core.call({ http: 'GET', path: '/sandbox/clock' }, {}, options);
  }

  /**
   * Advance the clock of the sandbox. Exactly one of the fields. What becomes due on the way
   * is done as it would be: links expire, webhooks are sent again and again, payouts come
   * back, approvals lapse. It only moves forward, 400 days in all. What has happened keeps its
   * real time.
   */
  advanceClock(
    body: AdvanceSandboxClockRequest,
    options?: CallOptions,
  ): Promise<Responded<SandboxClockMove>> {
    return this.#core.call({ http: 'POST', path: '/sandbox/clock/advance' }, { body }, options);
  }

  /** The faults that are left, in their order. One that is used up is not listed any more. */
  listFaults(options?: CallOptions): Promise<Responded<SandboxFaultList>> {
    return this.#core.call({ http: 'GET', path: '/sandbox/faults' }, {}, options);
  }

  /**
   * Order a fault for the next requests of an operation. For clients that cannot set the
   * header `Sandbox-Fault`. The faults of an operation are used up in their order, by
   * whichever request of the account comes next with a test key; one with the header uses up
   * none. `in-progress` waits for a request with an `Idempotency-Key`, and answers each key
   * once.
   */
  createFault(
    body: CreateSandboxFaultRequest,
    options?: CallOptions,
  ): Promise<Responded<OrderedSandboxFault>> {
    return this.#core.call({ http: 'POST', path: '/sandbox/faults' }, { body }, options);
  }

  /**
   * Delete all ordered faults. From then on nothing goes wrong on order, except by the header
   * of a request.
   */
  deleteFaults(options?: CallOptions): Promise<Responded<DroppedSandboxFaults>> {
    return this.#core.call({ http: 'DELETE', path: '/sandbox/faults' }, {}, options);
  }

  /**
   * Put money of the sandbox into a wallet. Answers the transaction, of the type `adjustment`.
   * At most 20 times in 24 hours for an account.
   */
  fund(body: FundSandboxWalletRequest, options?: CallOptions): Promise<Responded<Transaction>> {
    return this.#core.call(
      { http: 'POST', path: '/sandbox/fund', keyed: 'sandbox_fund' },
      { body },
      options,
    );
  }

  /**
   * The values that mean something in the sandbox. Phones that are paid and that pay, the
   * buttons and fields of the simulated checkout, and faults; in French with `Accept-Language:
   * fr`.
   */
  listTestValues(options?: CallOptions): Promise<Responded<TestValues>> {
    return this.#core.call({ http: 'GET', path: '/sandbox/test-values' }, {}, options);
  }
}
