<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

abstract class Resources
{
    public readonly HealthResource $health;
    public readonly StatusResource $status;
    public readonly AccountResource $account;
    public readonly IdempotencyKeysResource $idempotencyKeys;
    public readonly WalletsResource $wallets;
    public readonly LimitsResource $limits;
    public readonly TransactionsResource $transactions;
    public readonly StatementsResource $statements;
    public readonly TransfersResource $transfers;
    public readonly TransferBatchesResource $transferBatches;
    public readonly PaymentIntentsResource $paymentIntents;
    public readonly PaymentMethodsResource $paymentMethods;
    public readonly PaymentLinksResource $paymentLinks;
    public readonly RefundsResource $refunds;
    public readonly DisputesResource $disputes;
    public readonly PayoutsResource $payouts;
    public readonly PayoutDestinationsResource $payoutDestinations;
    public readonly PayoutBatchesResource $payoutBatches;
    public readonly FeesResource $fees;
    public readonly FeeInvoicesResource $feeInvoices;
    public readonly WebhookEndpointsResource $webhookEndpoints;
    public readonly WebhookResendsResource $webhookResends;
    public readonly EventsResource $events;
    public readonly WebhookDeliveriesResource $webhookDeliveries;
    public readonly SandboxResource $sandbox;

    public function __construct(Core $core)
    {
        $this->health = new HealthResource($core);
        $this->status = new StatusResource($core);
        $this->account = new AccountResource($core);
        $this->idempotencyKeys = new IdempotencyKeysResource($core);
        $this->wallets = new WalletsResource($core);
        $this->limits = new LimitsResource($core);
        $this->transactions = new TransactionsResource($core);
        $this->statements = new StatementsResource($core);
        $this->transfers = new TransfersResource($core);
        $this->transferBatches = new TransferBatchesResource($core);
        $this->paymentIntents = new PaymentIntentsResource($core);
        $this->paymentMethods = new PaymentMethodsResource($core);
        $this->paymentLinks = new PaymentLinksResource($core);
        $this->refunds = new RefundsResource($core);
        $this->disputes = new DisputesResource($core);
        $this->payouts = new PayoutsResource($core);
        $this->payoutDestinations = new PayoutDestinationsResource($core);
        $this->payoutBatches = new PayoutBatchesResource($core);
        $this->fees = new FeesResource($core);
        $this->feeInvoices = new FeeInvoicesResource($core);
        $this->webhookEndpoints = new WebhookEndpointsResource($core);
        $this->webhookResends = new WebhookResendsResource($core);
        $this->events = new EventsResource($core);
        $this->webhookDeliveries = new WebhookDeliveriesResource($core);
        $this->sandbox = new SandboxResource($core);
    }
}
