<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type BatchedTransfer from Models
 * @phpstan-import-type BatchedTransferList from Models
 * @phpstan-import-type CreateTransferBatchRequest from Models
 * @phpstan-import-type ListBatchTransfersParams from Models
 * @phpstan-import-type ListTransferBatchesParams from Models
 * @phpstan-import-type TransferBatch from Models
 * @phpstan-import-type TransferBatchList from Models
 */
final class TransferBatchesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Transfer batches, newest first. Those of the environment of the key.
     *
     * @param ListTransferBatchesParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<TransferBatchList, TransferBatch>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('transfer_batches', 'cursor', '/transfer-batches', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Order up to 10,000 transfers; simulated with a test key. The order is stored, and carried
     * out in the order given while you read its progress. A fault of a single transfer refuses
     * all of them, and `param` names it (`transfers/17/amount`). With `atomic` all, at most 500,
     * are carried out or none; with `dry_run` none is, and each tells what would become of it.
     * Each completed transfer is one like any other. Batches of an account follow one another.
     * The body may have 4 MiB. More usernames that nobody has than an account may name are 429
     * `rate_limited`; `details` names some of them.
     *
     * @param CreateTransferBatchRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return TransferBatch
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/transfer-batches', ['body' => $body, 'headers' => $headers], 'transfer_batch', $idempotencyKey);
    }

    /**
     * One transfer batch: how far it has come. Ask again while `status` is `processing`.
     *
     * @param array<string, string> $headers sent with each try
     * @return TransferBatch
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/transfer-batches/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * The transfers of a batch, in the order given; all of them as CSV. As CSV all of them come
     * as a file: index, to_username, currency, amount, status, reference, error_code,
     * error_message. `error` is what a single transfer would have been answered. In an atomic
     * batch that was refused, those that were not the reason have the code `batch_refused`.
     *
     * @param ListBatchTransfersParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<BatchedTransferList, BatchedTransfer>
     */
    public function listTransfers(string $id, array $query = [], array $headers = []): Page
    {
        return $this->core->list('transfers', 'cursor', '/transfer-batches/{id}/transfers', ['path' => ['id' => $id], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * The transfers of a batch, in the order given; all of them as CSV, as CSV. As CSV all of
     * them come as a file: index, to_username, currency, amount, status, reference, error_code,
     * error_message. `error` is what a single transfer would have been answered. In an atomic
     * batch that was refused, those that were not the reason have the code `batch_refused`.
     *
     * @param ListBatchTransfersParams $query
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function listTransfersCsv(string $id, array $query = [], array $headers = []): string
    {
        return $this->core->file('/transfer-batches/{id}/transfers', 'text/csv', ['path' => ['id' => $id], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * Stop what is not posted yet; cancelling again changes nothing. What has been completed
     * stays so; what was not begun stays pending.
     *
     * @param array<string, string> $headers sent with each try
     * @return TransferBatch
     */
    public function cancel(string $id, array $headers = []): array
    {
        return $this->core->call('POST', '/transfer-batches/{id}/cancel', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
