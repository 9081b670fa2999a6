<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type CreatedTransfer from Models
 * @phpstan-import-type CreateReversalRequest from Models
 * @phpstan-import-type CreateTransferRequest from Models
 * @phpstan-import-type Reversal from Models
 * @phpstan-import-type Transfer from Models
 */
final class TransfersResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Send money to another user; simulated with a test key. The recipient gets the amount less
     * the fee, at once. The money moves exactly once: repeat a request whose response you did
     * not get with the same `Idempotency-Key`. With a test key the request is checked in the
     * same way and answers `simulated`, and nothing is moved.
     *
     * @param CreateTransferRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return CreatedTransfer
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/transfers', ['body' => $body, 'headers' => $headers], 'transfer', $idempotencyKey);
    }

    /**
     * One transfer, for its sender and its recipient. For its sender and its recipient.
     * `direction` says which of them the key belongs to.
     *
     * @param array<string, string> $headers sent with each try
     * @return Transfer
     */
    public function retrieve(string $reference, array $headers = []): array
    {
        return $this->core->call('GET', '/transfers/{reference}', ['path' => ['reference' => $reference], 'headers' => $headers]);
    }

    /**
     * Give a received transfer back, whole or in part. For its recipient. The sender gets the
     * amount at once, from your wallet; the fee of the transfer is not given back. Repeat a
     * request whose response you did not get with the same `Idempotency-Key`: there is one
     * reversal then. With a test key nothing is moved.
     *
     * @param CreateReversalRequest|null $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return Reversal
     */
    public function createReversal(string $reference, ?array $body = null, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/transfers/{reference}/reversals', ['path' => ['reference' => $reference], 'body' => $body, 'headers' => $headers], 'reversal', $idempotencyKey);
    }
}
