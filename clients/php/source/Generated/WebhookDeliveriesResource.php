<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type ListWebhookAttemptsParams from Models
 * @phpstan-import-type ListWebhookDeliveriesParams from Models
 * @phpstan-import-type WebhookAttempt from Models
 * @phpstan-import-type WebhookAttemptList from Models
 * @phpstan-import-type WebhookDelivery from Models
 * @phpstan-import-type WebhookDeliveryList from Models
 */
final class WebhookDeliveriesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Deliveries, newest first. One delivery is one event to one endpoint. Pass `next_cursor` as
     * `cursor` to get the next page.
     *
     * @param ListWebhookDeliveriesParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<WebhookDeliveryList, WebhookDelivery>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('webhook_deliveries', 'cursor', '/webhook-deliveries', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One delivery. Its status, how often it was tried, and when it is tried next.
     *
     * @param array<string, string> $headers sent with each try
     * @return WebhookDelivery
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/webhook-deliveries/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Every attempt at a delivery with what was answered, newest first. With the status and the
     * first 16 KiB of what the receiver responded. Attempts of months long past may no longer be
     * kept: the delivery still counts them.
     *
     * @param ListWebhookAttemptsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<WebhookAttemptList, WebhookAttempt>
     */
    public function listAttempts(string $id, array $query = [], array $headers = []): Page
    {
        return $this->core->list('attempts', 'cursor', '/webhook-deliveries/{id}/attempts', ['path' => ['id' => $id], 'query' => $query, 'headers' => $headers]);
    }

    /**
     * Send one delivery again, whether it arrived or not. As soon as possible, beside the
     * schedule of retries.
     *
     * @param array<string, string> $headers sent with each try
     * @return WebhookDelivery
     */
    public function resend(string $id, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-deliveries/{id}/resend', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
