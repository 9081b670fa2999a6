<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type CreatePayoutRequest from Models
 * @phpstan-import-type ListPayoutsParams from Models
 * @phpstan-import-type PaymentIntentTimeline from Models
 * @phpstan-import-type Payout from Models
 * @phpstan-import-type PayoutList from Models
 * @phpstan-import-type RejectPayoutRequest from Models
 */
final class PayoutsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Payouts, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
     * together narrow the list. As CSV all that match come as one file.
     *
     * @param ListPayoutsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<PayoutList, Payout>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('payouts', 'cursor', '/payouts', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Payouts, newest first, as CSV. Pass `next_cursor` as `cursor` to get the next page. All
     * filters together narrow the list. As CSV all that match come as one file.
     *
     * @param ListPayoutsParams $query
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function listCsv(array $query = [], array $headers = []): string
    {
        return $this->core->file('/payouts', 'text/csv', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Pay a phone or a bank account. The money leaves your wallet at once and is sent in a
     * moment: `payout.succeeded` or `payout.failed` says how it ended, and what fails comes back
     * with its fee. An operator that does not answer makes the payout `unknown`, never `failed`:
     * it is asked until it says. Without an answer, repeat the request with the same
     * `Idempotency-Key`: there is one payout then. A key answers for ever with the first
     * outcome; a new try needs a new key.
     *
     * @param CreatePayoutRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payouts', ['body' => $body, 'headers' => $headers], 'payout', $idempotencyKey);
    }

    /**
     * One payout. `conclusive` says whether its outcome is known.
     *
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function retrieve(string $idOrReference, array $headers = []): array
    {
        return $this->core->call('GET', '/payouts/{id_or_reference}', ['path' => ['id_or_reference' => $idOrReference], 'headers' => $headers]);
    }

    /**
     * Confirm a payout. Has a payout sent that waits for it, once you have seen the name that
     * was found. A second call answers 200 with the payout as it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function confirm(string $idOrReference, array $headers = []): array
    {
        return $this->core->call('POST', '/payouts/{id_or_reference}/confirm', ['path' => ['id_or_reference' => $idOrReference], 'headers' => $headers]);
    }

    /**
     * Cancel a payout. Before the operator has sent it. The money and the fee come back. A
     * second call answers 200 with the payout as it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function cancel(string $idOrReference, array $headers = []): array
    {
        return $this->core->call('POST', '/payouts/{id_or_reference}/cancel', ['path' => ['id_or_reference' => $idOrReference], 'headers' => $headers]);
    }

    /**
     * Approve a payout. As the person who made your key: an owner of the account, in the sandbox
     * a developer too, and never the person who ordered the payout. A second call answers 200
     * with the payout as it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function approve(string $idOrReference, array $headers = []): array
    {
        return $this->core->call('POST', '/payouts/{id_or_reference}/approve', ['path' => ['id_or_reference' => $idOrReference], 'headers' => $headers]);
    }

    /**
     * Reject a payout. Instead of an approval: the payout is canceled, and the money is back. A
     * second call answers 200 with the payout as it is.
     *
     * @param RejectPayoutRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return Payout
     */
    public function reject(string $idOrReference, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payouts/{id_or_reference}/reject', ['path' => ['id_or_reference' => $idOrReference], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * What happened to a payout, in order. The order, decisions of people, what the operator
     * said, the postings and each delivery of a webhook, oldest first.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentIntentTimeline
     */
    public function retrieveTimeline(string $idOrReference, array $headers = []): array
    {
        return $this->core->call('GET', '/payouts/{id_or_reference}/timeline', ['path' => ['id_or_reference' => $idOrReference], 'headers' => $headers]);
    }
}
