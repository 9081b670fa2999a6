<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type BatchedPayout from Models
 * @phpstan-import-type BatchedPayoutList from Models
 * @phpstan-import-type ConfirmPayoutBatchRequest from Models
 * @phpstan-import-type CreatePayoutBatchRequest from Models
 * @phpstan-import-type ListBatchPayoutsParams from Models
 * @phpstan-import-type ListPayoutBatchesParams from Models
 * @phpstan-import-type PayoutBatch from Models
 * @phpstan-import-type PayoutBatchList from Models
 * @phpstan-import-type RejectPayoutBatchRequest from Models
 */
final class PayoutBatchesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Payout batches, newest first. Those of the environment of the key.
     *
     * @param ListPayoutBatchesParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<PayoutBatchList, PayoutBatch>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('payout_batches', 'cursor', '/payout-batches', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Order up to 10,000 payouts. The order is stored, and nothing is reserved: each destination
     * is looked at first, and the batch waits until you confirm it, unless the order does so
     * with `confirm: true`. Then each payout is ordered by itself, in the order given. One that
     * is refused holds up no other. With `dry_run` each payout tells what would become of it.
     * Above the account’s limit its owners approve the batch as a whole. A fault of a single
     * payout refuses all of them, and `param` names it (`payouts/17/amount`). Batches of an
     * account follow one another. The body may have 4 MiB.
     *
     * @param CreatePayoutBatchRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-batches', ['body' => $body, 'headers' => $headers], 'payout_batch', $idempotencyKey);
    }

    /**
     * One payout batch: how far it has come. Ask again while `status` is `processing`.
     *
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/payout-batches/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * The payouts of a batch, in the order given; all of them as CSV. As CSV all of them come as
     * a file. One is `completed` when its payout has succeeded, and `failed` when it failed, was
     * canceled or excluded, or was refused before it became a payout.
     *
     * @param ListBatchPayoutsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<BatchedPayoutList, BatchedPayout>
     */
    public function listPayouts(string $id, array $query = [], array $headers = []): Page
    {
        return $this->core->list('payouts', 'cursor', '/payout-batches/{id}/payouts', ['path' => ['id' => $id], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * The payouts of a batch, in the order given; all of them as CSV, as CSV. As CSV all of them
     * come as a file. One is `completed` when its payout has succeeded, and `failed` when it
     * failed, was canceled or excluded, or was refused before it became a payout.
     *
     * @param ListBatchPayoutsParams $query
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function listPayoutsCsv(string $id, array $query = [], array $headers = []): string
    {
        return $this->core->file('/payout-batches/{id}/payouts', 'text/csv', ['path' => ['id' => $id], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * Confirm a payout batch. Has the batch sent, without the payouts that you exclude by what
     * was found. A second call answers 200 with the batch as it is. One with another `exclude`
     * is refused.
     *
     * @param ConfirmPayoutBatchRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function confirm(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-batches/{id}/confirm', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * Stop what is not ordered yet. A payout that was ordered goes on. A second call answers 200
     * with the batch as it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function cancel(string $id, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-batches/{id}/cancel', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Approve a payout batch. As a whole, by the people who may approve a payout. A second call
     * answers 200 with the batch as it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function approve(string $id, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-batches/{id}/approve', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Reject a payout batch. Instead of an approval: the batch is canceled. A second call
     * answers 200 with the batch as it is.
     *
     * @param RejectPayoutBatchRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return PayoutBatch
     */
    public function reject(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-batches/{id}/reject', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }
}
