<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type ChangePaymentLinkRequest from Models
 * @phpstan-import-type CreatePaymentLinkRequest from Models
 * @phpstan-import-type ListLinkPaymentsParams from Models
 * @phpstan-import-type ListPaymentLinksParams from Models
 * @phpstan-import-type PaymentIntent from Models
 * @phpstan-import-type PaymentIntentList from Models
 * @phpstan-import-type PaymentLink from Models
 * @phpstan-import-type PaymentLinkList from Models
 */
final class PaymentLinksResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Reusable links, newest first. Pass `next_cursor` as `cursor` to get the next page.
     *
     * @param ListPaymentLinksParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<PaymentLinkList, PaymentLink>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('payment_links', 'cursor', '/payment-links', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * Make a link that any number of customers may pay. Print `url` as a QR code for a counter
     * or a table, or post it. Each customer who sends the form of the page gets a payment intent
     * with `payment_link_id`, which expires after 30 minutes.
     *
     * @param CreatePaymentLinkRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return PaymentLink
     */
    public function create(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/payment-links', ['body' => $body, 'headers' => $headers], 'payment_link', $idempotencyKey);
    }

    /**
     * One reusable link, by its id or its code. `payments` and `paid_amount` count what has
     * succeeded.
     *
     * @param array<string, string> $headers sent with each try
     * @return PaymentLink
     */
    public function retrieve(string $idOrCode, array $headers = []): array
    {
        return $this->core->call('GET', '/payment-links/{id_or_code}', ['path' => ['id_or_code' => $idOrCode], 'headers' => $headers]);
    }

    /**
     * Change a reusable link, or take it out of use. What is left out stays; null takes it away.
     * The currency, the price and what is asked for never change. A customer who is at the
     * checkout may still pay.
     *
     * @param ChangePaymentLinkRequest $body
     * @param array<string, string> $headers sent with each try
     * @return PaymentLink
     */
    public function update(string $idOrCode, array $body, array $headers = []): array
    {
        return $this->core->call('PATCH', '/payment-links/{id_or_code}', ['path' => ['id_or_code' => $idOrCode], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * The payments of a reusable link, newest first; all of them as CSV. Payment intents in any
     * status. As CSV all of them come as one file, with a column for each field that the link
     * asks for.
     *
     * @param ListLinkPaymentsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<PaymentIntentList, PaymentIntent>
     */
    public function listPayments(string $idOrCode, array $query = [], array $headers = []): Page
    {
        return $this->core->list('payment_intents', 'cursor', '/payment-links/{id_or_code}/payments', ['path' => ['id_or_code' => $idOrCode], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * The payments of a reusable link, newest first; all of them as CSV, as CSV. Payment intents
     * in any status. As CSV all of them come as one file, with a column for each field that the
     * link asks for.
     *
     * @param ListLinkPaymentsParams $query
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function listPaymentsCsv(string $idOrCode, array $query = [], array $headers = []): string
    {
        return $this->core->file('/payment-links/{id_or_code}/payments', 'text/csv', ['path' => ['id_or_code' => $idOrCode], 'query' => $query, 'headers' => $headers]);
    }
}
