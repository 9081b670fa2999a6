<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type CreateRefundRequest from Models
 * @phpstan-import-type ListRefundsParams from Models
 * @phpstan-import-type Refund from Models
 * @phpstan-import-type RefundList from Models
 */
final class RefundsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Give back a payment, whole or in part. The money leaves your wallet at once and goes to
     * the customer through the gateway, which may take days: `refund.succeeded` or
     * `refund.failed` says how it ended. What fails comes back to the wallet. The fee of the
     * payment is not given back. A payment has at most 50 refunds; those that failed count.
     * Without an answer, repeat the request with the same `Idempotency-Key`: there is one refund
     * then.
     *
     * @param CreateRefundRequest|null $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return Refund
     */
    public function create(string $idOrCode, ?array $body = null, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-intents/{id_or_code}/refunds', ['path' => ['id_or_code' => $idOrCode], 'body' => $body, 'headers' => $headers], 'refund', $idempotencyKey);
    }

    /**
     * Refunds, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
     * together narrow the list.
     *
     * @param ListRefundsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<RefundList, Refund>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('refunds', 'cursor', '/refunds', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One refund. `status` is `pending` until the gateway has made the refund or failed to;
     * `failure` says why it failed.
     *
     * @param array<string, string> $headers sent with each try
     * @return Refund
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/refunds/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
