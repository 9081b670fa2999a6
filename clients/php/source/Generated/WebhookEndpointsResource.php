<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type ChangeWebhookEndpointRequest from Models
 * @phpstan-import-type CreatedWebhookEndpoint from Models
 * @phpstan-import-type CreateWebhookEndpointRequest from Models
 * @phpstan-import-type CreateWebhookFaultRequest from Models
 * @phpstan-import-type DeletedWebhookEndpoint from Models
 * @phpstan-import-type DroppedSandboxFaults from Models
 * @phpstan-import-type OrderedWebhookFault from Models
 * @phpstan-import-type ResendWebhooksRequest from Models
 * @phpstan-import-type RotatedWebhookSecret from Models
 * @phpstan-import-type RotateWebhookSecretRequest from Models
 * @phpstan-import-type SendTestWebhookRequest from Models
 * @phpstan-import-type SentTestEvent from Models
 * @phpstan-import-type WebhookEndpoint from Models
 * @phpstan-import-type WebhookEndpointList from Models
 * @phpstan-import-type WebhookFaultList from Models
 * @phpstan-import-type WebhookResend from Models
 */
final class WebhookEndpointsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Webhook endpoints, newest first. All on one page: there are never many.
     *
     * @param array<string, string> $headers sent with each try
     * @return Page<WebhookEndpointList, WebhookEndpoint>
     */
    public function list(array $headers = []): Page
    {
        return $this->core->list('webhook_endpoints', null, '/webhook-endpoints', ['headers' => $headers]);
    }

    /**
     * Have events delivered to an address; answers the secret that signs them, once. Events that
     * happen from now on are delivered to it. Keep the `secret`: it verifies the signatures and
     * is shown this once.
     *
     * @param CreateWebhookEndpointRequest $body
     * @param array<string, string> $headers sent with each try
     * @return CreatedWebhookEndpoint
     */
    public function create(array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-endpoints', ['body' => $body, 'headers' => $headers]);
    }

    /**
     * One webhook endpoint, and how it does. Whether it is enabled, why not, and when it last
     * failed.
     *
     * @param array<string, string> $headers sent with each try
     * @return WebhookEndpoint
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/webhook-endpoints/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Change what is named; disable it, which holds its deliveries, or enable it again. Only the
     * fields that are given change. What happens while it is disabled is held, and sent once it
     * is enabled again.
     *
     * @param ChangeWebhookEndpointRequest $body
     * @param array<string, string> $headers sent with each try
     * @return WebhookEndpoint
     */
    public function update(string $id, array $body, array $headers = []): array
    {
        return $this->core->call('PATCH', '/webhook-endpoints/{id}', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * Delete an endpoint and discard what waits for it. What waits for it is discarded; its past
     * deliveries stay in the lists.
     *
     * @param array<string, string> $headers sent with each try
     * @return DeletedWebhookEndpoint
     */
    public function delete(string $id, array $headers = []): array
    {
        return $this->core->call('DELETE', '/webhook-endpoints/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * A new secret; the old one signs beside it until the overlap ends. Give your receiver the
     * new secret during the overlap and let it accept either. With `overlap_seconds` 0 the old
     * one ends at once: for a secret that has leaked.
     *
     * @param RotateWebhookSecretRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return RotatedWebhookSecret
     */
    public function rotateSecret(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-endpoints/{id}/rotate-secret', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * Send a test event to this endpoint alone. The event is marked `test: true`, has the
     * sequence 0, and is signed like any other. Ask for its delivery to see whether it arrived.
     *
     * @param SendTestWebhookRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return SentTestEvent
     */
    public function test(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-endpoints/{id}/test', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * Send again what this endpoint was sent in a stretch of time. For what a receiver has lost:
     * deliveries created in a period, by status and type, are sent again in the background, one
     * resend of an endpoint at a time. The response names the resend, whose progress can be
     * read.
     *
     * @param ResendWebhooksRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return WebhookResend
     */
    public function resend(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-endpoints/{id}/resend', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * The faults that are left for an endpoint's deliveries, in their order. One that is used up
     * is not listed any more.
     *
     * @param array<string, string> $headers sent with each try
     * @return WebhookFaultList
     */
    public function listFaults(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/webhook-endpoints/{id}/faults', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Order a fault for the next deliveries to an endpoint. Each attempt uses up one, in their
     * order; test events, retries and resends are attempts as any other. `duplicate` sends the
     * event twice. `swap` lets it wait for the next event and go after it, or alone after five
     * minutes. `bad-signature` spoils all signatures of the attempt. `late=S` puts it off by S
     * seconds of the clock of the sandbox.
     *
     * @param CreateWebhookFaultRequest $body
     * @param array<string, string> $headers sent with each try
     * @return OrderedWebhookFault
     */
    public function createFault(string $id, array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/webhook-endpoints/{id}/faults', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }

    /**
     * Delete all faults that are left for an endpoint's deliveries. What was put off already
     * stays so; `resend` sends it at once.
     *
     * @param array<string, string> $headers sent with each try
     * @return DroppedSandboxFaults
     */
    public function deleteFaults(string $id, array $headers = []): array
    {
        return $this->core->call('DELETE', '/webhook-endpoints/{id}/faults', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
